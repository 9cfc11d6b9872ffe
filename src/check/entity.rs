//! One entity with everything that belongs to it.

use std::collections::BTreeMap;

use super::world::{EntityView, World, mapped_fields};
use super::{asserts, dedupe, history, mapping, materialization, quarantine, rails, recipe, rules};
use crate::diag::code::e02xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Entity, Field, Mapping, Quality};
use crate::sql::types::Type;

/// `None` where so much is missing that nothing can be said.
pub(super) fn resolve(view: &EntityView<'_>, world: &World<'_>, found: &mut Bag) -> Option<Entity> {
    let spec = view.spec;
    check_key(view, found);
    if view.mappings.is_empty() {
        found.push(
            Diagnostic::error(
                e02xx::ENTITY_WITHOUT_MAPPING,
                spec.at.at_key(),
                format!("no mapping fills `{}`", spec.name),
            )
            .label("it would be a relation without columns")
            .help(format!("write a mapping with `target: {}`", spec.name)),
        );
        return None;
    }
    check_sources(view, found);
    let in_quality = is_in_quality(view);
    let has_metadata = in_quality || spec.dedupe.is_some();
    let mappings: Vec<Mapping> = view
        .mappings
        .iter()
        .map(|mapping| mapping::resolve(mapping, view, &world.recipes, has_metadata, found))
        .collect();
    if !in_quality {
        recipe::refuse_direct(view, found);
    }
    let dedupe = dedupe::resolve(view, found);
    let materialization = materialization::resolve(view, has_metadata, found);
    let quality = in_quality.then(|| {
        let rules = rules::resolve(view, &mappings, dedupe.as_ref(), world, found);
        let quarantine = quarantine::resolve(view, &rules, found);
        Quality { rules, quarantine }
    });
    history::check(view, quality.as_ref(), &materialization, found);
    Some(Entity {
        name: spec.name.clone(),
        place: spec.at.at_key(),
        grain: spec.grain.clone(),
        description: spec.description.clone(),
        owner: spec.owner.clone(),
        tier: spec.tier,
        grants: sorted_grants(&spec.grants),
        fields: fields(view),
        key: spec.key.iter().map(|key| key.value.clone()).collect(),
        mappings,
        scd: spec.scd,
        dedupe,
        materialization,
        quality,
        rails: rails::resolve(view, has_metadata, found),
        asserts: asserts::resolve(view, found),
        has_unknown_member: false,
    })
}

/// Declaring any rule, or where refused rows go, puts an entity into the quality system.
fn is_in_quality(view: &EntityView<'_>) -> bool {
    let mut fields = view
        .mappings
        .iter()
        .flat_map(|mapping| mapped_fields(mapping));
    view.spec.quality.is_some()
        || view.spec.quarantine.is_some()
        || fields.any(|field| field.quality.is_some())
}

fn check_key(view: &EntityView<'_>, found: &mut Bag) {
    for key in &view.spec.key {
        let Some(field) = view.fields.get(key.value.as_str()) else {
            found.push(
                Diagnostic::error(
                    e02xx::UNKNOWN_FIELD,
                    key.at.place(),
                    format!("unknown field `{}`", key.value),
                )
                .label(format!("not a field of `{}`", view.name()))
                .help_nearest(&key.value, view.field_names()),
            );
            continue;
        };
        if field.ty == Some(Type::Variant) {
            found.push(
                Diagnostic::error(
                    e02xx::KEY_TYPE,
                    key.at.place(),
                    format!("the key field `{}` is a `variant`", key.value),
                )
                .label("two spellings of one JSON value are not equal")
                .help("map the part of it that identifies a row"),
            );
        }
    }
}

fn check_sources(view: &EntityView<'_>, found: &mut Bag) {
    for pair in view.mappings.windows(2) {
        let [first, second] = pair else { continue };
        if first.source == second.source {
            found.push(
                Diagnostic::error(
                    e02xx::SOURCE_MAPPED_TWICE,
                    second.at.key("source"),
                    format!("`{}` fills `{}` twice", second.source, view.name()),
                )
                .label("every row would be delivered twice")
                .also(first.at.key("source"), "read here first")
                .help("make one mapping of the two"),
            );
        }
    }
}

fn fields(view: &EntityView<'_>) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in &view.spec.fields {
        if let Some(ty) = view.columns.get(field.name.as_str()) {
            fields.push(Field {
                name: field.name.clone(),
                place: field.at.at_key(),
                ty: *ty,
                description: field.description.clone(),
                classification: field.classification,
                renamed_from: field.renamed_from.clone(),
            });
            fields.extend(view.direct(&field.name).map(|place| {
                let renamed_from = field.renamed_from.as_deref();
                Field {
                    name: recipe::direct_name(&field.name),
                    place: place.at_key(),
                    ty: *ty,
                    description: None,
                    classification: field.classification,
                    renamed_from: renamed_from.map(recipe::direct_name),
                }
            }));
        }
    }
    fields
}

fn sorted_grants(grants: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let mut sorted = grants.clone();
    for roles in sorted.values_mut() {
        roles.sort();
        roles.dedup();
    }
    sorted
}
