//! Which stored rows a set of differences reaches: entities whose rows change, and reject tables
//! whose rows may come back, parents first.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::compare::Difference;
use crate::change::facts::{EntityFacts, Facts};
use crate::change::kinds::Move;
use crate::change::moves::changes_a_relation;
use crate::ir::Disposition;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    /// Entities whose stored rows change.
    pub backfill: Vec<String>,
    /// Entities whose reject tables hold rows that may come back.
    pub replay: Vec<String>,
    /// Entities whose relations must be built again, those of the other two included.
    pub build: Vec<String>,
    /// Entities that nobody fills any more.
    pub abandoned: Vec<String>,
}

impl Scopes {
    /// Rows that readers have seen are not what they will be.
    #[must_use]
    pub fn restates_history(&self) -> bool {
        !self.backfill.is_empty()
    }
}

#[must_use]
pub fn scopes(old: &Facts, new: &Facts, differences: &[Difference]) -> Scopes {
    let mut moves: BTreeMap<&str, BTreeSet<Move>> = BTreeMap::new();
    let mut built: BTreeSet<&str> = BTreeSet::new();
    for difference in differences {
        let reached: Vec<&str> = match &difference.entity {
            Some(entity) => vec![entity.as_str()],
            // Of a project in another place, every entity.
            None => new.entities.keys().map(String::as_str).collect(),
        };
        for entity in reached {
            moves.entry(entity).or_default().extend(&difference.moves);
            if changes_a_relation(difference.change) || !difference.moves.is_empty() {
                built.insert(entity);
            }
        }
    }
    let order = parents_first(new);
    for child in &order {
        let Some(facts) = new.entities.get(*child) else {
            continue;
        };
        let mut own = moves.get(child).cloned().unwrap_or_default();
        for (_, rule) in facts.rules() {
            if let Some(parent) = rule.judgement.parent() {
                let of_parent = moves.get(parent).into_iter().flatten();
                for each in of_parent {
                    own.extend(follow(*each, rule.disposition));
                }
            }
        }
        if !own.is_empty() {
            moves.insert(child, own);
        }
    }
    let keeps_rejects = |name: &str| {
        let quarantines = |facts: &Facts| {
            let quality = facts.entities.get(name).and_then(|of| of.quality.as_ref());
            quality.is_some_and(|quality| quality.quarantine.is_some())
        };
        quarantines(old) && quarantines(new)
    };
    let mut scopes = Scopes::default();
    for name in &order {
        let own = moves.remove(name).unwrap_or_default();
        let replays = own.contains(&Move::Return) && keeps_rejects(name);
        let changes = own.iter().any(|each| match each {
            Move::Rewrite | Move::Leave | Move::Rekey => true,
            Move::Return => !replays,
        });
        // Rows of an entity that is new are nobody's yet.
        let is_old = old.entities.contains_key(*name);
        if replays {
            scopes.replay.push((*name).to_owned());
        }
        if changes && is_old {
            scopes.backfill.push((*name).to_owned());
        }
        if replays || changes || built.contains(name) {
            scopes.build.push((*name).to_owned());
        }
    }
    let gone = old.entities.keys();
    scopes.abandoned = gone
        .filter(|name| !new.entities.contains_key(*name))
        .cloned()
        .collect();
    scopes
}

/// What rows of a child do when those of its parent move.
fn follow(parent: Move, disposition: Disposition) -> Vec<Move> {
    let (leaves, returns) = match disposition {
        Disposition::Quarantine => (Move::Leave, Move::Return),
        Disposition::Flag | Disposition::UnknownMember | Disposition::Fail => {
            (Move::Rewrite, Move::Rewrite)
        }
    };
    match parent {
        // A lookup asks whether the parent is there, not what it holds.
        Move::Rewrite => Vec::new(),
        Move::Leave => vec![leaves],
        Move::Return => vec![returns],
        Move::Rekey => vec![leaves, returns],
    }
}

/// Every entity behind those it looks values up in; a cycle is broken at its first by name.
#[must_use]
pub fn parents_first(facts: &Facts) -> Vec<&str> {
    let parents_of = |entity: &EntityFacts| -> BTreeSet<String> {
        let parents = entity
            .rules()
            .filter_map(|(_, rule)| rule.judgement.parent());
        parents
            .filter(|parent| facts.entities.contains_key(*parent))
            .map(str::to_owned)
            .collect()
    };
    let mut children: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut waits_for: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, entity) in &facts.entities {
        let parents = parents_of(entity);
        waits_for.insert(name, parents.len());
        for parent in parents {
            children.entry(parent).or_default().push(name);
        }
    }
    let mut ready: BTreeSet<&str> = waits_for
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(name, _)| *name)
        .collect();
    let mut order = Vec::with_capacity(waits_for.len());
    loop {
        let next = ready
            .pop_first()
            .or_else(|| waits_for.keys().next().copied());
        let Some(name) = next else { return order };
        waits_for.remove(name);
        order.push(name);
        for child in children.get(name).into_iter().flatten() {
            if let Some(count) = waits_for.get_mut(child) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(child);
                }
            }
        }
    }
}
