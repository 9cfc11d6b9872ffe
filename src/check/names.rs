//! Names that the warehouse or a file system would take for one, and names that are ours.

use std::collections::BTreeMap;

use super::recipe::direct_name;
use super::world::mapped_fields;
use crate::diag::code::e02xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Scd, VALID_FROM, VALID_TO};
use crate::place::Place;
use crate::settings::Settings;
use crate::spec::Spec;
use crate::spec::entity_model::EntitySpec;
use crate::spec::mapping::MappingSpec;
use crate::sql::dialect::spelling;

/// Relations of every generated project.
pub(super) const OURS: &[&str] = &[
    "mart_data_quality",
    "quality_log",
    "quality_runs",
    "quality_summary",
];

const RESERVED_FIELDS: &[&str] = &[
    "_ingested_at",
    "_load_id",
    "_quality_flags",
    "_quality_ok",
    "_quality_repairs",
    "_source",
    "_source_row_id",
    "has_quality_flags",
    "metric_time",
];
/// The ends of a version, and what a dbt snapshot adds or computes with.
const RESERVED_ON_TYPE_2: &[&str] = &[
    VALID_FROM,
    VALID_TO,
    "dbt_change_type",
    "dbt_scd_id",
    "dbt_updated_at",
];

pub(super) fn check(spec: &Spec, settings: &Settings, found: &mut Bag) {
    let mut relations: BTreeMap<String, (&str, Place)> = BTreeMap::new();
    let mut mappings: BTreeMap<&str, Vec<&MappingSpec>> = BTreeMap::new();
    for mapping in &spec.mappings {
        let of_target = mappings.entry(&mapping.target).or_default();
        of_target.push(mapping);
    }
    for entity in &spec.entities {
        if let Some(longest) = spelling(settings.dialect).identifier_limit {
            check_lengths(entity, longest, found);
        }
        check_entity(entity, &mut relations, found);
        check_fields(entity, found);
        if let Some(own) = mappings.get(entity.name.as_str()) {
            check_direct(entity, own, settings, found);
        }
    }
    check_sources(spec, settings, &relations, found);
}

/// The relations that an entity becomes. None may be another entity's.
pub(super) fn relations_of(entity: &str) -> [String; 4] {
    [
        entity.to_owned(),
        format!("{entity}__coerced"),
        format!("{entity}__judged"),
        format!("{entity}__reject"),
    ]
}

/// In bytes; an engine that cuts longer names would make one of two.
fn check_lengths(entity: &EntitySpec, longest: usize, found: &mut Bag) {
    let relations = relations_of(&entity.name);
    let relations = relations
        .iter()
        .map(|name| (name.as_str(), entity.at.at_key()));
    let columns = entity
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.at.at_key()));
    for (name, place) in relations.chain(columns) {
        if name.len() > longest {
            found.push(too_long(name, place, longest));
        }
    }
}

fn check_entity<'s>(
    entity: &'s EntitySpec,
    relations: &mut BTreeMap<String, (&'s str, Place)>,
    found: &mut Bag,
) {
    let (name, place) = (entity.name.as_str(), entity.at.at_key());
    if OURS.contains(&name.to_lowercase().as_str()) {
        found.push(
            Diagnostic::error(
                e02xx::RESERVED_NAME,
                place,
                format!("`{name}` is a reserved name"),
            )
            .label("every generated project has a relation of this name")
            .help("rename the entity"),
        );
        return;
    }
    for relation in relations_of(name) {
        match relations.get(&relation.to_lowercase()) {
            // One name twice is found when the documents are read.
            Some((other, _)) if *other == name => {}
            Some((other, first)) => found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    place.clone(),
                    format!("`{name}` and `{other}` both need the relation `{relation}`"),
                )
                .label("the warehouse would take them for one")
                .also(first.clone(), format!("`{other}` is declared here"))
                .help("rename one of them"),
            ),
            None => {
                relations.insert(relation.to_lowercase(), (name, place.clone()));
            }
        }
    }
}

fn check_fields(entity: &EntitySpec, found: &mut Bag) {
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    for field in &entity.fields {
        let name = field.name.as_str();
        let on_type_2 = match entity.scd {
            Scd::Type2 => RESERVED_ON_TYPE_2.contains(&name),
            Scd::Type1 => false,
        };
        if RESERVED_FIELDS.contains(&name) || on_type_2 {
            found.push(
                Diagnostic::error(
                    e02xx::RESERVED_NAME,
                    field.at.at_key(),
                    format!("`{name}` is a reserved name"),
                )
                .label("generated relations have a column of this name")
                .help("rename the field; it can be mapped from any path"),
            );
        }
        match folded.get(&name.to_lowercase()) {
            Some(other) if *other == name => {}
            Some(other) => found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    field.at.at_key(),
                    format!("`{name}` and `{other}` differ only in case"),
                )
                .label("the warehouse would take them for one")
                .help("rename one of them"),
            ),
            None => {
                folded.insert(name.to_lowercase(), name);
            }
        }
    }
}

/// The column beside a recipe's has a name that nobody chose.
fn check_direct(
    entity: &EntitySpec,
    mappings: &[&MappingSpec],
    settings: &Settings,
    found: &mut Bag,
) {
    let longest = spelling(settings.dialect).identifier_limit;
    let mapped = mappings
        .iter()
        .flat_map(|mapping| mapped_fields(mapping))
        .filter(|mapped| mapped.direct().is_some());
    for mapped in mapped {
        let (name, place) = (direct_name(&mapped.name), mapped.at.key("direct").at_key());
        let mut fields = entity.fields.iter();
        if let Some(taken) = fields.find(|field| field.name.eq_ignore_ascii_case(&name)) {
            found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    place,
                    format!("`direct` needs the column `{name}`, which is a field"),
                )
                .label("the warehouse would take them for one")
                .also(taken.at.at_key(), "declared here")
                .help("rename the field"),
            );
        } else if longest.is_some_and(|longest| name.len() > longest) {
            found.push(too_long(&name, place, longest.unwrap_or_default()));
        }
    }
}

pub(super) fn too_long(name: &str, place: Place, longest: usize) -> Diagnostic {
    Diagnostic::error(
        e02xx::NAME_TOO_LONG,
        place,
        format!("`{name}` has {} bytes", name.len()),
    )
    .label(format!("the engine keeps {longest}"))
    .help("shorten the name")
}

fn check_sources(
    spec: &Spec,
    settings: &Settings,
    relations: &BTreeMap<String, (&str, Place)>,
    found: &mut Bag,
) {
    let one_schema = settings
        .schemas
        .bronze
        .eq_ignore_ascii_case(&settings.schemas.silver);
    let mut folded: BTreeMap<String, (&str, Place)> = BTreeMap::new();
    let mut mappings: Vec<_> = spec.mappings.iter().collect();
    mappings.sort_by(|a, b| (&a.source, a.at.file()).cmp(&(&b.source, b.at.file())));
    for mapping in mappings {
        let (source, place) = (mapping.source.as_str(), mapping.at.key("source"));
        if one_schema && let Some((entity, declared)) = relations.get(&source.to_lowercase()) {
            found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    place.clone(),
                    format!("the source `{source}` and a relation of `{entity}` have one name"),
                )
                .label("bronze and silver are one schema here")
                .also(declared.clone(), "the entity is declared here")
                .help("rename the entity, or give silver a schema of its own"),
            );
        }
        match folded.get(&source.to_lowercase()) {
            Some((other, _)) if *other == source => {}
            Some((other, first)) => found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    place,
                    format!("the sources `{source}` and `{other}` differ only in case"),
                )
                .label("the warehouse would take them for one")
                .also(first.clone(), format!("`{other}` is read here"))
                .help("write the relation's name as it is in bronze, in both mappings"),
            ),
            None => {
                folded.insert(source.to_lowercase(), (source, place));
            }
        }
    }
}
