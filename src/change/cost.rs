//! What a change costs to check and to restate: how much is read, from the numbers that somebody gave.
//! It is a sum over relations, not a plan of an engine.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::compare::{Difference, Subject};
use crate::change::facts::{CheckFacts, EntityFacts, Facts, RuleFacts, RuleKey};
use crate::change::kinds::Class;
use crate::change::meaning::class_of;
use crate::change::moves::Extent;
use crate::change::scopes::Scopes;
use crate::settings::{Statistics, Volume};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cost {
    pub checks: Vec<Check>,
    pub restatements: Vec<Restatement>,
    pub total: Volume,
    /// Rules that are evaluated, and the scans they are evaluated in.
    pub rules: usize,
    pub scans: usize,
    /// Relations that are read and of which nobody has said how much they hold.
    pub unknown: BTreeSet<String>,
}

/// A rule that changed, if it were evaluated alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub entity: String,
    pub rule: String,
    pub volume: Volume,
    /// Rules that share its scan.
    pub shared_by: usize,
}

/// An entity that is built again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restatement {
    pub entity: String,
    /// How often its sources are read.
    pub reads: usize,
    pub volume: Volume,
}

/// `None`: nothing is known of the warehouse, or nothing is read.
#[must_use]
pub fn estimate(
    facts: &Facts,
    differences: &[Difference],
    scopes: &Scopes,
    statistics: &Statistics,
) -> Option<Cost> {
    if statistics.sources.is_empty() && statistics.entities.is_empty() {
        return None;
    }
    let mut cost = Cost::default();
    for (entity, key, rule) in changed_rules(facts, differences) {
        let read = relations(&facts.entities[entity], key, rule);
        cost.checks.push(Check {
            entity: entity.to_owned(),
            rule: key.name.clone(),
            volume: volume(&read, statistics),
            shared_by: facts.entities[entity].rules().count(),
        });
        cost.unknown.extend(unknown(&read, statistics));
    }
    for (name, check) in changed_checks(facts, differences) {
        let read: Vec<Read<'_>> = check.reads.iter().map(|name| Read::Entity(name)).collect();
        cost.checks.push(Check {
            entity: check.reads.first().cloned().unwrap_or_default(),
            rule: name.clone(),
            volume: volume(&read, statistics),
            shared_by: 1,
        });
        cost.unknown.extend(unknown(&read, statistics));
    }
    let mut total = Volume {
        rows: Some(0),
        bytes: Some(0),
    };
    for (name, extent) in &scopes.build {
        let Some(entity) = facts.entities.get(name) else {
            continue;
        };
        let read = restated(entity, *extent);
        let volume = volume(&read, statistics);
        total = sum(total, volume);
        cost.unknown.extend(unknown(&read, statistics));
        if *extent == Extent::Whole && entity.quality.is_some() {
            cost.rules += entity.rules().count();
            cost.scans += 1;
        }
        cost.restatements.push(Restatement {
            entity: name.clone(),
            reads: reads(entity, *extent),
            volume,
        });
    }
    if !cost.restatements.is_empty() {
        cost.total = total;
    }
    (!cost.checks.is_empty() || !cost.restatements.is_empty()).then_some(cost)
}

/// Rules that somebody wrote or changed, each once.
fn changed_rules<'f>(
    facts: &'f Facts,
    differences: &'f [Difference],
) -> Vec<(&'f str, &'f RuleKey, &'f RuleFacts)> {
    let mut found = BTreeMap::new();
    for difference in differences {
        let (Some(entity), Subject::Rule { name, source }) =
            (&difference.entity, &difference.subject)
        else {
            continue;
        };
        let Some(rules) = facts
            .entities
            .get(entity)
            .and_then(|of| of.quality.as_ref())
        else {
            continue;
        };
        let key = RuleKey {
            name: name.clone(),
            source: source.clone(),
        };
        if let Some((key, rule)) = rules.rules.get_key_value(&key)
            && class_of(&difference.change) > Class::Cosmetic
        {
            found.insert((entity.as_str(), key), rule);
        }
    }
    let found = found.into_iter();
    found
        .map(|((entity, key), rule)| (entity, key, rule))
        .collect()
}

/// Checks of finished relations that somebody wrote or changed, each once.
fn changed_checks<'f>(
    facts: &'f Facts,
    differences: &'f [Difference],
) -> BTreeMap<&'f String, &'f CheckFacts> {
    let counted = differences
        .iter()
        .filter(|difference| class_of(&difference.change) > Class::Cosmetic);
    let names = counted.filter_map(|difference| match &difference.subject {
        Subject::Check(name) => Some(name),
        Subject::Whole
        | Subject::Field(_)
        | Subject::Mapping(_)
        | Subject::Mapped { .. }
        | Subject::Column { .. }
        | Subject::Rule { .. }
        | Subject::Assert(_)
        | Subject::Calendar(_)
        | Subject::File(_) => None,
    });
    names
        .filter_map(|name| facts.checks.get_key_value(name))
        .collect()
}

/// A bronze relation, or an entity.
#[derive(Debug, Clone, Copy)]
enum Read<'f> {
    Source(&'f str),
    Entity(&'f str),
}

impl Read<'_> {
    fn volume(self, statistics: &Statistics) -> Option<Volume> {
        match self {
            Self::Source(name) => statistics.sources.get(name).copied(),
            Self::Entity(name) => statistics.entities.get(name).copied(),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Source(name) => format!("sources.{name}"),
            Self::Entity(name) => format!("entities.{name}"),
        }
    }
}

fn relations<'f>(entity: &'f EntityFacts, key: &'f RuleKey, rule: &'f RuleFacts) -> Vec<Read<'f>> {
    let mut read: Vec<Read<'_>> = match &key.source {
        Some(source) => vec![Read::Source(source)],
        None => sources(entity).collect(),
    };
    read.extend(rule.judgement.parent().map(Read::Entity));
    read
}

fn sources(entity: &EntityFacts) -> impl Iterator<Item = Read<'_>> {
    entity.mappings.keys().map(|source| Read::Source(source))
}

/// Judged, the entity and the reject relation read every source, judged its parents too.
fn reads(entity: &EntityFacts, extent: Extent) -> usize {
    let is_judged = entity.quality.is_some() || entity.dedupe.is_some();
    let quality = entity.quality.as_ref();
    let keeps_rejects = quality.is_some_and(|quality| quality.quarantine.is_some());
    match extent {
        Extent::Nothing => 0,
        Extent::Finished => 1,
        Extent::Whole => 1 + usize::from(is_judged) + usize::from(keeps_rejects),
    }
}

fn restated(entity: &EntityFacts, extent: Extent) -> Vec<Read<'_>> {
    let mut read: Vec<Read<'_>> = Vec::new();
    for _ in 0..reads(entity, extent) {
        read.extend(sources(entity));
    }
    let parents: BTreeSet<&str> = entity
        .rules()
        .filter_map(|(_, rule)| rule.judgement.parent())
        .collect();
    match extent {
        Extent::Whole => read.extend(parents.into_iter().map(Read::Entity)),
        Extent::Nothing | Extent::Finished => {}
    }
    read
}

/// Known only where it is known of every part.
fn volume(read: &[Read<'_>], statistics: &Statistics) -> Volume {
    let nothing = Volume {
        rows: Some(0),
        bytes: Some(0),
    };
    read.iter().fold(nothing, |total, each| {
        sum(total, each.volume(statistics).unwrap_or_default())
    })
}

fn sum(one: Volume, other: Volume) -> Volume {
    let add = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
    Volume {
        rows: add(one.rows, other.rows),
        bytes: add(one.bytes, other.bytes),
    }
}

fn unknown(read: &[Read<'_>], statistics: &Statistics) -> Vec<String> {
    let unsaid = read.iter().filter(|each| each.volume(statistics).is_none());
    unsaid.map(|each| each.name()).collect()
}
