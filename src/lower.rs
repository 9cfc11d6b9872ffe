//! From the resolved project to the typed pieces of every relation: which columns, rules, probes and
//! order keys it is made of. It knows the pipeline, no framework and no text of SQL.

pub mod checks;
pub mod coerced;
mod field;
pub mod helper;
pub mod history;
pub mod judged;
mod layers;
pub mod predicate;
pub mod recipe;

use crate::ir::{Entity, Project};
use checks::CheckPlan;
use coerced::Coerced;
use history::History;
use judged::Judged;

/// Entities and checks in the order of the project.
#[derive(Debug)]
pub struct Plan<'a> {
    pub entities: Vec<EntityPlan<'a>>,
    pub checks: Vec<CheckPlan<'a>>,
}

#[derive(Debug)]
pub struct EntityPlan<'a> {
    pub entity: &'a Entity,
    /// The typed values of every delivery: the one text that judged and entity both read.
    pub coerced: Coerced,
    /// `None` for an entity without dedupe and quality: its rows are the coerced rows.
    pub judged: Option<Judged>,
    /// `None` for an entity that keeps one row per key.
    pub history: Option<History>,
}

#[must_use]
pub fn lower(project: &Project) -> Plan<'_> {
    Plan {
        entities: project
            .entities
            .iter()
            .map(|entity| lower_entity(entity, project))
            .collect(),
        checks: project
            .checks
            .iter()
            .map(|check| checks::lower(check, project))
            .collect(),
    }
}

fn lower_entity<'a>(entity: &'a Entity, project: &Project) -> EntityPlan<'a> {
    let coerced = coerced::lower(entity);
    let is_judged = entity.quality.is_some() || entity.dedupe.is_some();
    let judged = is_judged.then(|| judged::lower(entity, &coerced, project));
    EntityPlan {
        entity,
        coerced,
        judged,
        history: history::lower(entity),
    }
}
