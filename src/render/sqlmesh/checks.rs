//! Checks of finished relations: a model that lists what was found, an audit of it, and its counts.

use askama::Template;

use super::names::{self, text};
use super::properties::{AS_IT_STANDS, described};
use super::{Model, sql_file};
use crate::ir::{Check, OnFail};
use crate::lower::Plan;
use crate::lower::checks::CheckPlan;
use crate::render::marker;
use crate::render::sql::{self, Writer};
use crate::settings::Settings;
use crate::tree::Tree;

#[derive(Template)]
#[template(path = "sqlmesh/checks.sql", config = "templates/askama.toml")]
struct Audits<'a> {
    marker: String,
    dialect: &'a str,
}

pub fn files(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    if plan.checks.is_empty() {
        return;
    }
    let folder = &settings.folder;
    let audits = Audits {
        marker: marker("every spec"),
        dialect: writer.spelling.name,
    };
    let audits = sql_file(&audits, settings);
    tree.generated(format!("audits/{folder}/checks.sql"), audits);
    for check in &plan.checks {
        let path = format!("models/{folder}/gold/{}.sql", check.check.relation());
        let model = model(check, settings, writer);
        tree.generated(path, sql_file(&model, settings));
    }
}

fn model(plan: &CheckPlan<'_>, settings: &Settings, writer: &Writer<'_>) -> Model {
    let check = plan.check;
    Model {
        marker: marker(&check.place.file),
        properties: properties(check, settings, writer.spelling.name),
        before: None,
        body: sql::check(plan, writer),
        after: Some(count(check)),
    }
}

fn properties(check: &Check, settings: &Settings, dialect: &str) -> Vec<String> {
    let audit = match check.on_fail {
        OnFail::Flag => "assay_holds(blocking := FALSE)",
        OnFail::Fail => "assay_holds",
    };
    vec![
        format!("name {}.\"{}\"", settings.schemas.gold, check.relation()),
        "kind FULL".to_owned(),
        format!("dialect {dialect}"),
        described(&sql::check_description(check)),
        format!("audits (\n    {audit}\n  )"),
        AS_IT_STANDS.to_owned(),
    ]
}

/// `@assay_count_check('parcel', 'reconcile', 'kilos_match', 'flag', '3f2a9c01')`
fn count(check: &Check) -> String {
    let [entity, _] = check.reads();
    let rule_set = sql::rule_set_of_check(check);
    let arguments = [
        entity,
        check.kind.name(),
        &check.name,
        check.on_fail.name(),
        &rule_set,
    ];
    names::bracketed("@assay_count_check(", &arguments.map(text), ")")
}
