//! For programs; `docs/diff.md` says what each key is.

use serde_json::{Value, json};

use super::{At, Finding, Report};
use crate::change::cost::Cost;
use crate::change::kinds::Class;
use crate::change::meaning::meaning;
use crate::change::review::Change;

pub(super) fn render(report: &Report<'_>) -> String {
    let Report {
        against,
        findings,
        scopes,
        cost,
        commands,
        notes,
        files,
    } = report;
    let counts = Class::ALL.map(|class| {
        let of_class = findings.iter().filter(|finding| finding.class == class);
        (class.name().to_owned(), Value::from(of_class.count()))
    });
    let paths = |wanted: fn(&Change<'_>) -> bool| -> Vec<&str> {
        let changes = files.changes.iter();
        changes
            .filter(|(_, change)| wanted(change))
            .map(|(path, _)| *path)
            .collect()
    };
    let document = json!({
        "version": 1,
        "against": against.replace('`', ""),
        "worst": report.worst().map(Class::name),
        "counts": counts.into_iter().collect::<serde_json::Map<String, Value>>(),
        "changes": findings.iter().map(change).collect::<Vec<_>>(),
        "scopes": {
            "backfill": scopes.backfill,
            "replay": scopes.replay,
            "restates_history": scopes.restates_history(),
            "abandoned": scopes.abandoned,
        },
        "cost": cost.as_ref().map(estimate),
        "commands": commands,
        "notes": notes,
        "files": {
            "added": paths(|change| matches!(change, Change::Added { .. })),
            "changed": paths(|change| matches!(change, Change::Changed { .. })),
            "removed": paths(|change| matches!(change, Change::Removed { .. })),
        },
    });
    format!("{document:#}\n")
}

fn estimate(cost: &Cost) -> Value {
    let Cost {
        checks,
        restatements,
        total,
        rules,
        scans,
        unknown,
    } = cost;
    let checks = checks.iter().map(|check| {
        json!({
            "entity": check.entity,
            "rule": check.rule,
            "rows": check.volume.rows,
            "bytes": check.volume.bytes,
            "shared_by": check.shared_by,
        })
    });
    let restatements = restatements.iter().map(|each| {
        json!({
            "entity": each.entity,
            "reads": each.reads,
            "rows": each.volume.rows,
            "bytes": each.volume.bytes,
        })
    });
    json!({
        "checks": checks.collect::<Vec<_>>(),
        "restatements": restatements.collect::<Vec<_>>(),
        "rows": total.rows,
        "bytes": total.bytes,
        "rules": rules,
        "scans": scans,
        "unknown": unknown,
    })
}

fn change(finding: &Finding) -> Value {
    let difference = &finding.difference;
    let place = finding
        .at
        .as_ref()
        .map(|At { file, line, column }| json!({"file": file, "line": line, "column": column}));
    json!({
        "entity": difference.entity,
        "change": meaning(difference.change).name,
        "class": finding.class.name(),
        "subject": difference.subject.name(),
        "old": difference.old,
        "new": difference.new,
        "reason": difference.reason,
        "fingerprint": finding.fingerprint,
        "place": place,
        "allowed": finding.allowed,
    })
}
