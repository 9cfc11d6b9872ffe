//! Checks of finished relations: `reconcile` and `coverage`. They read entities and nothing reads
//! them, so no order has to be settled.

mod coverage;
mod reconcile;
mod side;

use crate::check::rules::no_drop_no_repair;
use crate::check::world::{EntityView, World};
use crate::diag::code::{e02xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Check, Entity, OnFail};
use crate::place::{Place, Trail};
use crate::settings::Settings;
use crate::spec::Spec;
use crate::sql::dialect::spelling;
use crate::sql::types::Type;

/// Sorted by name.
pub(super) fn resolve(
    spec: &Spec,
    world: &World<'_>,
    entities: &[Entity],
    settings: &Settings,
    found: &mut Bag,
) -> Vec<Check> {
    let reconcile = spec.reconcile.iter();
    let mut checks: Vec<Check> = reconcile
        .filter_map(|check| reconcile::resolve(check, world, found))
        .collect();
    let coverage = spec.coverage.iter();
    checks.extend(coverage.filter_map(|check| coverage::resolve(check, world, found)));
    checks.sort_by(|a, b| a.name.cmp(&b.name));
    for check in &checks {
        check_name(check, world, entities, found);
        check_length(check, settings, found);
    }
    checks
}

/// `None`: not a word for it, which has been reported.
fn on_fail(word: &str, at: &Trail, found: &mut Bag) -> Option<OnFail> {
    let place = at.key("on_fail");
    let refused = match word {
        "flag" => return Some(OnFail::Flag),
        "fail" => return Some(OnFail::Fail),
        "drop" | "repair" => no_drop_no_repair(word, place),
        "quarantine" => Diagnostic::error(
            e04xx::UNKNOWN_DISPOSITION,
            place,
            "a check of whole relations cannot quarantine".to_owned(),
        )
        .label("it finds groups that do not agree, and no row to divert")
        .help("write one of `flag`, `fail`"),
        other => Diagnostic::error(
            e04xx::UNKNOWN_DISPOSITION,
            place,
            format!("unknown disposition `{other}`"),
        )
        .help("write one of `flag`, `fail`"),
    };
    found.push(refused);
    None
}

fn entity<'w, 's>(
    name: &str,
    place: &Place,
    world: &'w World<'s>,
    found: &mut Bag,
) -> Option<&'w EntityView<'s>> {
    let entity = world.entities.get(name);
    if entity.is_none() {
        found.push(
            Diagnostic::error(
                e02xx::UNKNOWN_ENTITY,
                place.clone(),
                format!("unknown entity `{name}`"),
            )
            .label("no entity model declares it")
            .help_nearest(name, world.entity_names()),
        );
    }
    entity
}

/// The type of a column that some mapping fills.
fn column(entity: &EntityView<'_>, name: &str, place: &Place, found: &mut Bag) -> Option<Type> {
    let Some(field) = entity.fields.get(name) else {
        found.push(
            Diagnostic::error(
                e02xx::UNKNOWN_FIELD,
                place.clone(),
                format!("unknown field `{name}`"),
            )
            .label(format!("not a field of `{}`", entity.name()))
            .help_nearest(name, entity.field_names()),
        );
        return None;
    };
    if let Some(ty) = entity.columns.get(name) {
        return Some(*ty);
    }
    if field.ty.is_some() && !entity.mappings.is_empty() {
        found.push(
            Diagnostic::error(
                e02xx::FIELD_NOT_MAPPED,
                place.clone(),
                format!(
                    "`{name}` of `{}` is not filled by any mapping",
                    entity.name()
                ),
            )
            .help("map the field"),
        );
    }
    None
}

/// The relation of a check stands among those of entities, and its counts among those of rules.
fn check_name(check: &Check, world: &World<'_>, entities: &[Entity], found: &mut Bag) {
    let place = check.place.key("name");
    let relation = check.relation();
    let named = [check.name.as_str(), relation.as_str()];
    let taken = named.iter().find_map(|name| world.entities.get(name));
    if let Some(entity) = taken {
        found.push(
            Diagnostic::error(
                e02xx::NAME_COLLISION,
                place.clone(),
                format!(
                    "the check `{}` and the entity `{}` collide",
                    check.name,
                    entity.name()
                ),
            )
            .label(format!("it is listed in the relation `{relation}`"))
            .also(entity.spec.at.at_key(), "the entity is declared here")
            .help("rename the check"),
        );
    }
    let [counted, _] = check.reads();
    let rules = entities
        .iter()
        .filter(|entity| entity.name == counted)
        .flat_map(|entity| &entity.quality)
        .flat_map(|quality| &quality.rules);
    for rule in rules.filter(|rule| rule.name == check.name) {
        found.push(
            Diagnostic::error(
                e04xx::RULE_NAME_TWICE,
                place.clone(),
                format!("`{}` is a rule of `{counted}` too", check.name),
            )
            .label("both would be counted under one name")
            .also(rule.place.clone(), "the rule is declared here")
            .help("rename the check"),
        );
    }
}

fn check_length(check: &Check, settings: &Settings, found: &mut Bag) {
    let relation = check.relation();
    let longest = spelling(settings.dialect).identifier_limit;
    if let Some(longest) = longest.filter(|longest| relation.len() > *longest) {
        found.push(
            Diagnostic::error(
                e02xx::NAME_TOO_LONG,
                check.place.key("name"),
                format!("`{relation}` has {} bytes", relation.len()),
            )
            .label(format!("the engine keeps {longest}"))
            .help("shorten the name"),
        );
    }
}
