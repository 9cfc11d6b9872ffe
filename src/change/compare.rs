//! Facts of two versions of a project, and every difference between them with its kind. What it
//! means for readers and rows is in `kinds` and `scopes`.

mod calendar;
mod checks;
mod effect;
mod fields;
mod mappings;
mod renames;
mod rules;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::change::facts::{EntityFacts, Facts, IncrementalFacts, ProjectFacts};
use crate::change::kinds::{Change, Move};
use crate::change::meaning::meaning;
use crate::change::moves::usual_moves;

pub use renames::{Renames, renames};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `None`: it is about the whole project.
    pub entity: Option<String>,
    pub change: Change,
    pub subject: Subject,
    pub old: Option<String>,
    pub new: Option<String>,
    pub reason: String,
    pub moves: BTreeSet<Move>,
}

/// What a difference is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The project, or the entity as a whole.
    Whole,
    Field(String),
    /// By its source.
    Mapping(String),
    Mapped {
        source: String,
        field: String,
    },
    /// A column of a source.
    Column {
        source: String,
        column: String,
    },
    Rule {
        name: String,
        source: Option<String>,
    },
    Assert(String),
    /// A check of finished relations; it belongs to no one entity.
    Check(String),
    /// The date dimension.
    Calendar(String),
    /// A generated file.
    File(String),
}

impl Subject {
    /// As it is called in a report; nothing for the whole.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Field(name)
            | Self::Assert(name)
            | Self::Check(name)
            | Self::Mapping(name)
            | Self::Calendar(name)
            | Self::File(name) => Some(name.clone()),
            Self::Mapped { source, field } => Some(format!("{source}.{field}")),
            Self::Column { source, column } => Some(format!("{source}.{column}")),
            Self::Rule { name, source: _ } => Some(name.clone()),
        }
    }
}

/// Every difference: of the project, then entity by entity, in the order of the facts.
#[must_use]
pub fn compare(old: &Facts, new: &Facts, renames: &Renames) -> Vec<Difference> {
    let old = match renames.is_empty() {
        true => Cow::Borrowed(old),
        false => Cow::Owned(renames::apply(old, new, renames)),
    };
    let mut found = project(&old.project, &new.project);
    let names: BTreeSet<&String> = old.entities.keys().chain(new.entities.keys()).collect();
    let looked_up = looked_up(&[&old, new]);
    for name in names {
        let mut entity = Differences::of(name);
        match (old.entities.get(name), new.entities.get(name)) {
            (Some(before), Some(after)) => {
                for (from, to) in renames.get(name).into_iter().flatten() {
                    let subject = Subject::Field(to.clone());
                    entity.push(Change::FieldRenamed, subject, Some(from), Some(to));
                }
                if before != after {
                    let looked_up = looked_up.get(name.as_str()).cloned().unwrap_or_default();
                    self::entity(before, after, &looked_up, &mut entity);
                }
            }
            (None, Some(_)) => entity.push(Change::EntityAdded, Subject::Whole, None, None),
            (Some(_), None) => entity.push(Change::EntityRemoved, Subject::Whole, None, None),
            (None, None) => {}
        }
        found.extend(entity.found);
    }
    found.extend(checks::compare(&old.checks, &new.checks));
    let (before, after) = (old.calendar.as_ref(), new.calendar.as_ref());
    found.extend(calendar::compare(before, after));
    found
}

/// Entity → its fields that other entities look values up in.
fn looked_up<'f>(versions: &[&'f Facts]) -> BTreeMap<&'f str, BTreeSet<&'f str>> {
    let mut looked_up: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let entities = versions.iter().flat_map(|facts| facts.entities.values());
    for (_, rule) in entities.flat_map(EntityFacts::rules) {
        if let Some(parent) = rule.judgement.parent() {
            let fields = rule.judgement.columns().map(|(_, there)| there);
            looked_up.entry(parent).or_default().extend(fields);
        }
    }
    looked_up
}

/// The differences of one entity, or of the project.
struct Differences {
    entity: Option<String>,
    found: Vec<Difference>,
}

impl Differences {
    fn of(entity: &str) -> Self {
        Self {
            entity: Some(entity.to_owned()),
            found: Vec::new(),
        }
    }

    fn of_project() -> Self {
        Self {
            entity: None,
            found: Vec::new(),
        }
    }

    /// With the reason of its kind, and the moves of its kind.
    fn push(
        &mut self,
        change: Change,
        subject: Subject,
        old: Option<&String>,
        new: Option<&String>,
    ) {
        let reason = meaning(change).reason.to_owned();
        self.found.push(Difference {
            entity: self.entity.clone(),
            change,
            subject,
            old: old.cloned(),
            new: new.cloned(),
            reason,
            moves: usual_moves(change),
        });
    }

    fn with_moves(&mut self, moves: impl IntoIterator<Item = Move>) {
        if let Some(last) = self.found.last_mut() {
            last.moves.extend(moves);
        }
    }

    /// Where a text differs.
    fn text(
        &mut self,
        change: Change,
        subject: Subject,
        old: &Option<String>,
        new: &Option<String>,
    ) {
        if old != new {
            self.push(change, subject, old.as_ref(), new.as_ref());
        }
    }
}

fn project(old: &ProjectFacts, new: &ProjectFacts) -> Vec<Difference> {
    let ProjectFacts {
        generator,
        target,
        dialect,
        folder,
        layout,
        bronze,
        silver,
        gold,
    } = new;
    let mut differences = Differences::of_project();
    for (change, before, after) in [
        (Change::GeneratorChanged, &old.generator, generator),
        (Change::TargetChanged, &old.target, target),
        (Change::DialectChanged, &old.dialect, dialect),
        (Change::FolderChanged, &old.folder, folder),
        (Change::LayoutChanged, &old.layout, layout),
        (Change::BronzeChanged, &old.bronze, bronze),
        (Change::SilverChanged, &old.silver, silver),
        (Change::GoldChanged, &old.gold, gold),
    ] {
        if before != after {
            differences.push(change, Subject::Whole, Some(before), Some(after));
        }
    }
    differences.found
}

fn materialization(
    old: &Option<IncrementalFacts>,
    new: &Option<IncrementalFacts>,
    found: &mut Differences,
) {
    let (Some(before), Some(after)) = (old, new) else {
        let name = |facts: &Option<IncrementalFacts>| {
            let name = if facts.is_some() {
                "incremental"
            } else {
                "full"
            };
            Some(name.to_owned())
        };
        let change = Change::MaterializationChanged;
        return found.text(change, Subject::Whole, &name(old), &name(new));
    };
    let IncrementalFacts {
        arrival_lag,
        partition_by,
    } = after;
    let listed = |names: &[String]| (!names.is_empty()).then(|| names.join(", "));
    found.text(
        Change::PartitioningChanged,
        Subject::Whole,
        &listed(&before.partition_by),
        &listed(partition_by),
    );
    let before = &before.arrival_lag;
    found.text(
        Change::ArrivalLagChanged,
        Subject::Whole,
        before,
        arrival_lag,
    );
}

fn entity(
    old: &EntityFacts,
    new: &EntityFacts,
    looked_up: &BTreeSet<&str>,
    found: &mut Differences,
) {
    let EntityFacts {
        grain,
        description,
        owner,
        tier,
        grants,
        key,
        fields: _,
        history,
        unknown_member,
        dedupe,
        incremental,
        quality: _,
        rails,
        mappings: _,
        asserts: _,
    } = new;
    keys(&old.key, key, found);
    fields::compare(old, new, looked_up, found);
    mappings::compare(old, new, looked_up, found);
    let order = |order: &Option<Vec<String>>| order.as_ref().map(|order| order.join(", "));
    let (before, after) = (order(&old.dedupe), order(dedupe));
    let change = match (&before, &after) {
        (None, _) => Change::DedupeAdded,
        (_, None) => Change::DedupeRemoved,
        (Some(_), Some(_)) => Change::DedupeChanged,
    };
    found.text(change, Subject::Whole, &before, &after);
    materialization(&old.incremental, incremental, found);
    rules::compare(old, new, found);
    rules::rails(&old.rails, rails, found);
    match (&old.history, history) {
        (None, Some(_)) => found.push(Change::HistoryBegun, Subject::Whole, None, None),
        (Some(_), None) => found.push(Change::HistoryEnded, Subject::Whole, None, None),
        (Some(_), Some(_)) | (None, None) => {}
    }
    match (&old.unknown_member, unknown_member) {
        (None, Some(_)) => found.push(Change::UnknownMemberAdded, Subject::Whole, None, None),
        (Some(_), None) => found.push(Change::UnknownMemberRemoved, Subject::Whole, None, None),
        (None, None) | (Some(_), Some(_)) => {}
    }
    let grant = |(privilege, role): &(String, String)| Some(format!("{privilege} to {role}"));
    for each in old.grants.difference(grants) {
        found.text(Change::GrantRevoked, Subject::Whole, &grant(each), &None);
    }
    for each in grants.difference(&old.grants) {
        found.text(Change::GrantAdded, Subject::Whole, &None, &grant(each));
    }
    found.text(Change::OwnerChanged, Subject::Whole, &old.owner, owner);
    found.text(Change::TierChanged, Subject::Whole, &old.tier, tier);
    let (before, after) = (Some(old.grain.clone()), Some(grain.clone()));
    found.text(Change::GrainReworded, Subject::Whole, &before, &after);
    let before = &old.description;
    found.text(Change::EntityDescribed, Subject::Whole, before, description);
}

fn keys(old: &[String], new: &[String], found: &mut Differences) {
    let set = |key: &[String]| key.iter().cloned().collect::<BTreeSet<String>>();
    let change = match set(old) == set(new) {
        true => Change::KeyReordered,
        false => Change::KeyChanged,
    };
    let (old, new) = (Some(old.join(", ")), Some(new.join(", ")));
    found.text(change, Subject::Whole, &old, &new);
}

/// What another value of a field moves: rows by the rules that read it, rows of others by the key.
fn moves_of_value(entity: &EntityFacts, field: &str, looked_up: &BTreeSet<&str>) -> BTreeSet<Move> {
    let mut moves = BTreeSet::from([Move::Rewrite]);
    let is_key = entity.key.iter().any(|key| key == field);
    let orders = entity.dedupe.iter().flatten().any(|name| name == field);
    if is_key || orders || entity.rules().any(|(_, rule)| rules::diverts(rule, field)) {
        moves.extend([Move::Leave, Move::Return]);
    }
    if is_key || looked_up.contains(field) {
        moves.insert(Move::Rekey);
    }
    moves
}
