//! The accounting in gold: the macros that count and ask the gates, and the views over what they leave.

use askama::Template;

use super::names::{self, text};
use super::{Model, properties, sql_file};
use crate::ir::{INGESTED_AT, Scd};
use crate::lower::coerced::INGESTED_AT_TEXT;
use crate::lower::judged::Judged;
use crate::lower::{EntityPlan, Plan, is_judged};
use crate::render::sql::{self, Candidate, Limit, REJECT_COLUMNS, Relation, Writer, relation_name};
use crate::render::{file, marker};
use crate::settings::Settings;
use crate::sql::print::indent;
use crate::tree::Tree;

#[derive(Template)]
#[template(path = "sqlmesh/assay.py", config = "templates/askama.toml")]
struct Macros<'a> {
    marker: String,
    gold: &'a str,
    dialect: &'a str,
    creations_collide: bool,
    has_transactions: bool,
    merges_by_index: bool,
    reject_columns: [&'static str; 17],
    has_judged: bool,
    has_reject: bool,
    has_ledger: bool,
    has_checks: bool,
    has_ceiling: bool,
    has_rails: bool,
    has_history: bool,
    silver: &'a str,
    arrival: String,
    arrival_of_ledger: String,
    gates: String,
    verdicts: String,
    gates_of_judged: [&'static str; 6],
    check_verdict: String,
    ceiling: Option<String>,
    history: Option<HistoryGates>,
}

struct HistoryGates {
    gates: String,
    no_delivery: String,
}

pub fn files(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let folder = settings.folder.as_str();
    let entities = &plan.project.entities;
    let has_ceiling = entities.iter().any(|entity| entity.ceiling().is_some());
    let has_history = entities.iter().any(|entity| entity.scd == Scd::Type2);
    let macros = Macros {
        marker: marker("every spec"),
        gold: &settings.schemas.gold,
        dialect: writer.spelling.name,
        creations_collide: writer.spelling.creations_collide,
        has_transactions: writer.spelling.sqlmesh_has_transactions,
        merges_by_index: writer.spelling.merges_by_index,
        reject_columns: REJECT_COLUMNS.map(|(name, _)| name),
        has_judged: entities.iter().any(is_judged),
        has_reject: !sql::retentions(plan.project).is_empty(),
        has_ledger: entities.iter().any(|entity| entity.incremental().is_some()),
        has_checks: !plan.checks.is_empty(),
        has_ceiling,
        has_rails: entities.iter().any(|entity| entity.rails.is_some()),
        has_history,
        silver: &settings.schemas.silver,
        arrival: sql::arrival_text(writer, INGESTED_AT),
        arrival_of_ledger: sql::arrival_text(writer, INGESTED_AT_TEXT),
        gates: sql::gates("{judged}", "{lost}"),
        verdicts: sql::verdicts("{listed}", "{facts}"),
        gates_of_judged: sql::GATES_OF_JUDGED,
        check_verdict: sql::check_verdict("{gate}", "{outcome}", "{relation}"),
        ceiling: has_ceiling.then(|| {
            sql::ceiling(&Limit {
                entity: "{entity}",
                share: "{share}",
                judged: "{judged}",
                parts: "{parts}",
                whole: "{whole}",
                pending: "{pending}",
                allowed: "{allowed}",
            })
        }),
        history: has_history.then(|| HistoryGates {
            gates: sql::history_gates("{own}", "{key}"),
            no_delivery: sql::no_delivery("{own}", "{judged}", "{allowed}"),
        }),
    };
    tree.generated(format!("macros/{folder}/assay.py"), file(&macros));
    views(plan, settings, writer, tree);
}

fn views(plan: &Plan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let gold = &settings.schemas.gold;
    let mut view = |(name, told): (&str, &str), before: Option<String>, body: String| {
        let model = Model {
            marker: marker("every spec"),
            properties: properties::view(name, told, settings, writer.spelling.name),
            before,
            body,
            after: None,
        };
        let path = format!("models/{}/gold/{name}.sql", settings.folder);
        tree.generated(path, sql_file(&model, settings));
    };
    let prepare = || Some("@assay_prepare()".to_owned());
    let all_of = |columns: &[&str], table: &str| {
        format!("SELECT\n  {}\nFROM {gold}.{table}", columns.join(",\n  "))
    };
    view(sql::QUALITY_RUNS, prepare(), all_of(&RUNS, "quality_gates"));
    if !sql::is_counted(plan) {
        return;
    }
    view(sql::MART, prepare(), all_of(&MART, "quality_counts"));
    view(
        sql::QUALITY_SUMMARY,
        None,
        sql::quality_summary(
            &format!("{gold}.quality_runs"),
            &format!("{gold}.mart_data_quality"),
        ),
    );
}

const RUNS: [&str; 12] = [
    "run_id",
    "run_at",
    "asked_at",
    "entity",
    "relation",
    "gate",
    "outcome",
    "measured",
    "out_of",
    "threshold",
    "reason",
    "rule_set",
];

const MART: [&str; 11] = [
    "run_id",
    "run_at",
    "entity",
    "mapping",
    "rule",
    "disposition",
    "rows_failed",
    "rows_undecided",
    "rows_evaluated",
    "rows_quarantined",
    "rows_deduped",
];

/// `@assay_ask('parcel', '3f2a9c01', ceiling := ('25%', 25, 100))`
pub fn ask(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
    let entity = plan.entity;
    let mut arguments = vec![text(&entity.name), text(&sql::rule_set(plan, judged))];
    if entity.incremental().is_some() {
        arguments.push("is_ledger := TRUE".to_owned());
    }
    arguments.extend(entity.ceiling().map(|share| {
        let parts = [
            text(&share.to_string()),
            share.parts.to_string(),
            share.whole().to_string(),
        ];
        format!("ceiling := ({})", parts.join(", "))
    }));
    let rails = rails(plan, writer);
    arguments.extend(rails.map(|rails| format!("rails := (\n  {}\n)", indent(&rails, 2))));
    names::bracketed("@assay_ask(", &arguments, ")")
}

fn rails(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> Option<String> {
    let fields = plan.entity.fields.iter().map(|field| text(&field.name));
    let list = format!("{}[", writer.spelling.list_keyword);
    let arguments = [
        text(&plan.entity.name),
        names::bracketed(&list, &fields.collect::<Vec<_>>(), "]"),
    ];
    let candidate = Candidate {
        published: &indent(&names::bracketed("@assay_stands(", &arguments, ")"), 2),
        judged: "@this_model",
        allowed: &format!("@assay_allows_loss({})", text(&plan.entity.name)),
    };
    sql::rails(plan, &candidate, writer)
}

/// `@assay_ask_kept('parcel', silver."parcel__judged")`
pub fn ask_kept(plan: &EntityPlan<'_>, judged: &str) -> String {
    let mut arguments = vec![text(&plan.entity.name), judged.to_owned()];
    if plan.entity.incremental().is_some() {
        arguments.push("is_ledger := TRUE".to_owned());
    }
    names::bracketed("@assay_ask_kept(", &arguments, ")")
}

/// `@assay_retain('parcel', 720)`, the hours for which rejects are kept.
pub fn retain(plan: &EntityPlan<'_>) -> Option<String> {
    let quarantine = plan.entity.quality.as_ref()?.quarantine.as_ref()?;
    let hours = quarantine.retention.hours();
    Some(format!(
        "@assay_retain({}, {hours})",
        text(&plan.entity.name)
    ))
}

/// `@assay_ask_published('parcel', ['parcel_no'], judged := …, known := …, members := 1)`
pub fn ask_published(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>) -> String {
    let mut arguments = vec![text(&plan.entity.name), key(plan, writer)];
    if plan.judged.is_some() {
        let judged = relation_name(&plan.entity.name, Relation::Judged);
        arguments.push(format!("judged := {}", names::silver(settings, &judged)));
        if !sql::replaced_keys(plan).is_empty() {
            arguments.push(format!("known := {}", sql::known(plan, writer)));
        }
        if plan.entity.has_unknown_member {
            arguments.push("members := 1".to_owned());
        }
    }
    names::bracketed("@assay_ask_published(", &arguments, ")")
}

/// `@assay_ask_history('depot', ['depot_no'], silver."depot__judged")`
pub fn ask_history(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>) -> String {
    let judged = relation_name(&plan.entity.name, Relation::Judged);
    let arguments = [
        text(&plan.entity.name),
        key(plan, writer),
        names::silver(settings, &judged),
    ];
    names::bracketed("@assay_ask_history(", &arguments, ")")
}

fn key(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let key: Vec<String> = plan.entity.key.iter().map(|key| text(key)).collect();
    names::bracketed(&format!("{}[", writer.spelling.list_keyword), &key, "]")
}
