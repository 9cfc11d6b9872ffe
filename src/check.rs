//! From the documents to the resolved project: names bound, types known, guardrails held. The only
//! maker of `ir`; it reads no file and writes no SQL.

mod asserts;
pub mod chain;
mod dedupe;
mod entity;
mod expression;
mod mapping;
mod names;
mod quarantine;
mod relationships;
pub mod rules;
mod unsupported;
mod world;

use crate::diag::Bag;
use crate::ir::Project;
use crate::settings::Settings;
use crate::spec::Spec;
use world::World;

/// The project, unless the specs have errors, and everything found.
#[must_use]
pub fn check(spec: &Spec, settings: &Settings) -> (Option<Project>, Bag) {
    let mut found = Bag::default();
    if !spec.unread.is_empty() {
        return (None, found);
    }
    unsupported::check(spec, &mut found);
    names::check(spec, settings, &mut found);
    let world = World::new(spec);
    relationships::check(spec, &world, &mut found);
    mapping::check_targets(spec, &world, &mut found);
    let mut entities = Vec::new();
    for view in world.entities.values() {
        entities.extend(entity::resolve(view, &world, &mut found));
    }
    relationships::check_cycles(&entities, &mut found);
    relationships::mark_unknown_members(&mut entities);
    let project = (!found.has_errors()).then_some(Project { entities });
    (project, found)
}

#[cfg(test)]
mod tests;
