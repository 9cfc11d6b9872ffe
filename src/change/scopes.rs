//! Which stored rows a set of differences reaches: entities whose rows change, and reject tables
//! whose rows may come back, parents first.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::compare::Difference;
use crate::change::facts::Facts;
use crate::change::kinds::Move;
use crate::change::moves::{Extent, extent, extent_of_ledger};
use crate::ir::Disposition;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    /// Entities whose stored rows change.
    pub backfill: Vec<String>,
    /// Entities whose reject tables hold rows that may come back.
    pub replay: Vec<String>,
    /// Entities that must be built again, those of the other two included.
    pub build: Vec<(String, Extent)>,
    /// Checks whose relations must be built again: they changed, or what they read is built.
    pub checks: Vec<String>,
    /// The date dimension, where it is another.
    pub calendar: Option<String>,
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
    let mut built: BTreeMap<&str, Extent> = BTreeMap::new();
    for difference in differences {
        let reached: Vec<&str> = match &difference.entity {
            Some(entity) => vec![entity.as_str()],
            // Of a project in another place, every entity.
            None => new.entities.keys().map(String::as_str).collect(),
        };
        for entity in reached {
            moves.entry(entity).or_default().extend(&difference.moves);
            let built = built.entry(entity).or_insert(Extent::Nothing);
            let is_ledger = new
                .entities
                .get(entity)
                .is_some_and(|facts| facts.incremental.is_some());
            let extent = if is_ledger {
                extent_of_ledger(difference.change)
            } else {
                extent(difference.change)
            };
            *built = extent.max(*built);
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
                // A version has the flags that it had when it began.
                let keeps_flags = facts.history.is_some() && rule.disposition == Disposition::Flag;
                for each in of_parent.filter(|_| !keeps_flags) {
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
        let extent = match (replays || changes, built.get(name)) {
            (true, _) => Extent::Whole,
            (false, Some(extent)) => *extent,
            (false, None) => Extent::Nothing,
        };
        if extent != Extent::Nothing {
            scopes.build.push(((*name).to_owned(), extent));
        }
    }
    let is_built = |name: &String| scopes.build.iter().any(|(built, _)| built == name);
    let checks = new.checks.iter().filter(|(name, check)| {
        let before = old.checks.get(*name);
        let is_same = before.is_some_and(|before| before.asks() == check.asks());
        !is_same || check.reads.iter().any(is_built)
    });
    scopes.checks = checks.map(|(name, _)| name.clone()).collect();
    let calendar = new.calendar.as_ref();
    let calendar = calendar.filter(|_| old.calendar != new.calendar);
    scopes.calendar = calendar.map(|calendar| calendar.name.clone());
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
    let mut parents: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, entity) in &facts.entities {
        let of_rules = entity
            .rules()
            .filter_map(|(_, rule)| rule.judgement.parent());
        let known = of_rules.filter(|parent| facts.entities.contains_key(*parent));
        let known: BTreeSet<&str> = known.collect();
        for parent in &known {
            children.entry(parent).or_default().push(name);
        }
        parents.insert(name, known);
    }
    let free = parents.iter().filter(|(_, parents)| parents.is_empty());
    let mut ready: BTreeSet<&str> = free.map(|(name, _)| *name).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(name) = ready.pop_first().or_else(|| first_in_cycle(&parents)) {
        parents.remove(name);
        order.push(name);
        for child in children.get(name).into_iter().flatten() {
            if let Some(waits_for) = parents.get_mut(child)
                && waits_for.remove(name)
                && waits_for.is_empty()
            {
                ready.insert(child);
            }
        }
    }
    order
}

/// The first by name of those that wait for themselves; `None` where nobody waits.
fn first_in_cycle<'f>(parents: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> Option<&'f str> {
    let waits_for_itself = |start: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = vec![start];
        while let Some(name) = open.pop() {
            for parent in parents.get(name).into_iter().flatten() {
                if *parent == start {
                    return true;
                }
                if seen.insert(parent) {
                    open.push(parent);
                }
            }
        }
        false
    };
    parents.keys().copied().find(|name| waits_for_itself(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{parents_first, scopes};
    use crate::change::compare::{Difference, Subject};
    use crate::change::facts::{
        EntityFacts, Facts, Judgement, Kind, QualityFacts, QuarantineFacts, RuleFacts, RuleKey,
    };
    use crate::change::kinds::{Change, Move};
    use crate::ir::Disposition;

    /// (child, parent, what happens to orphans)
    fn facts(entities: &[&str], lookups: &[(&str, &str, Disposition)]) -> Facts {
        let mut facts = Facts::default();
        for entity in entities {
            let mut rules = BTreeMap::new();
            for (child, parent, disposition) in lookups {
                if child != entity {
                    continue;
                }
                let params = BTreeMap::from([("parent".to_owned(), vec![(*parent).to_owned()])]);
                let judgement = Judgement {
                    kind: Kind::Referential,
                    field: None,
                    params,
                };
                let key = RuleKey {
                    name: format!("{parent}_referential"),
                    source: None,
                };
                let rule = RuleFacts {
                    disposition: *disposition,
                    judgement,
                    description: None,
                };
                rules.insert(key, rule);
            }
            let quality = QualityFacts {
                quarantine: Some(QuarantineFacts::default()),
                rules,
            };
            let entity_facts = EntityFacts {
                quality: Some(quality),
                ..EntityFacts::default()
            };
            facts.entities.insert((*entity).to_owned(), entity_facts);
        }
        facts
    }

    /// Published rows that change, and refused rows that may come back, when rows of `a` move.
    fn check(
        lookups: &[(&str, &str, Disposition)],
        moves: &[Move],
        backfill: &[&str],
        replay: &[&str],
    ) {
        let facts = facts(&["a", "b", "c", "d"], lookups);
        let difference = Difference {
            entity: Some("a".to_owned()),
            change: Change::RuleReplaced,
            subject: Subject::Whole,
            old: None,
            new: None,
            reason: String::new(),
            moves: moves.iter().copied().collect(),
        };
        let found = scopes(&facts, &facts, &[difference]);
        assert_eq!(found.backfill, backfill, "{lookups:?} {moves:?}");
        assert_eq!(found.replay, replay, "{lookups:?} {moves:?}");
    }

    #[test]
    fn children_follow_their_parents() {
        use Disposition::{Flag, Quarantine, UnknownMember};
        let chain = [("b", "a", Quarantine), ("c", "b", Quarantine)];
        check(&chain, &[Move::Return], &[], &["a", "b", "c"]);
        check(&chain, &[Move::Leave], &["a", "b", "c"], &[]);
        check(&chain, &[Move::Rewrite], &["a"], &[]);
        let all = ["a", "b", "c"];
        check(&chain, &[Move::Rekey], &all, &["b", "c"]);
        let kept = [
            ("b", "a", Flag),
            ("c", "a", UnknownMember),
            ("d", "b", Quarantine),
        ];
        check(&kept, &[Move::Return], &["b", "c"], &["a"]);
        let upwards = [("a", "c", Quarantine), ("b", "a", Quarantine)];
        check(&upwards, &[Move::Return], &[], &["a", "b"]);
    }

    #[test]
    fn parents_stand_first_and_a_cycle_is_broken_at_its_first_name() {
        use Disposition::Flag;
        let names = ["a", "b", "c", "d"];
        for (lookups, expected) in [
            (vec![("a", "d", Flag)], ["b", "c", "d", "a"]),
            (
                vec![("a", "b", Flag), ("b", "a", Flag), ("c", "d", Flag)],
                ["d", "c", "a", "b"],
            ),
            (
                vec![("b", "c", Flag), ("c", "b", Flag), ("a", "c", Flag)],
                ["d", "b", "c", "a"],
            ),
        ] {
            assert_eq!(
                parents_first(&facts(&names, &lookups)),
                expected,
                "{lookups:?}"
            );
        }
    }
}
