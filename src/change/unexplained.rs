//! Queries that differ although no fact says why: a hole in the facts, or another version of the
//! generator. Never the other way round: here alone are texts compared to learn what they mean.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::compare::{Difference, Subject};
use crate::change::facts::{EntityFacts, Facts};
use crate::change::kinds::{Change, Class};
use crate::change::meaning::{class_of, meaning};
use crate::change::moves::usual_moves;
use crate::change::review::{self, Review};

#[must_use]
pub fn unexplained(
    review: &Review<'_>,
    old: &Facts,
    new: &Facts,
    known: &[Difference],
) -> Vec<Difference> {
    let explained = Explained::by(known, new);
    let mut found: BTreeMap<Option<String>, Difference> = BTreeMap::new();
    for (path, change) in &review.changes {
        let is_other = match change {
            review::Change::Changed { old, new } => !statements(old).eq(statements(new)),
            review::Change::Added { .. } | review::Change::Removed { .. } => false,
        };
        if !is_other || !(path.ends_with(".sql") || path.ends_with(".py")) {
            continue;
        }
        let entity = entity_of(path, old, new);
        if explained.holds(entity.as_deref()) {
            continue;
        }
        // One file says it for all of an entity.
        found.entry(entity.clone()).or_insert_with(|| Difference {
            entity,
            change: Change::Unexplained,
            subject: Subject::File((*path).to_owned()),
            old: None,
            new: None,
            reason: meaning(Change::Unexplained).reason.to_owned(),
            moves: usual_moves(Change::Unexplained),
        });
    }
    found.into_values().collect()
}

/// The one difference from a project whose facts nobody wrote down.
#[must_use]
pub fn unknown_past() -> Difference {
    Difference {
        entity: None,
        change: Change::Unexplained,
        subject: Subject::Whole,
        old: None,
        new: None,
        reason: "nothing is known of what the project meant, so every row may change".to_owned(),
        moves: usual_moves(Change::Unexplained),
    }
}

/// Lines that an engine reads.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| {
        let line = line.trim_start();
        let is_comment = ["--", "#", "{#", "/*"]
            .iter()
            .any(|mark| line.starts_with(mark));
        !line.is_empty() && !is_comment
    })
}

/// `order` of `models/assay/silver/order__judged.sql`.
fn entity_of(path: &str, old: &Facts, new: &Facts) -> Option<String> {
    let file = path.rsplit('/').next()?;
    let stem = file.split('.').next()?.trim_start_matches('_');
    let is_entity = |name: &str| new.entities.contains_key(name) || old.entities.contains_key(name);
    let owner = stem.rsplit_once("__").map(|(owner, _)| owner);
    let names = [Some(stem), owner];
    names
        .into_iter()
        .flatten()
        .find(|name| is_entity(name))
        .map(str::to_owned)
}

/// What the known differences account for.
struct Explained {
    /// Another generator may write anything; only what restates anyway is explained.
    entities: BTreeSet<String>,
    is_everything: bool,
    are_shared_files: bool,
}

impl Explained {
    fn by(known: &[Difference], new: &Facts) -> Self {
        let is_upgrade = known
            .iter()
            .any(|difference| difference.change == Change::GeneratorChanged);
        let counts = |difference: &&Difference| {
            difference.change != Change::GeneratorChanged
                && (!is_upgrade || class_of(&difference.change) >= Class::Restating)
        };
        let mut entities: BTreeSet<String> = BTreeSet::new();
        let mut is_everything = false;
        for difference in known.iter().filter(counts) {
            match (&difference.entity, &difference.subject) {
                (Some(entity), _) => _ = entities.insert(entity.clone()),
                // It changes no text but its own, and files that all share.
                (None, Subject::Check(_) | Subject::Calendar(_)) => {}
                (None, _) => is_everything = true,
            }
        }
        // A child reads its parents, and a parent knows which of its children point where.
        let mut related = BTreeSet::new();
        for (name, facts) in &new.entities {
            for parent in parents(facts) {
                if entities.contains(parent) {
                    related.insert(name.clone());
                }
                if entities.contains(name) {
                    related.insert(parent.to_owned());
                }
            }
        }
        let are_shared_files = !is_upgrade && !known.is_empty();
        entities.extend(related);
        Self {
            entities,
            is_everything,
            are_shared_files,
        }
    }

    fn holds(&self, entity: Option<&str>) -> bool {
        let is_own = match entity {
            Some(entity) => self.entities.contains(entity),
            None => self.are_shared_files,
        };
        self.is_everything || is_own
    }
}

fn parents(facts: &EntityFacts) -> impl Iterator<Item = &str> {
    facts
        .rules()
        .filter_map(|(_, rule)| rule.judgement.parent())
}
