//! One mapping: its paths, chains and columns, against the entity it fills.

use std::collections::{BTreeMap, BTreeSet};

use super::chain;
use super::recipe::{self, Recipes};
use super::world::{EntityView, World, mapped_fields};
use crate::diag::code::e02xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Freshness, INGESTED_AT, LOAD_ID, MappedField, Mapping, SOURCE_ROW_ID, Source};
use crate::spec::Spec;
use crate::spec::mapping::{Input, MappedFieldSpec, MappingSpec};
use crate::sql::types::Type;

/// Every mapping fills an entity of the project.
pub(super) fn check_targets(spec: &Spec, world: &World<'_>, found: &mut Bag) {
    for mapping in &spec.mappings {
        if !world.entities.contains_key(mapping.target.as_str()) {
            found.push(
                Diagnostic::error(
                    e02xx::UNKNOWN_ENTITY,
                    mapping.at.key("target"),
                    format!("unknown entity `{}`", mapping.target),
                )
                .label("no entity model declares it")
                .help_nearest(&mapping.target, world.entity_names()),
            );
        }
    }
}

/// Fields whose chain has an error are left out; that has been reported.
pub(super) fn resolve(
    spec: &MappingSpec,
    entity: &EntityView<'_>,
    recipes: &Recipes<'_>,
    has_metadata: bool,
    found: &mut Bag,
) -> Mapping {
    let written = check_fields(spec, entity, found);
    check_key(spec, entity, &written, found);
    let mut fields = Vec::new();
    for field in &entity.spec.fields {
        if let (Some(mapped), Some(ty)) = (written.get(field.name.as_str()), field.ty) {
            fields.extend(mapped_field(mapped, ty, entity, recipes, found));
            fields.extend(recipe::direct(mapped, ty, found));
        }
    }
    for mapped in written.values() {
        if entity.type_of(&mapped.name).is_none()
            && let Some(Input::Path(_)) = &mapped.input
        {
            chain::resolve(mapped, None, found);
        }
    }
    let columns = columns(spec, found);
    if has_metadata {
        check_metadata(spec, entity, found);
    }
    Mapping {
        source: spec.source.clone(),
        place: spec.at.place(),
        fields,
        columns,
        freshness: freshness(spec, entity, found),
    }
}

/// `None` where its chain or its recipe has an error, which has been reported.
fn mapped_field(
    mapped: &MappedFieldSpec,
    ty: Type,
    entity: &EntityView<'_>,
    recipes: &Recipes<'_>,
    found: &mut Bag,
) -> Option<MappedField> {
    let (from, steps) = match mapped.input.as_ref()? {
        Input::Path(path) => (
            Source::Path(path.clone()),
            chain::resolve(mapped, Some(ty), found)?,
        ),
        Input::Recipe(input) => recipe::resolve(mapped, input, ty, entity, recipes, found)?,
    };
    Some(MappedField {
        field: mapped.name.clone(),
        ty,
        from,
        steps,
        place: mapped.at.place(),
    })
}

/// The mapped fields by name; each is declared, and none is mapped twice.
fn check_fields<'s>(
    spec: &'s MappingSpec,
    entity: &EntityView<'_>,
    found: &mut Bag,
) -> BTreeMap<&'s str, &'s MappedFieldSpec> {
    let mut written: BTreeMap<&str, &MappedFieldSpec> = BTreeMap::new();
    for field in mapped_fields(spec) {
        let name = field.name.as_str();
        if !entity.fields.contains_key(name) {
            found.push(
                Diagnostic::error(
                    e02xx::UNKNOWN_FIELD,
                    field.at.at_key(),
                    format!("unknown field `{name}`"),
                )
                .label(format!("not a field of `{}`", entity.name()))
                .help_nearest(name, entity.field_names()),
            );
        }
        match written.get(name) {
            Some(first) => found.push(
                Diagnostic::error(
                    e02xx::FIELD_MAPPED_TWICE,
                    field.at.at_key(),
                    format!("`{name}` is mapped twice"),
                )
                .also(first.at.at_key(), "mapped here first")
                .help("a key field stands under `key:` only"),
            ),
            None => {
                written.insert(name, field);
            }
        }
    }
    for field in entity.spec.fields.iter().filter(|field| field.required) {
        if !written.contains_key(field.name.as_str()) && !entity.is_key(&field.name) {
            found.push(
                Diagnostic::error(
                    e02xx::FIELD_NOT_MAPPED,
                    spec.at.key("fields").at_key(),
                    format!("the required field `{}` is not mapped", field.name),
                )
                .label(format!("`{}` does not fill it", spec.source))
                .also(field.at.at_key(), "declared `required: true` here")
                .help("map it, or drop `required: true`"),
            );
        }
    }
    written
}

fn check_key(
    spec: &MappingSpec,
    entity: &EntityView<'_>,
    written: &BTreeMap<&str, &MappedFieldSpec>,
    found: &mut Bag,
) {
    for key in &entity.spec.key {
        if entity.fields.contains_key(key.value.as_str())
            && !written.contains_key(key.value.as_str())
        {
            found.push(
                Diagnostic::error(
                    e02xx::KEY_NOT_MAPPED,
                    spec.at.key("key").at_key(),
                    format!("the key field `{}` is not mapped", key.value),
                )
                .label(format!("rows of `{}` would have no identity", spec.source))
                .also(key.at.place(), "part of the key here")
                .help("map it under `key:`"),
            );
        }
    }
    for field in &spec.key {
        if entity.fields.contains_key(field.name.as_str()) && !entity.is_key(&field.name) {
            found.push(
                Diagnostic::error(
                    e02xx::NOT_A_KEY,
                    field.at.at_key(),
                    format!("`{}` is not part of the key", field.name),
                )
                .label(format!(
                    "the key of `{}` is {}",
                    entity.name(),
                    key_of(entity)
                ))
                .help("map it under `fields:`"),
            );
        }
    }
}

fn key_of(entity: &EntityView<'_>) -> String {
    let names: Vec<String> = entity
        .spec
        .key
        .iter()
        .map(|key| format!("`{}`", key.value))
        .collect();
    names.join(", ")
}

/// First segments of every path, sorted.
fn columns(spec: &MappingSpec, found: &mut Bag) -> Vec<String> {
    let mut columns: BTreeSet<&str> = BTreeSet::new();
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    let mapped = mapped_fields(spec).flat_map(MappedFieldSpec::paths);
    let unmapped = spec
        .unmapped
        .iter()
        .map(|path| (&path.value, path.at.place()));
    for (path, place) in mapped.chain(unmapped) {
        let column = path.column.as_str();
        columns.insert(column);
        match folded.get(&column.to_lowercase()) {
            Some(other) if *other == column => {}
            Some(other) => found.push(
                Diagnostic::error(
                    e02xx::NAME_COLLISION,
                    place,
                    format!("the columns `{column}` and `{other}` differ only in case"),
                )
                .label("the warehouse would take them for one")
                .help("write the column's name as it is in bronze"),
            ),
            None => {
                folded.insert(column.to_lowercase(), column);
            }
        }
    }
    columns.into_iter().map(str::to_owned).collect()
}

fn check_metadata(spec: &MappingSpec, entity: &EntityView<'_>, found: &mut Bag) {
    let unmapped = spec.unmapped.iter().map(|path| &path.value);
    let mapped = mapped_fields(spec).flat_map(MappedFieldSpec::paths);
    let mapped = mapped.map(|(path, _)| path);
    let listed: BTreeSet<&str> = unmapped
        .chain(mapped)
        .filter(|path| path.inner.is_empty())
        .map(|path| path.column.as_str())
        .collect();
    let missing: Vec<String> = [LOAD_ID, INGESTED_AT, SOURCE_ROW_ID]
        .into_iter()
        .filter(|column| !listed.contains(column))
        .map(|column| format!("`$.{column}`"))
        .collect();
    if missing.is_empty() {
        return;
    }
    found.push(
        Diagnostic::error(
            e02xx::MISSING_METADATA,
            spec.at.key("unmapped").at_key(),
            format!("{} not read from `{}`", missing.join(", "), spec.source),
        )
        .label(format!(
            "`{}` tells deliveries apart by these columns",
            entity.name()
        ))
        .help("list them under `unmapped:`"),
    );
}

fn freshness(spec: &MappingSpec, entity: &EntityView<'_>, found: &mut Bag) -> Option<Freshness> {
    let freshness = spec.freshness.as_ref()?;
    if entity.spec.dedupe.is_none() && entity.spec.quarantine.is_none() {
        found.push(
            Diagnostic::error(
                e02xx::FRESHNESS_WITHOUT_METADATA,
                freshness.at.at_key(),
                "`freshness` on an entity without `dedupe` and `quarantine`",
            )
            .label("it is measured on `_ingested_at`, which only these two make sure of")
            .help(format!(
                "declare `dedupe:` or `quarantine:` on `{}`",
                entity.name()
            )),
        );
    }
    match (freshness.warn_after, freshness.error_after) {
        (Some(warn), Some(error)) if warn.hours() >= error.hours() => found.push(
            Diagnostic::error(
                e02xx::FRESHNESS_ORDER,
                freshness.at.key("warn_after"),
                "the warning comes no sooner than the error".to_owned(),
            )
            .help("make `warn_after` shorter than `error_after`"),
        ),
        (None, None) => found.push(
            Diagnostic::error(
                e02xx::FRESHNESS_ORDER,
                freshness.at.at_key(),
                "`freshness` without a threshold".to_owned(),
            )
            .help("write `warn_after`, `error_after` or both"),
        ),
        (Some(_) | None, Some(_) | None) => {}
    }
    Some(Freshness {
        warn_after: freshness.warn_after,
        error_after: freshness.error_after,
    })
}
