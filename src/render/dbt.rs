//! A dbt project: a package of its own, or sub-folders of the host's.

mod calendar;
mod checks;
mod limits;
mod names;
mod properties;
mod replay;
mod runs;

use askama::Template;

use self::names::DbtNames;
use super::sql::{self, Ends, InOrder, Index, Relation, Uniqueness, Writer};
use super::{disposition_name, file, marker};
use crate::ir::{Duration, INGESTED_AT, Scd};
use crate::lower::coerced::INGESTED_AT_TEXT;
use crate::lower::history::History;
use crate::lower::judged::Judged;
use crate::lower::{EntityPlan, Plan, is_judged};
use crate::settings::{Dialect, Host, Layout, Settings};
use crate::sql::dialect::{Spelling, spelling};
use crate::sql::print::{Style, indent};
use crate::tree::Tree;

pub fn render(plan: &Plan<'_>, settings: &Settings, take: &mut dyn FnMut(Tree)) {
    let mut tree = Tree::default();
    let names = DbtNames { settings };
    let writer = Writer {
        spelling: spelling(settings.dialect),
        style: Style::Plain,
        names: &names,
    };
    let folder = &settings.folder;
    let entities = &plan.project.entities;
    let mut replayed = Vec::with_capacity(entities.len());
    let mut rails = Vec::new();
    for plan in plan.entities() {
        let mut files = Tree::default();
        entity_files(&plan, settings, &writer, &mut files);
        take(files);
        rails.extend(limits::rails(&plan, &writer));
        replayed.push(InOrder::new(&plan, replay::entity(&plan)));
    }
    let limits = limits::macros(plan.project, rails);
    if let Some(limits) = &limits {
        tree.generated(format!("macros/{folder}/limits.sql"), file(limits));
    }
    let has_ledger = entities.iter().any(|entity| entity.incremental().is_some());
    if entities.iter().any(|entity| entity.scd == Scd::Type2) {
        let macros = HistoryMacros {
            marker: marker("every spec"),
            folder,
            gates: sql::history_gates("{{ history }}", "{{ key | join(', ') }}"),
            no_delivery: sql::no_delivery(
                "{{ history }}",
                "{{ judged }}",
                "{{ 'TRUE' if entity in var('assay_allow_empty', []) else 'FALSE' }}",
            ),
        };
        tree.generated(format!("macros/{folder}/history.sql"), file(&macros));
    }
    if entities.iter().any(is_judged) {
        tree.generated(
            format!("macros/{folder}/assay.sql"),
            shared_macros(&writer, has_ledger),
        );
        let replayed = sql::parents_first(replayed);
        if !replayed.is_empty() {
            if replayed.iter().any(|entity| entity.is_history) {
                let marker = marker("every spec");
                let redeliver = RedeliverMacro { marker };
                tree.generated(format!("macros/{folder}/redeliver.sql"), file(&redeliver));
            }
            let replay = replay::macros(replayed);
            tree.generated(format!("macros/{folder}/replay.sql"), file(&replay));
        }
        let retentions = sql::retentions(plan.project);
        if !retentions.is_empty() {
            let retention = RetentionMacros {
                marker: marker("every spec"),
                entities: retentions,
            };
            tree.generated(format!("macros/{folder}/retention.sql"), file(&retention));
        }
        let log = QualityLogModel {
            marker: marker("every spec"),
            gold: &settings.schemas.gold,
            folder,
        };
        tree.generated(format!("models/{folder}/gold/quality_log.sql"), file(&log));
    }
    checks::files(plan, settings, &writer, &mut tree);
    calendar::files(plan, settings, &writer, &mut tree);
    runs::files(plan, settings, limits.is_some(), &mut tree);
    if writer.spelling.installs_input_test {
        let install = InstallMacro {
            marker: marker("every spec"),
            statement: sql::input_is_valid(),
        };
        tree.generated(format!("macros/{folder}/assay_install.sql"), file(&install));
    }
    tree.generated(
        format!("models/{folder}/_sources.yml"),
        properties::sources(plan.project, settings, &sql::arrival(&writer)),
    );
    project_files(settings, writer.spelling, &mut tree);
    take(tree);
}

#[derive(Template)]
#[template(path = "dbt/entity_macros.sql", config = "templates/askama.toml")]
struct EntityMacros<'a> {
    marker: String,
    entity: &'a str,
    sources: Vec<String>,
    is_incremental: bool,
    /// Some rule compares a row with others.
    compares: bool,
    coerced: String,
    judged: String,
    admitted: String,
    diverted: Option<String>,
    replay: Option<ReplayBodies>,
    rules: Vec<String>,
}

/// What only a replay reads.
struct ReplayBodies {
    /// Source and the SELECT of what is held of it.
    held: Vec<(String, String)>,
    contest: String,
}

#[derive(Template)]
#[template(path = "dbt/judged.sql", config = "templates/askama.toml")]
struct JudgedModel<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    indexes: Vec<String>,
    hooks: Vec<String>,
    rule_set: String,
    ledger: Option<Ledger>,
    /// What has been published is in the log.
    reads_log: bool,
}

/// How an incremental entity finds what has arrived.
struct Ledger {
    lag_hours: u32,
    generation: String,
}

#[derive(Template)]
#[template(path = "dbt/entity.sql", config = "templates/askama.toml")]
struct EntityModel<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    indexes: Vec<String>,
    hooks: Vec<String>,
    judged: String,
    key: String,
    replaced: String,
    members: &'static str,
    is_incremental: bool,
    identity: String,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/snapshot.sql", config = "templates/askama.toml")]
struct Snapshot<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    key: String,
    key_in_text: String,
    hooks: Vec<String>,
    since: String,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/close.sql", config = "templates/askama.toml")]
struct CloseMacro<'a> {
    marker: String,
    entity: &'a str,
    /// `None` where nothing is quarantined.
    key_values: Option<String>,
}

#[derive(Template)]
#[template(path = "dbt/redeliver.sql", config = "templates/askama.toml")]
struct RedeliverMacro {
    marker: String,
}

#[derive(Template)]
#[template(path = "dbt/entity_redeliver.sql", config = "templates/askama.toml")]
struct EntityRedeliver<'a> {
    marker: String,
    entity: &'a str,
    redeliveries: Vec<EntityRedelivery>,
}

/// As arguments of the macro.
struct EntityRedelivery {
    source: String,
    columns: Vec<String>,
}

#[derive(Template)]
#[template(path = "dbt/history.sql", config = "templates/askama.toml")]
struct HistoryMacros<'a> {
    marker: String,
    folder: &'a str,
    gates: String,
    no_delivery: String,
}

#[derive(Template)]
#[template(path = "dbt/reject.sql", config = "templates/askama.toml")]
struct RejectModel<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    indexes: Vec<String>,
    hooks: Vec<String>,
    is_incremental: bool,
}

#[derive(Template)]
#[template(path = "dbt/asserts.sql", config = "templates/askama.toml")]
struct AssertsTest<'a> {
    marker: String,
    folder: &'a str,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/quality_log.sql", config = "templates/askama.toml")]
struct QualityLogModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "dbt/retention.sql", config = "templates/askama.toml")]
struct RetentionMacros<'a> {
    marker: String,
    entities: Vec<(&'a str, u32)>,
}

#[derive(Template)]
#[template(path = "dbt/assay.sql", config = "templates/askama.toml")]
struct SharedMacros {
    marker: String,
    arrival: String,
    arrival_of_ledger: String,
    has_ledger: bool,
}

#[derive(Template)]
#[template(path = "dbt/install.sql", config = "templates/askama.toml")]
struct InstallMacro {
    marker: String,
    statement: String,
}

#[derive(Template)]
#[template(path = "dbt/dbt_project.yml", config = "templates/askama.toml")]
struct ProjectFile<'a> {
    marker: Option<String>,
    name: &'a str,
    installs: bool,
}

#[derive(Template)]
#[template(path = "dbt/profiles/duckdb.yml", config = "templates/askama.toml")]
struct DuckdbProfiles<'a> {
    name: &'a str,
}

#[derive(Template)]
#[template(path = "dbt/profiles/postgres.yml", config = "templates/askama.toml")]
struct PostgresProfiles<'a> {
    name: &'a str,
}

#[derive(Template)]
#[template(
    path = "dbt/generate_schema_name.sql",
    config = "templates/askama.toml"
)]
struct GenerateSchemaName;

fn entity_files(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let entity = plan.entity.name.as_str();
    let folder = settings.folder.as_str();
    let silver = settings.schemas.silver.as_str();
    let marker = marker(&plan.entity.place.file);
    let models = format!("models/{folder}/silver");
    let is_incremental = plan.entity.incremental().is_some();
    if let Some(judged) = &plan.judged {
        let macros = EntityMacros {
            marker: marker.clone(),
            entity,
            sources: sources(plan, writer),
            is_incremental,
            compares: !judged.uniques.is_empty(),
            coerced: sql::coerced(plan, writer),
            judged: sql::judged(plan, judged, writer),
            admitted: sql::entity(plan, writer),
            diverted: judged.has_reject.then(|| sql::reject(plan, judged, writer)),
            replay: (judged.has_reject && plan.history.is_none()).then(|| ReplayBodies {
                held: held(plan, judged, writer),
                contest: sql::contest(plan, judged, "{{ passing }}", "{{ stored }}", writer),
            }),
            rules: rules(plan, judged),
        };
        tree.generated(format!("macros/{folder}/{entity}.sql"), file(&macros));
        let model = JudgedModel {
            marker: marker.clone(),
            entity,
            silver,
            folder,
            indexes: index_configs(plan, Relation::Judged, writer.spelling),
            hooks: reading_hooks(writer.spelling),
            rule_set: sql::rule_set(plan, judged),
            ledger: plan.entity.incremental().map(|incremental| Ledger {
                lag_hours: incremental.arrival_lag.map_or(0, Duration::hours),
                generation: sql::generation(plan, judged, writer),
            }),
            reads_log: is_incremental && plan.entity.ceiling().is_some(),
        };
        tree.generated(format!("{models}/{entity}__judged.sql"), file(&model));
        if judged.has_reject {
            let model = RejectModel {
                marker: marker.clone(),
                entity,
                silver,
                folder,
                indexes: index_configs(plan, Relation::Reject, writer.spelling),
                hooks: reading_hooks(writer.spelling),
                is_incremental,
            };
            tree.generated(format!("{models}/{entity}__reject.sql"), file(&model));
        }
    }
    match &plan.history {
        Some(history) => snapshot(plan, history, settings, writer, tree),
        None => table(plan, settings, writer, tree),
    }
    tree.generated(
        format!("{models}/_{entity}.yml"),
        properties::entity(plan, settings),
    );
    if !plan.entity.asserts.is_empty() {
        let body = sql::asserts(plan, writer);
        let test = AssertsTest {
            marker,
            folder,
            body,
        };
        tree.generated(format!("tests/{folder}/{entity}__asserts.sql"), file(&test));
    }
}

/// As the adapter's `indexes` takes them.
fn index_configs(plan: &EntityPlan<'_>, relation: Relation, spelling: &Spelling) -> Vec<String> {
    let config = |Index {
                      columns,
                      uniqueness,
                  }: Index| {
        let columns: Vec<String> = columns.iter().map(|name| names::jinja_text(name)).collect();
        let unique = match uniqueness {
            Uniqueness::Unique => ", 'unique': true",
            Uniqueness::Gated => "",
        };
        format!("{{'columns': [{}]{unique}}}", columns.join(", "))
    };
    let indexes = sql::indexes(plan, relation, spelling);
    indexes.into_iter().map(config).collect()
}

/// What runs before a model that reads bronze, as Jinja expressions.
fn reading_hooks(spelling: &Spelling) -> Vec<String> {
    let install = "{'sql': '{{ assay_install() }}', 'transaction': false}";
    let install = spelling.installs_input_test.then(|| install.to_owned());
    let session = spelling.reading.map(|reading| format!("\"{reading}\""));
    install.into_iter().chain(session).collect()
}

/// The model of an entity whose body is a macro.
fn admitted(entity: &str, is_incremental: bool) -> String {
    let since = if is_incremental {
        ",\n    since=assay_since(this)"
    } else {
        ""
    };
    format!(
        "{{{{ {entity}__admitted(\n    ref('{entity}__judged'),\n    {entity}__bronze(){since}\n) }}}}"
    )
}

fn held(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> Vec<(String, String)> {
    let inputs = plan.coerced.inputs.iter().enumerate();
    inputs
        .map(|(index, input)| {
            let rows = sql::held(
                plan,
                judged,
                index,
                ("{{ reject }}", "{{ stored }}"),
                writer,
            );
            (names::jinja_text(&input.source), rows)
        })
        .collect()
}

/// `'shop__orders': source('bronze', 'shop__orders')`
fn sources(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> Vec<String> {
    let inputs = plan.coerced.inputs.iter();
    inputs
        .map(|input| {
            let reference = writer.names.bronze(&input.source);
            let call = reference.trim_matches(|c| matches!(c, '{' | '}')).trim();
            format!("{}: {call}", names::jinja_text(&input.source))
        })
        .collect()
}

/// An entity that judged keeps the values of reads no bronze.
fn entity_hooks(plan: &EntityPlan<'_>, spelling: &Spelling) -> Vec<String> {
    match &plan.judged {
        Some(_) if spelling.judged_keeps_values => Vec::new(),
        Some(_) | None => reading_hooks(spelling),
    }
}

/// The entity as one row per key.
fn table(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let entity = plan.entity.name.as_str();
    let folder = settings.folder.as_str();
    let is_incremental = plan.entity.incremental().is_some();
    let model = EntityModel {
        marker: marker(&plan.entity.place.file),
        entity,
        silver: &settings.schemas.silver,
        folder,
        indexes: index_configs(plan, Relation::Entity, writer.spelling),
        hooks: entity_hooks(plan, writer.spelling),
        judged: match &plan.judged {
            Some(_) => format!("ref('{entity}__judged')"),
            None => "none".to_owned(),
        },
        key: columns(&plan.entity.key, IN_TEXT),
        replaced: columns(&sql::replaced_keys(plan), IN_TEXT),
        members: if plan.entity.has_unknown_member {
            "1"
        } else {
            "0"
        },
        is_incremental,
        identity: texts(sql::identity(plan)),
        body: match &plan.judged {
            Some(_) => admitted(entity, is_incremental),
            None => sql::entity(plan, writer),
        },
    };
    let path = format!("models/{folder}/silver/{entity}.sql");
    tree.generated(path, file(&model));
}

/// The entity as a history, under its own name.
fn snapshot(
    plan: &EntityPlan<'_>,
    history: &History,
    settings: &Settings,
    writer: &Writer<'_>,
    tree: &mut Tree,
) {
    let entity = plan.entity.name.as_str();
    let folder = settings.folder.as_str();
    let marker = marker(&plan.entity.place.file);
    let close = CloseMacro {
        marker: marker.clone(),
        entity,
        key_values: plan
            .judged
            .as_ref()
            .is_some_and(|judged| judged.has_reject)
            .then(|| indent(&sql::key_values(plan, "held", writer), 2)),
    };
    tree.generated(format!("macros/{folder}/{entity}__close.sql"), file(&close));
    if let Some(judged) = plan.judged.as_ref().filter(|judged| judged.has_reject) {
        let redeliver = entity_redeliver(plan, judged, writer);
        let path = format!("macros/{folder}/{entity}__redeliver.sql");
        tree.generated(path, file(&redeliver));
    }
    let snapshot = Snapshot {
        marker,
        entity,
        silver: &settings.schemas.silver,
        folder,
        key: columns(&plan.entity.key, BARE),
        key_in_text: columns(&plan.entity.key, IN_TEXT),
        hooks: entity_hooks(plan, writer.spelling),
        since: names::jinja_text(&sql::since(plan, history, writer)),
        body: sql::history(plan, history, Ends::Framework, writer),
    };
    tree.generated(format!("snapshots/{folder}/{entity}.sql"), file(&snapshot));
}

fn entity_redeliver<'a>(
    plan: &EntityPlan<'a>,
    judged: &Judged,
    writer: &Writer<'_>,
) -> EntityRedeliver<'a> {
    let redeliveries = sql::redeliveries(plan, judged, writer);
    let redeliveries = redeliveries.iter().map(|redelivery| {
        let columns = redelivery.columns.iter().map(|(column, text)| {
            let parts = [column, text.as_str()].map(names::jinja_text);
            format!("({})", parts.join(", "))
        });
        EntityRedelivery {
            source: names::jinja_text(redelivery.source),
            columns: columns.collect(),
        }
    });
    EntityRedeliver {
        marker: marker(&plan.entity.place.file),
        entity: &plan.entity.name,
        redeliveries: redeliveries.collect(),
    }
}

/// A double quote in Jinja, and in Jinja that stands in a text itself.
const BARE: &str = "\"";
const IN_TEXT: &str = "\\\"";

/// Texts as a Jinja list.
fn texts<N: AsRef<str>>(items: &[N]) -> String {
    let items = items.iter().map(|item| names::jinja_text(item.as_ref()));
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Column names as a Jinja list; field names need no escape, only SQL's quotes.
fn columns(names: &[String], quote: &str) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("'{quote}{name}{quote}'"))
        .collect();
    format!("[{}]", names.join(", "))
}

fn rules(plan: &EntityPlan<'_>, judged: &Judged) -> Vec<String> {
    judged
        .rules
        .iter()
        .map(|rule| {
            let disposition = disposition_name(rule.disposition);
            let mappings: Vec<String> = sql::mappings_of(plan, rule)
                .into_iter()
                .map(names::jinja_text)
                .collect();
            format!(
                "('{}', '{disposition}', [{}])",
                rule.name,
                mappings.join(", ")
            )
        })
        .collect()
}

fn shared_macros(writer: &Writer<'_>, has_ledger: bool) -> String {
    file(&SharedMacros {
        marker: marker("every spec"),
        arrival: sql::arrival_text(writer, INGESTED_AT),
        arrival_of_ledger: sql::arrival_text(writer, INGESTED_AT_TEXT),
        has_ledger,
    })
}

fn project_files(settings: &Settings, spelling: &Spelling, tree: &mut Tree) {
    let name = settings.folder.as_str();
    let project = |marker: Option<String>| {
        file(&ProjectFile {
            marker,
            name,
            installs: spelling.installs_input_test,
        })
    };
    match (settings.host, settings.layout) {
        (Host::Own, Layout::Package | Layout::Inline) => {
            tree.scaffold("dbt_project.yml", project(None));
            let profiles = match settings.dialect {
                Dialect::Duckdb => file(&DuckdbProfiles { name }),
                Dialect::Postgres(_) => file(&PostgresProfiles { name }),
            };
            tree.scaffold("profiles.yml", profiles);
            tree.scaffold("macros/generate_schema_name.sql", file(&GenerateSchemaName));
        }
        (Host::Existing, Layout::Package) => {
            tree.generated("dbt_project.yml", project(Some(marker("every spec"))));
        }
        (Host::Existing, Layout::Inline) => {}
    }
}
