//! The record of runs: what each gate has said, and what it says of a run in one row.

use std::fmt::Write;

use askama::Template;

use crate::ir::{Check, CheckKind, Coverage, OnFail};
use crate::lower::EntityPlan;
use crate::lower::helper::digest;
use crate::lower::judged::Judged;

/// The relations of the accounting, and what they are in words.
pub const QUALITY_RUNS: (&str, &str) = (
    "quality_runs",
    "One row per run, relation and gate with what the gate said (pass, fail, warn or skipped), what was \
     measured and what was allowed.",
);
pub const MART: (&str, &str) = (
    "mart_data_quality",
    "One row per run, entity, mapping and rule with what it found, and one (entity) row per run and \
     entity with its totals; sums are right at any grouping.",
);
pub const QUALITY_SUMMARY: (&str, &str) = (
    "quality_summary",
    "One row per run and entity: whether the run was good, which gate stopped it, and how many rows \
     went where. is_latest picks the newest run of each entity.",
);

/// What the facts of `gates` tell of.
pub const GATES_OF_JUDGED: [&str; 6] = [
    "ingestion_metadata",
    "delivered_twice_in_one_load",
    "fail_rule",
    "key_in_two_sources",
    "key_not_unique",
    "conservation",
];

#[derive(Template)]
#[template(path = "sql/verdicts.sql", config = "templates/askama.toml")]
struct Verdicts<'a> {
    gates: &'a str,
    facts: &'a str,
}

#[derive(Template)]
#[template(path = "sql/check_verdict.sql", config = "templates/askama.toml")]
struct CheckVerdict<'a> {
    check: &'a str,
    outcome: &'a str,
    relation: &'a str,
}

#[derive(Template)]
#[template(path = "sql/quality_summary.sql", config = "templates/askama.toml")]
struct Summary<'a> {
    runs: &'a str,
    mart: &'a str,
}

#[derive(Template)]
#[template(path = "sql/no_delivery.sql", config = "templates/askama.toml")]
struct NoDelivery<'a> {
    history: &'a str,
    judged: &'a str,
    allowed: &'a str,
}

/// `gates` is a list of rows, `facts` a SELECT with a `gate` and a `_source_row_id`.
#[must_use]
pub fn verdicts(gates: &str, facts: &str) -> String {
    text(&Verdicts { gates, facts })
}

/// `outcome` is what the check says where it does not hold.
#[must_use]
pub fn check_verdict(check: &str, outcome: &str, relation: &str) -> String {
    text(&CheckVerdict {
        check,
        outcome,
        relation,
    })
}

/// `runs` and `mart` are how the framework names these relations.
#[must_use]
pub fn quality_summary(runs: &str, mart: &str) -> String {
    text(&Summary { runs, mart })
}

/// What the gate of a history says that must not be closed by a bronze that came empty.
#[must_use]
pub fn no_delivery(history: &str, judged: &str, allowed: &str) -> String {
    text(&NoDelivery {
        history,
        judged,
        allowed,
    })
}

fn text(template: &impl Template) -> String {
    let text = template.render();
    let text = text.expect("a template over prepared text cannot fail");
    text.trim_end().to_owned()
}

/// The version of an entity's rules: one text for one meaning of all of them, on every engine.
#[must_use]
pub fn rule_set(plan: &EntityPlan<'_>, judged: &Judged) -> String {
    let mut content = String::new();
    for rule in &judged.rules {
        let sources = super::mappings_of(plan, rule);
        writeln!(
            content,
            "{} {:?} {sources:?} {:?} {:?}",
            rule.name, rule.disposition, rule.violation, rule.undecided
        )
        .expect("a text takes what is written");
    }
    for parent in &judged.parents {
        writeln!(content, "{parent:?}").expect("a text takes what is written");
    }
    for unique in &judged.uniques {
        writeln!(content, "{unique:?}").expect("a text takes what is written");
    }
    digest(&content)
}

#[must_use]
pub fn rule_set_of_check(check: &Check) -> String {
    let content = match &check.kind {
        CheckKind::Reconcile(reconcile) => format!("{reconcile:?}"),
        // What the relationship is called says nothing.
        CheckKind::Coverage(Coverage {
            relationship: _,
            parent,
            child,
            columns,
            min,
        }) => format!("{parent} {child} {columns:?} {min}"),
    };
    digest(&format!("{:?} {content}", check.on_fail))
}

/// What a check that does not hold is in the record.
#[must_use]
pub fn outcome(on_fail: OnFail) -> &'static str {
    match on_fail {
        OnFail::Flag => "warn",
        OnFail::Fail => "fail",
    }
}
