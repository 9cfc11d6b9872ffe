//! The MODEL blocks and the external models.

use super::names::{in_parentheses, plain_text as text, silver};
use crate::ir::{Duration, Field, Freshness, Mapping, Project, VALID_FROM};
use crate::lower::EntityPlan;
use crate::lower::judged::Judged;
use crate::render::doc::{classification_name, quoted, scalar};
use crate::render::marker;
use crate::render::sql::{DELIVERY, RejectType, history_columns, identity, ledger_columns};
use crate::settings::Settings;
use crate::sql::dialect::Spelling;
use crate::sql::print::{indent, name};

/// SQLMesh's optimizer reorders conditions and folds constants; our text is meant as it stands.
pub const AS_IT_STANDS: &str = "optimize_query FALSE";

pub fn described(what: &str) -> String {
    format!("description {}", text(what))
}

pub fn coerced(name: &str, dialect: &str) -> Vec<String> {
    vec![
        format!("name {name}"),
        "kind EMBEDDED".to_owned(),
        format!("dialect {dialect}"),
        AS_IT_STANDS.to_owned(),
    ]
}

pub fn judged(
    plan: &EntityPlan<'_>,
    judged: &Judged,
    name: &str,
    spelling: &Spelling,
    dialect: &str,
) -> Vec<String> {
    let is_ledger = plan.entity.incremental().is_some();
    let (kind, told) = if is_ledger {
        (
            by_unique_key(&DELIVERY),
            "One row per delivery, where it goes and which rules it violates.",
        )
    } else {
        (
            "kind FULL".to_owned(),
            "One row per delivery of the run, where it goes and which rules it violates.",
        )
    };
    let mut properties = vec![
        format!("name {name}"),
        kind,
        format!("dialect {dialect}"),
        format!("description {}", text(told)),
    ];
    if is_ledger {
        // A model that reads itself has to say what it is.
        properties.push(columns(&ledger_columns(plan, judged), spelling));
    }
    properties.push(audits_of(&[GATES]));
    properties.push(AS_IT_STANDS.to_owned());
    properties
}

/// The audit that reads what the gates of a relation have said.
const GATES: &str = "assay_gates";

fn audits_of(audits: &[&str]) -> String {
    let audits: Vec<String> = audits.iter().map(|&name| name.to_owned()).collect();
    format!("audits {}", indent(&in_parentheses(&audits), 2))
}

fn by_unique_key(columns: &[&str]) -> String {
    let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let key = in_parentheses(&columns);
    format!("kind INCREMENTAL_BY_UNIQUE_KEY (\n    unique_key {key}\n  )")
}

fn columns<N: AsRef<str>>(columns: &[(N, RejectType)], spelling: &Spelling) -> String {
    let columns: Vec<String> = columns
        .iter()
        .map(|(column, ty)| {
            format!(
                "{} {}",
                name(&[column.as_ref().to_owned()]),
                ty.name(spelling)
            )
        })
        .collect();
    format!("columns (\n    {}\n  )", columns.join(",\n    "))
}

pub fn entity(
    plan: &EntityPlan<'_>,
    settings: &Settings,
    spelling: &Spelling,
    dialect: &str,
) -> Vec<String> {
    let entity = plan.entity;
    let key: Vec<String> = entity.key.iter().map(|key| format!("\"{key}\"")).collect();
    let description = entity.description.as_deref().unwrap_or(&entity.grain);
    let mut properties = vec![
        format!("name {}", silver(settings, &entity.name)),
        kind(plan),
        format!("dialect {dialect}"),
    ];
    if let Some(owner) = &entity.owner {
        properties.push(format!("owner {}", text(owner)));
    }
    let tags = tags(plan);
    if !tags.is_empty() {
        properties.push(format!("tags {}", indent(&in_parentheses(&tags), 2)));
    }
    properties.push(format!("description {}", text(description)));
    let described: Vec<String> = entity.fields.iter().filter_map(description_of).collect();
    if !described.is_empty() {
        let list = in_parentheses(&described);
        properties.push(format!("column_descriptions {}", indent(&list, 2)));
    }
    let mut grain = key.clone();
    if plan.history.is_some() {
        grain.push(VALID_FROM.to_owned());
    }
    properties.push(match grain.as_slice() {
        [only] => format!("grain {only}"),
        _ => format!("grain ({})", grain.join(", ")),
    });
    if plan.history.is_some() {
        // The query reads the table that it fills.
        properties.push(columns(&history_columns(plan), spelling));
    }
    let asserts = format!("{}__asserts", entity.name);
    let audits = if entity.asserts.is_empty() {
        audits_of(&[GATES])
    } else {
        audits_of(&[GATES, &asserts])
    };
    properties.push(audits);
    properties.push(AS_IT_STANDS.to_owned());
    properties
}

/// A history is not SQLMesh's own kind of it: both of those write the new value into the old version
/// where that had NULL.
fn kind(plan: &EntityPlan<'_>) -> String {
    if plan.entity.incremental().is_some() {
        return by_unique_key(identity(plan));
    }
    if plan.history.is_none() {
        return "kind FULL".to_owned();
    }
    let key: Vec<String> = plan
        .entity
        .key
        .iter()
        .map(|key| format!("\"{key}\""))
        .chain([VALID_FROM.to_owned()])
        .collect();
    format!(
        "kind INCREMENTAL_BY_UNIQUE_KEY (\n    unique_key ({}),\n    forward_only TRUE,\n    \
         disable_restatement TRUE\n  )",
        key.join(", ")
    )
}

/// What SQLMesh has no property for, or the engine no means: tier, grants, classifications.
fn tags(plan: &EntityPlan<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    tags.extend(plan.entity.tier.map(|tier| format!("tier:{tier}")));
    for (privilege, roles) in &plan.entity.grants {
        tags.extend(roles.iter().map(|role| format!("grant:{privilege}:{role}")));
    }
    for field in &plan.entity.fields {
        let word = field.classification.map(classification_name);
        tags.extend(word.map(|word| format!("{word}:{}", field.name)));
    }
    tags.iter().map(|tag| text(tag)).collect()
}

fn description_of(field: &Field) -> Option<String> {
    let description = field.description.as_ref()?;
    Some(format!("\"{}\" = {}", field.name, text(description)))
}

pub fn reject(
    name: &str,
    columns_of: &[(&str, RejectType)],
    spelling: &Spelling,
    dialect: &str,
) -> Vec<String> {
    vec![
        format!("name {name}"),
        "kind INCREMENTAL_BY_UNIQUE_KEY (\n    unique_key reject_id,\n    \
         disable_restatement TRUE\n  )"
            .to_owned(),
        format!("dialect {dialect}"),
        format!(
            "description {}",
            text("Quarantined source rows with their reasons, until they come back.")
        ),
        "grain reject_id".to_owned(),
        columns(columns_of, spelling),
        audits_of(&[GATES]),
        AS_IT_STANDS.to_owned(),
    ]
}

/// A view of gold.
pub fn view(name: &str, told: &str, settings: &Settings, dialect: &str) -> Vec<String> {
    vec![
        format!("name {}.{name}", settings.schemas.gold),
        "kind VIEW".to_owned(),
        format!("dialect {dialect}"),
        described(told),
        AS_IT_STANDS.to_owned(),
    ]
}

pub fn external(project: &Project, settings: &Settings) -> String {
    let entities = project.entities.iter();
    let mut mappings: Vec<&Mapping> = entities.flat_map(|entity| &entity.mappings).collect();
    mappings.sort_by(|left, right| left.source.cmp(&right.source));
    let mut out = format!("# {}\n", marker("every mapping"));
    let mut index = 0;
    while index < mappings.len() {
        let source = &mappings[index].source;
        let mut columns: Vec<&String> = Vec::new();
        let mut freshness: Option<&Freshness> = None;
        while index < mappings.len() && &mappings[index].source == source {
            columns.extend(&mappings[index].columns);
            freshness = freshness.or(mappings[index].freshness.as_ref());
            index += 1;
        }
        columns.sort();
        columns.dedup();
        let name = format!(
            "{}.\"{}\"",
            settings.schemas.bronze,
            source.replace('"', "\"\"")
        );
        out.push_str(&format!("- name: {}\n  columns:\n", quoted(&name)));
        for column in columns {
            out.push_str(&format!("    {}: unknown\n", scalar(&key(column))));
        }
        if let Some(freshness) = freshness {
            audits(freshness, &mut out);
        }
    }
    out
}

/// SQLMesh reads the name of a column as SQL, so one that is not plain is quoted.
fn key(column: &str) -> String {
    let is_plain = column.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && column
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if is_plain {
        column.to_owned()
    } else {
        name(&[column.to_owned()])
    }
}

/// Argument values of an external model's audit have to be quoted texts.
fn audits(freshness: &Freshness, out: &mut String) {
    let Freshness {
        warn_after,
        error_after,
    } = freshness;
    out.push_str("  audits:\n");
    let both = [
        ("assay_freshness_warn", warn_after),
        ("assay_freshness_error", error_after),
    ];
    for (name, after) in both {
        let Some(hours) = after.map(Duration::hours) else {
            continue;
        };
        out.push_str(&format!("    - name: {name}\n      hours: '{hours}'\n"));
    }
}
