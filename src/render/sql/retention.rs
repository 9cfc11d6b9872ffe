//! For how long what was rejected is kept.

use crate::lower::Plan;

/// The entities with a reject relation, and their hours.
#[must_use]
pub fn retentions<'p>(plan: &'p Plan<'_>) -> Vec<(&'p str, u32)> {
    let entities = plan.entities.iter().filter(|plan| {
        let judged = plan.judged.as_ref();
        judged.is_some_and(|judged| judged.has_reject)
    });
    entities
        .filter_map(|plan| {
            let quarantine = plan.entity.quality.as_ref()?.quarantine.as_ref()?;
            Some((plan.entity.name.as_str(), quarantine.retention.hours()))
        })
        .collect()
}
