//! Checks of finished relations: a table that lists what was found, a test of it, and its counts.

use askama::Template;

use super::properties::text;
use crate::ir::{Check, OnFail};
use crate::lower::Plan;
use crate::lower::checks::CheckPlan;
use crate::render::sql::{self, Writer};
use crate::render::{file, marker};
use crate::settings::Settings;
use crate::tree::Tree;

#[derive(Template)]
#[template(path = "dbt/check.sql", config = "templates/askama.toml")]
struct CheckModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
    entity: &'a str,
    kind: &'a str,
    name: &'a str,
    on_fail: &'a str,
    is_gate: bool,
    /// Where it does not hold.
    outcome: &'a str,
    rule_set: String,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/checks.sql", config = "templates/askama.toml")]
struct CheckMacros {
    marker: String,
    verdict: String,
    has_gates: bool,
}

pub fn files(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    if plan.checks.is_empty() {
        return;
    }
    let folder = &settings.folder;
    let macros = CheckMacros {
        marker: marker("every spec"),
        verdict: sql::check_verdict("'{{ check }}'", "'{{ broken }}'", "{{ relation }}"),
        has_gates: plan.checks.iter().any(|plan| is_gate(plan.check)),
    };
    tree.generated(format!("macros/{folder}/checks.sql"), file(&macros));
    for check in &plan.checks {
        model(check, settings, writer, tree);
    }
}

fn model(plan: &CheckPlan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let check = plan.check;
    let [entity, _] = check.reads();
    let relation = check.relation();
    let gold = format!("models/{}/gold", settings.folder);
    let model = CheckModel {
        marker: marker(&check.place.file),
        gold: &settings.schemas.gold,
        folder: &settings.folder,
        entity,
        kind: check.kind.name(),
        name: &check.name,
        on_fail: check.on_fail.name(),
        is_gate: is_gate(check),
        outcome: sql::outcome(check.on_fail),
        rule_set: sql::rule_set_of_check(check),
        body: sql::check(plan, writer),
    };
    tree.generated(format!("{gold}/{relation}.sql"), file(&model));
    tree.generated(format!("{gold}/_{relation}.yml"), properties(check));
}

fn properties(check: &Check) -> String {
    let severity = match check.on_fail {
        OnFail::Flag => "warn",
        OnFail::Fail => "error",
    };
    format!(
        "# {}\nmodels:\n  - name: {}\n    description: {}\n    data_tests:\n      - assay_holds:\n          \
         name: {}__holds\n          config:\n            severity: {severity}\n",
        marker(&check.place.file),
        check.relation(),
        text(&sql::check_description(check)),
        check.name
    )
}

fn is_gate(check: &Check) -> bool {
    match check.on_fail {
        OnFail::Flag => false,
        OnFail::Fail => true,
    }
}
