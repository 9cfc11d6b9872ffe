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

use crate::ir::{Calendar, Entity, Project};
use checks::CheckPlan;
use coerced::Coerced;
use history::History;
use judged::Judged;

/// Entities and checks in the order of the project.
#[derive(Debug)]
pub struct Plan<'a> {
    pub project: &'a Project,
    pub checks: Vec<CheckPlan<'a>>,
    pub calendar: Option<&'a Calendar>,
}

impl<'a> Plan<'a> {
    /// Each is lowered when its turn comes: what one is made of is large, and of no use once its
    /// files are written.
    pub fn entities(&self) -> impl Iterator<Item = EntityPlan<'a>> {
        let project = self.project;
        let entities = project.entities.iter();
        entities.map(|entity| lower_entity(entity, project))
    }

    #[must_use]
    pub fn entity(&self, entity: &'a Entity) -> EntityPlan<'a> {
        lower_entity(entity, self.project)
    }
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
        project,
        checks: project
            .checks
            .iter()
            .map(|check| checks::lower(check, project))
            .collect(),
        calendar: project.calendar.as_ref(),
    }
}

/// It has a relation that judges; the rows of any other entity are the coerced rows.
#[must_use]
pub fn is_judged(entity: &Entity) -> bool {
    entity.quality.is_some() || entity.dedupe.is_some()
}

fn lower_entity<'a>(entity: &'a Entity, project: &Project) -> EntityPlan<'a> {
    let coerced = coerced::lower(entity);
    let judged = is_judged(entity).then(|| judged::lower(entity, &coerced, project));
    EntityPlan {
        entity,
        coerced,
        judged,
        history: history::lower(entity),
    }
}
