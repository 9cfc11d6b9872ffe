//! A dbt project: a package of its own, or sub-folders of the host's.

mod names;
mod properties;

use askama::Template;

use self::names::DbtNames;
use super::sql::{self, Writer};
use super::{disposition_name, file, marker};
use crate::lower::judged::Judged;
use crate::lower::{EntityPlan, Plan};
use crate::settings::{Dialect, Host, Layout, Settings};
use crate::sql::dialect::{Spelling, spelling};
use crate::sql::print::Style;
use crate::tree::Tree;

pub fn render(plan: &Plan<'_>, settings: &Settings) -> Tree {
    let mut tree = Tree::default();
    let names = DbtNames { settings };
    let writer = Writer {
        spelling: spelling(settings.dialect),
        style: Style::Plain,
        names: &names,
    };
    let folder = &settings.folder;
    for entity in &plan.entities {
        entity_files(entity, settings, &writer, &mut tree);
    }
    if plan.entities.iter().any(|entity| entity.judged.is_some()) {
        tree.generated(format!("macros/{folder}/assay.sql"), shared_macros());
        let mart = MartModel {
            marker: marker("every spec"),
            gold: &settings.schemas.gold,
            folder,
        };
        tree.generated(
            format!("models/{folder}/gold/mart_data_quality.sql"),
            file(&mart),
        );
        let yaml = properties::gold();
        tree.generated(format!("models/{folder}/gold/_mart_data_quality.yml"), yaml);
    }
    if writer.spelling.installs_input_test {
        let install = InstallMacro {
            marker: marker("every spec"),
            statement: sql::input_is_valid(),
        };
        tree.generated(format!("macros/{folder}/assay_install.sql"), file(&install));
    }
    tree.generated(
        format!("models/{folder}/_sources.yml"),
        properties::sources(plan, settings, &sql::arrival(&writer)),
    );
    project_files(settings, writer.spelling, &mut tree);
    tree
}

#[derive(Template)]
#[template(path = "dbt/coerced.sql", config = "templates/askama.toml")]
struct CoercedMacro<'a> {
    marker: String,
    entity: &'a str,
    body: String,
    rules: Option<Vec<String>>,
}

#[derive(Template)]
#[template(path = "dbt/judged.sql", config = "templates/askama.toml")]
struct JudgedModel<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    hooks: Vec<String>,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/entity.sql", config = "templates/askama.toml")]
struct EntityModel<'a> {
    marker: String,
    silver: &'a str,
    folder: &'a str,
    hooks: Vec<String>,
    judged: String,
    key: String,
    replaced: String,
    members: &'static str,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/reject.sql", config = "templates/askama.toml")]
struct RejectModel<'a> {
    marker: String,
    entity: &'a str,
    silver: &'a str,
    folder: &'a str,
    hooks: Vec<String>,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/asserts.sql", config = "templates/askama.toml")]
struct AssertsTest<'a> {
    marker: String,
    folder: &'a str,
    body: String,
}

#[derive(Template)]
#[template(path = "dbt/mart_data_quality.sql", config = "templates/askama.toml")]
struct MartModel<'a> {
    marker: String,
    gold: &'a str,
    folder: &'a str,
}

#[derive(Template)]
#[template(path = "dbt/assay.sql", config = "templates/askama.toml")]
struct SharedMacros {
    marker: String,
    gates: String,
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
    if let Some(judged) = &plan.judged {
        let coerced = CoercedMacro {
            marker: marker.clone(),
            entity,
            body: sql::coerced(&plan.coerced, writer),
            rules: Some(rules(plan, judged)),
        };
        tree.generated(
            format!("macros/{folder}/{entity}__coerced.sql"),
            file(&coerced),
        );
        let body = sql::judged(plan, judged, writer);
        let model = JudgedModel {
            marker: marker.clone(),
            entity,
            silver,
            folder,
            hooks: reading_hooks(writer.spelling),
            body,
        };
        tree.generated(format!("{models}/{entity}__judged.sql"), file(&model));
        if judged.has_reject {
            let body = sql::reject(plan, judged, writer);
            let model = RejectModel {
                marker: marker.clone(),
                entity,
                silver,
                folder,
                hooks: reading_hooks(writer.spelling),
                body,
            };
            tree.generated(format!("{models}/{entity}__reject.sql"), file(&model));
        }
    }
    let model = EntityModel {
        marker: marker.clone(),
        silver,
        folder,
        hooks: match &plan.judged {
            Some(_) if writer.spelling.judged_keeps_values => Vec::new(),
            Some(_) | None => reading_hooks(writer.spelling),
        },
        judged: match &plan.judged {
            Some(_) => format!("ref('{entity}__judged')"),
            None => "none".to_owned(),
        },
        key: columns(&plan.entity.key),
        replaced: columns(&sql::replaced_keys(plan)),
        members: if plan.entity.has_unknown_member {
            "1"
        } else {
            "0"
        },
        body: sql::entity(plan, writer),
    };
    tree.generated(format!("{models}/{entity}.sql"), file(&model));
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

/// What runs before a model that reads bronze, as Jinja expressions.
fn reading_hooks(spelling: &Spelling) -> Vec<String> {
    let install = "{'sql': '{{ assay_install() }}', 'transaction': false}";
    let install = spelling.installs_input_test.then(|| install.to_owned());
    let session = spelling.reading.map(|reading| format!("\"{reading}\""));
    install.into_iter().chain(session).collect()
}

/// Column names as a Jinja list; field names need no escape, only SQL's quotes.
fn columns(names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("'\\\"{name}\\\"'"))
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

fn shared_macros() -> String {
    let gates = sql::gates("{{ judged }}");
    file(&SharedMacros {
        marker: marker("every spec"),
        gates,
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
