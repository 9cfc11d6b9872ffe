//! A SQLMesh project, or our folders in the host's. The text is a fixed point of `sqlmesh format`.

mod calendar;
mod checks;
mod names;
mod properties;
mod replay;
mod runs;

use askama::Template;

use self::names::{SqlmeshNames, text};
use self::replay::Replayable;
use super::sql::{
    self, Ends, InOrder, Index, REJECT_COLUMNS, Relation, Uniqueness, Writer, relation_name,
};
use super::{disposition_name, file, marker};
use crate::ir::{Entity, Project};
use crate::lower::judged::Judged;
use crate::lower::{EntityPlan, Plan};
use crate::settings::{Dialect, Host, Settings};
use crate::sql::dialect::spelling;
use crate::sql::print::{Style, indent};
use crate::tree::Tree;

pub fn render(plan: &Plan<'_>, settings: &Settings, take: &mut dyn FnMut(Tree)) {
    let mut tree = Tree::default();
    let names = SqlmeshNames { settings };
    let writer = Writer {
        spelling: spelling(settings.dialect),
        style: Style::Sqlglot,
        names: &names,
    };
    let folder = &settings.folder;
    let entities = &plan.project.entities;
    let mut replayed = Vec::with_capacity(entities.len());
    for plan in plan.entities() {
        let mut files = Tree::default();
        entity_files(&plan, settings, &writer, &mut files);
        take(files);
        replayed.push(InOrder::new(&plan, replay::entity(&plan, &writer)));
    }
    let dialect = writer.spelling.name;
    let every = marker("every spec");
    let has_freshness = entities
        .iter()
        .flat_map(|entity| &entity.mappings)
        .any(|mapping| mapping.freshness.is_some());
    let audits = Audits {
        marker: every.clone(),
        dialect,
        has_freshness,
        arrival: indent(&sql::arrival(&writer), 6),
        hour: sql::hour(&writer),
    };
    tree.generated(
        format!("audits/{folder}/assay.sql"),
        sql_file(&audits, settings),
    );
    checks::files(plan, settings, &writer, &mut tree);
    calendar::files(plan, settings, &writer, &mut tree);
    runs::files(plan, settings, &writer, &mut tree);
    if writer.spelling.installs_input_test {
        let install = Install {
            marker: marker("every spec"),
            statement: sql::input_is_valid(),
        };
        tree.generated(format!("macros/{folder}/assay_install.py"), file(&install));
    }
    tree.generated(
        format!("macros/{folder}/__init__.py"),
        format!("# {}\n", marker("every spec")),
    );
    scripts(plan.project, replayed, settings, &writer, &mut tree);
    tree.generated(
        format!("external_models/{folder}.yaml"),
        properties::external(plan.project, settings),
    );
    match settings.host {
        Host::Own => {
            let config = match settings.dialect {
                Dialect::Duckdb => file(&DuckdbConfig),
                Dialect::Postgres(_) => file(&PostgresConfig {
                    installs: writer.spelling.installs_input_test,
                }),
            };
            tree.scaffold("config.yaml", config);
        }
        Host::Existing => {}
    }
    take(tree);
}

/// What is called by hand, or on a schedule of its own.
fn scripts(
    project: &Project,
    replayed: Vec<InOrder<Replayable>>,
    settings: &Settings,
    writer: &Writer<'_>,
    tree: &mut Tree,
) {
    let folder = settings.folder.as_str();
    let marker = marker("every spec");
    let retentions = sql::retentions(project);
    if retentions.is_empty() {
        return;
    }
    let environment = EnvironmentModule {
        marker: marker.clone(),
        dialect: writer.spelling.name,
        has_transactions: writer.spelling.sqlmesh_has_transactions,
        silver: &settings.schemas.silver,
        gold: &settings.schemas.gold,
    };
    tree.generated(
        format!("scripts/{folder}/environment.py"),
        file(&environment),
    );
    let retention = RetentionScript {
        marker: marker.clone(),
        folder,
        gold: &settings.schemas.gold,
        entities: retentions
            .into_iter()
            .map(|(entity, hours)| (replay::text(entity), hours))
            .collect(),
    };
    tree.generated(format!("scripts/{folder}/retention.py"), file(&retention));
    let replayed = sql::parents_first(replayed);
    if !replayed.is_empty() {
        let replay = replay::script(replayed, settings, writer);
        tree.generated(format!("scripts/{folder}/replay.py"), file(&replay));
    }
}

/// A model or an audit. `sqlmesh format` ends a file without a line break unless the project asks
/// for one, as the project that we scaffold does.
fn sql_file(template: &impl Template, settings: &Settings) -> String {
    let mut text = file(template);
    match settings.host {
        Host::Own => {}
        Host::Existing => text.truncate(text.trim_end().len()),
    }
    text
}

#[derive(Template)]
#[template(path = "sqlmesh/model.sql", config = "templates/askama.toml")]
struct Model {
    marker: String,
    properties: Vec<String>,
    before: Option<String>,
    body: String,
    after: Option<String>,
}

#[derive(Template)]
#[template(path = "sqlmesh/audits.sql", config = "templates/askama.toml")]
struct Audits<'a> {
    marker: String,
    dialect: &'a str,
    has_freshness: bool,
    arrival: String,
    hour: String,
}

#[derive(Template)]
#[template(path = "sqlmesh/entity_audit.sql", config = "templates/askama.toml")]
struct EntityAudit<'a> {
    marker: String,
    name: String,
    dialect: &'a str,
    blocking: &'static str,
    body: String,
}

#[derive(Template)]
#[template(path = "sqlmesh/environment.py", config = "templates/askama.toml")]
struct EnvironmentModule<'a> {
    marker: String,
    dialect: &'a str,
    has_transactions: bool,
    silver: &'a str,
    gold: &'a str,
}

#[derive(Template)]
#[template(path = "sqlmesh/retention.py", config = "templates/askama.toml")]
struct RetentionScript<'a> {
    marker: String,
    folder: &'a str,
    gold: &'a str,
    entities: Vec<(String, u32)>,
}

#[derive(Template)]
#[template(path = "sqlmesh/config/duckdb.yaml", config = "templates/askama.toml")]
struct DuckdbConfig;

#[derive(Template)]
#[template(
    path = "sqlmesh/config/postgres.yaml",
    config = "templates/askama.toml"
)]
struct PostgresConfig {
    installs: bool,
}

#[derive(Template)]
#[template(path = "sqlmesh/install.py", config = "templates/askama.toml")]
struct Install {
    marker: String,
    statement: String,
}

fn entity_files(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>, tree: &mut Tree) {
    let entity = plan.entity.name.as_str();
    let folder = settings.folder.as_str();
    let dialect = &dialect_of(plan.entity, writer.spelling.name);
    let marker = marker(&plan.entity.place.file);
    let path = |name: &str| format!("models/{folder}/silver/{name}.sql");
    let of_judged = [Relation::Judged, Relation::Reject].map(|each| relation_name(entity, each));
    let entity_reads = plan.judged.is_none() || !writer.spelling.judged_keeps_values;
    let reads_bronze =
        |name: &str| of_judged.iter().any(|each| each == name) || (entity_reads && name == entity);
    let install = writer
        .spelling
        .installs_input_test
        .then_some("@assay_install()");
    let reading: Vec<&str> = install.into_iter().chain(writer.spelling.reading).collect();
    let puts_aside = |name: &str| {
        name == relation_name(entity, Relation::Reject) && !writer.spelling.sqlmesh_has_transactions
    };
    let mut model = |name: &str, properties: Vec<String>, body: String, after: Option<String>| {
        let mut before = Vec::new();
        if reads_bronze(name) {
            before.extend(&reading);
        }
        if puts_aside(name) {
            before.push("@assay_put_aside()");
        }
        let model = Model {
            marker: marker.clone(),
            properties,
            before: (!before.is_empty()).then(|| before.join(";\n\n")),
            body,
            after,
        };
        tree.generated(path(name), sql_file(&model, settings));
    };
    let is_incremental = plan.entity.incremental().is_some();
    if let Some(judged) = &plan.judged {
        if !is_incremental {
            let coerced = format!("{entity}__coerced");
            let properties = properties::coerced(&names::silver(settings, &coerced), dialect);
            model(&coerced, properties, sql::coerced(plan, writer), None);
        }

        let name = relation_name(entity, Relation::Judged);
        let properties = properties::judged(
            plan,
            judged,
            &names::silver(settings, &name),
            writer.spelling,
            dialect,
        );
        let mut measure = measure(plan, judged, writer);
        if is_incremental {
            measure = format!("@assay_forget();\n\n{measure}");
        }
        measure = format!("{measure};\n\n{}", runs::ask(plan, judged, writer));
        model(
            &name,
            properties,
            sql::judged(plan, judged, writer),
            post_statements(Some(measure), plan, Relation::Judged, writer),
        );

        if judged.has_reject {
            let name = relation_name(entity, Relation::Reject);
            let judged_name = names::silver(settings, &relation_name(entity, Relation::Judged));
            let properties = properties::reject(
                &names::silver(settings, &name),
                &REJECT_COLUMNS,
                writer.spelling,
                dialect,
            );
            let mut carry = format!("@assay_carry({judged_name})");
            if is_incremental {
                carry = format!("{carry};\n\n@assay_take_over('{entity}', {judged_name})");
            }
            if puts_aside(&name) {
                carry = format!("{carry};\n\n@assay_is_written()");
            }
            let ask = runs::ask_kept(plan, &judged_name);
            carry = format!("{carry};\n\n{ask}");
            if let Some(retain) = runs::retain(plan) {
                carry = format!("{carry};\n\n{retain}");
            }
            model(
                &name,
                properties,
                sql::reject(plan, judged, writer),
                post_statements(Some(carry), plan, Relation::Reject, writer),
            );
        }
    }
    let properties = properties::entity(plan, settings, writer.spelling, dialect);
    let (body, after) = match &plan.history {
        Some(history) => {
            let body = sql::history(plan, history, Ends::Query, writer);
            let close = close(plan, settings, writer);
            let ask = runs::ask_history(plan, settings, writer);
            (body, Some(format!("{close};\n\n{ask}")))
        }
        None => {
            let take_over = is_incremental.then(|| {
                let judged = names::silver(settings, &relation_name(entity, Relation::Judged));
                let identity = sql::identity(plan).join(", ");
                format!("@assay_take_over('{entity}', {judged}, ({identity}))")
            });
            let ask = runs::ask_published(plan, settings, writer);
            let own: Vec<String> = take_over.into_iter().chain([ask]).collect();
            let own = Some(own.join(";\n\n"));
            (
                sql::entity(plan, writer),
                post_statements(own, plan, Relation::Entity, writer),
            )
        }
    };
    model(entity, properties, body, after);
    if !plan.entity.asserts.is_empty() {
        let audit = EntityAudit {
            marker: marker.clone(),
            name: format!("{entity}__asserts"),
            dialect,
            blocking: "FALSE",
            body: sql::asserts(plan, writer),
        };
        tree.generated(
            format!("audits/{folder}/{entity}__asserts.sql"),
            sql_file(&audit, settings),
        );
    }
}

/// The post-statements of a relation: what it has of its own, and its indexes.
fn post_statements(
    own: Option<String>,
    plan: &EntityPlan<'_>,
    relation: Relation,
    writer: &Writer<'_>,
) -> Option<String> {
    let index = |Index {
                     columns,
                     uniqueness,
                 }: Index| {
        let keyword = match uniqueness {
            Uniqueness::Unique => "UNIQUE",
            Uniqueness::Gated => "",
        };
        let mut arguments = vec![text(keyword)];
        arguments.extend(columns.iter().map(|name| text(name)));
        names::bracketed("@assay_index(", &arguments, ")")
    };
    let indexes = sql::indexes(plan, relation, writer.spelling);
    let statements: Vec<String> = own
        .into_iter()
        .chain(indexes.into_iter().map(index))
        .collect();
    (!statements.is_empty()).then(|| statements.join(";\n\n"))
}

/// SQLMesh lowers every name it reads, quoted ones too. An engine that folds only ASCII then looks for
/// `ärzte` where bronze has `Ärzte`, so an entity that reads such a column keeps its names as written.
fn dialect_of(entity: &Entity, name: &str) -> String {
    let is_folded = |c: char| !c.is_ascii() && !c.to_lowercase().eq(std::iter::once(c));
    let reads_folded = entity
        .mappings
        .iter()
        .flat_map(|mapping| &mapping.columns)
        .any(|column| column.chars().any(is_folded));
    if reads_folded {
        format!("'{name},normalization_strategy=case_sensitive'")
    } else {
        name.to_owned()
    }
}

/// `@assay_measure('order_line', [('price_range', 'flag', ['shop__lines']), …])`
fn measure(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
    let list = format!("{}[", writer.spelling.list_keyword);
    let rules: Vec<String> = judged
        .rules
        .iter()
        .map(|rule| {
            let disposition = disposition_name(rule.disposition);
            let mappings: Vec<String> =
                sql::mappings_of(plan, rule).into_iter().map(text).collect();
            let parts = [
                text(&rule.name),
                text(disposition),
                names::bracketed(&list, &mappings, "]"),
            ];
            names::bracketed("(", &parts, ")")
        })
        .collect();
    let mut arguments = vec![
        text(&plan.entity.name),
        names::bracketed(&list, &rules, "]"),
    ];
    if plan.entity.incremental().is_some() {
        arguments.push("TRUE".to_owned());
    }
    names::bracketed("@assay_measure(", &arguments, ")")
}

/// `@assay_close(("id"), silver."parcel__judged", JSON_OBJECT('id', held."id"::TEXT))`
fn close(plan: &EntityPlan<'_>, settings: &Settings, writer: &Writer<'_>) -> String {
    let key: Vec<String> = plan.entity.key.iter().map(|key| text(key)).collect();
    let list = format!("{}[", writer.spelling.list_keyword);
    let mut arguments = vec![names::bracketed(&list, &key, "]")];
    if plan.judged.as_ref().is_some_and(|judged| judged.has_reject) {
        let judged = relation_name(&plan.entity.name, Relation::Judged);
        arguments.push(names::silver(settings, &judged));
        arguments.push(sql::key_values(plan, "held", writer));
    }
    names::bracketed("@assay_close(", &arguments, ")")
}
