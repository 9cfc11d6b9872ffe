//! For how long what was rejected is kept.

use crate::ir::Project;

/// The entities with a reject relation, and their hours.
#[must_use]
pub fn retentions(project: &Project) -> Vec<(&str, u32)> {
    let entities = project.entities.iter();
    entities
        .filter_map(|entity| {
            let quarantine = entity.quality.as_ref()?.quarantine.as_ref()?;
            Some((entity.name.as_str(), quarantine.retention.hours()))
        })
        .collect()
}
