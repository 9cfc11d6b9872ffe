//! What the commands may be stopped by: rails and ceilings ask how much a run takes away, and a change of the specs takes
//! away too.

use crate::change::facts::{EntityFacts, Facts};
use crate::change::scopes::Scopes;

/// A sentence for each kind of limit that an entity in scope has.
#[must_use]
pub fn limits(new: &Facts, scopes: &Scopes) -> Vec<String> {
    let limited = |has: fn(&EntityFacts) -> bool| -> Vec<String> {
        let names = scopes.backfill.iter();
        let limited = names.filter(|name| new.entities.get(*name).is_some_and(has));
        limited.map(|name| format!("`{name}`")).collect()
    };
    let has_ceiling = |entity: &EntityFacts| {
        let quality = entity.quality.as_ref();
        let quarantine = quality.and_then(|quality| quality.quarantine.as_ref());
        quarantine.is_some_and(|quarantine| quarantine.ceiling.is_some())
    };
    let railed = limited(|entity| !entity.rails.is_empty());
    let capped = limited(has_ceiling);
    let mut said = Vec::new();
    if !railed.is_empty() {
        said.push(format!(
            "a run that takes away what the rails of {} do not allow is stopped; the variable \
             `assay_allow_loss` lets it through",
            railed.join(", ")
        ));
    }
    if !capped.is_empty() {
        said.push(format!(
            "a run that quarantines more than the ceiling of {} allows is stopped; the variable \
             `assay_allow_quarantine` lets it through",
            capped.join(", ")
        ));
    }
    said
}
