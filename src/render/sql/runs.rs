//! The record of runs: what each gate has said, and what it says of a run in one row.

use std::fmt::Write;

use askama::Template;

use crate::ir::{Check, CheckKind, Coverage, OnFail};
use crate::lower::EntityPlan;
use crate::lower::helper::digest;
use crate::lower::judged::Judged;

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
