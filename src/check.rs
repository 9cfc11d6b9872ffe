//! From the documents to the resolved project: names bound, types known, guardrails held. The only
//! maker of `ir`; it reads no file and writes no SQL.

mod asserts;
mod calendar;
mod catalog;
pub mod chain;
mod checks;
mod dedupe;
mod entity;
mod expression;
mod history;
mod mapping;
mod materialization;
mod names;
mod quarantine;
mod rails;
mod recipe;
mod relationships;
pub mod rules;
mod share;
mod unsupported;
mod world;

use crate::diag::Bag;
use crate::diag::code::{e02xx, e03xx, e04xx};
use crate::ir::Project;
use crate::settings::Settings;
use crate::spec::Spec;
use world::World;

/// The project, unless the specs have errors, and everything found.
#[must_use]
pub fn check(spec: &Spec, settings: &Settings) -> (Option<Project>, Bag) {
    let mut found = Bag::default();
    unsupported::check_names(spec, settings, &mut found);
    catalog::check(spec, &mut found);
    let recipes = recipe::read(spec, &mut found);
    names::check(spec, settings, &mut found);
    let world = World::new(spec, recipes);
    relationships::check(spec, &world, &mut found);
    mapping::check_targets(spec, &world, &mut found);
    let mut entities = Vec::new();
    for view in world.entities.values() {
        entities.extend(entity::resolve(view, &world, &mut found));
    }
    relationships::check_cycles(&entities, &mut found);
    relationships::mark_unknown_members(&mut entities);
    let checks = checks::resolve(spec, &world, &entities, settings, &mut found);
    let calendar = calendar::resolve(spec, &checks, settings, &mut found);
    let is_whole = spec.unread.is_empty() && !found.has_errors();
    let project = is_whole.then_some(Project {
        entities,
        checks,
        calendar,
    });
    (project, found)
}

/// What stays true when some documents could not be read: nothing that is said to be missing.
#[must_use]
pub fn certain(found: Bag) -> Bag {
    let uncertain = [
        e02xx::UNKNOWN_ENTITY,
        e02xx::UNKNOWN_FIELD,
        e02xx::UNKNOWN_CANONICAL_FIELD,
        e02xx::UNKNOWN_RECIPE,
        e02xx::ENTITY_WITHOUT_MAPPING,
        e02xx::KEY_NOT_MAPPED,
        e02xx::NOT_A_KEY,
        e02xx::FIELD_NOT_MAPPED,
        e02xx::MISSING_METADATA,
        e02xx::FRESHNESS_WITHOUT_METADATA,
        e02xx::FRESHNESS_ORDER,
        e03xx::EXPRESSION_COLUMN,
        e04xx::MISSING_DISPOSITION,
        e04xx::MISSING_RETENTION,
        e04xx::REDACTED_PATH_UNKNOWN,
        e04xx::MISSING_TIE_BREAK,
        e04xx::DEDUPE_FIELD,
        e04xx::UNKNOWN_RELATIONSHIP,
        e04xx::UNKNOWN_MEMBER_PARENT,
    ];
    let mut all = found.all;
    all.retain(|diagnostic| !uncertain.contains(&diagnostic.code));
    Bag { all }
}
