//! The resolved project: every name bound, every type known, every default settled, collections in
//! the order they are printed. Only `check` makes these values; whoever holds one may rely on it.

mod checks;
mod mapping;
mod rule;

use std::collections::BTreeMap;
use std::fmt;

use crate::place::Place;
use crate::sql::types::Type;

pub use self::checks::{
    Check, CheckKind, Coverage, DIGITS_OF_AVERAGE, Measure, OnFail, Reconcile, Side,
};
pub use self::mapping::{Alias, MappedField, Mapping, Recipe, Source, SourcePath, Step, StepOp};
pub use self::rule::{Assert, AssertKind, Bounds, Disposition, Referential, Rule, RuleKind, Scope};

/// Entities and checks sorted by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub entities: Vec<Entity>,
    pub checks: Vec<Check>,
    pub calendar: Option<Calendar>,
}

/// The relation of all days of some years.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    pub name: String,
    pub place: Place,
    pub first_year: u16,
    /// Not before the first one.
    pub last_year: u16,
}

impl Project {
    #[must_use]
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        let found = self
            .entities
            .binary_search_by(|entity| entity.name.as_str().cmp(name));
        found.ok().map(|index| &self.entities[index])
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    pub name: String,
    /// Where it is declared; `place.file` is named in generated files.
    pub place: Place,
    pub grain: String,
    pub description: Option<String>,
    pub owner: Option<String>,
    pub tier: Option<u8>,
    /// Privilege → roles, sorted.
    pub grants: BTreeMap<String, Vec<String>>,
    /// Declared fields that some mapping fills, in authored order. Key fields are always among them.
    pub fields: Vec<Field>,
    /// Names of key fields in authored order, at least one.
    pub key: Vec<String>,
    /// Sorted by source; at least one (an entity without a mapping is an error of `check`).
    pub mappings: Vec<Mapping>,
    pub scd: Scd,
    pub dedupe: Option<Dedupe>,
    pub materialization: Materialization,
    /// `None`: outside the quality system, casts raise, there is no judged and no reject relation.
    pub quality: Option<Quality>,
    /// What a run may take from what is published.
    pub rails: Option<Rails>,
    /// Alerts on the finished relation, in authored order.
    pub asserts: Vec<Assert>,
    /// Some child rewrites orphans to `'__unknown__'`, so this entity offers that member.
    pub has_unknown_member: bool,
}

impl Entity {
    #[must_use]
    pub fn incremental(&self) -> Option<&Incremental> {
        match &self.materialization {
            Materialization::Full => None,
            Materialization::Incremental(incremental) => Some(incremental),
        }
    }

    /// The rules that look a key up in another entity.
    pub fn referentials(&self) -> impl Iterator<Item = (&Rule, &Referential)> {
        let rules = self.quality.iter().flat_map(|quality| &quality.rules);
        rules.filter_map(|rule| rule.kind.referential().map(|found| (rule, found)))
    }

    /// How much of a run may be diverted.
    #[must_use]
    pub fn ceiling(&self) -> Option<Share> {
        self.quality.as_ref()?.quarantine.as_ref()?.ceiling
    }
}

impl Duration {
    #[must_use]
    pub fn hours(self) -> u32 {
        let hours = match self.unit {
            DurationUnit::Hours => 1,
            DurationUnit::Days => 24,
            DurationUnit::Weeks => 24 * 7,
        };
        self.count * hours
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// Where it is declared; of a column that holds what was delivered beside a recipe, `direct`.
    pub place: Place,
    pub ty: Type,
    pub description: Option<String>,
    pub classification: Option<Classification>,
    /// Its name before; meant for the change that renames it, ignored ever after.
    pub renamed_from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Classification {
    Public,
    Internal,
    Pii,
    Secret,
}

/// What the entity keeps of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scd {
    /// One row per key, as it is now.
    Type1,
    /// One row per version of a key, with the time it was valid.
    Type2,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    pub warn_after: Option<Duration>,
    pub error_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration {
    pub count: u32,
    pub unit: DurationUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DurationUnit {
    Hours,
    Days,
    Weeks,
}

/// How what is stored is kept up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Materialization {
    /// Every run reads all of bronze and builds the relations anew.
    Full,
    /// A run reads what has arrived and keeps a ledger of every delivery it has judged.
    Incremental(Incremental),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incremental {
    /// How much older than the newest delivery a delivery may be and still be found by its time.
    /// One that is older costs a run that reads all of bronze.
    pub arrival_lag: Option<Duration>,
    /// As declared; engines without partitions of their own keep one table.
    pub partition_by: Vec<String>,
}

/// Newest first: `field`, then `tie_break`, then `_source_row_id`; all descending, NULLs last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedupe {
    pub field: OrderColumn,
    pub tie_break: Vec<OrderColumn>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderColumn {
    /// A mapped field of the entity.
    Field(String),
    LoadId,
    IngestedAt,
    SourceRowId,
}

/// What makes an entity part of the quality system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quality {
    /// Every rule, implicit ones too, sorted by (name, mapping).
    pub rules: Vec<Rule>,
    /// Present whenever some rule can quarantine.
    pub quarantine: Option<Quarantine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantine {
    pub retention: Duration,
    /// Paths removed from `raw`; never one that a mapping reads, never through an array index.
    pub redact: Vec<SourcePath>,
    /// A run that diverts more than this share of the rows it judges is stopped.
    pub ceiling: Option<Share>,
}

/// A run that would take such a share away is stopped. At least one is there, and none is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rails {
    /// Of the rows.
    pub lost: Option<Share>,
    /// Of the values of any one column.
    pub null_share: Option<Share>,
    /// Of the keys.
    pub deleted: Option<Share>,
}

/// A share of a count, exact: `99.5%` is 995 of 1000. No zeros at the end of `parts` that say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub parts: u64,
    /// Digits behind the point of the percentage, at most 6.
    pub digits: u32,
}

impl Share {
    /// Of how many the parts are.
    #[must_use]
    pub fn whole(self) -> u64 {
        100 * 10_u64.pow(self.digits)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u64.pow(self.digits);
        let (percent, rest) = (self.parts / unit, self.parts % unit);
        match self.digits {
            0 => write!(f, "{percent}%"),
            digits => write!(f, "{percent}.{rest:0width$}%", width = digits as usize),
        }
    }
}

/// The three columns that identify a delivery.
pub const LOAD_ID: &str = "_load_id";
pub const INGESTED_AT: &str = "_ingested_at";
pub const SOURCE_ROW_ID: &str = "_source_row_id";
/// The load of a delivery that was brought back from a reject relation.
pub const REPLAY_LOAD: &str = "__replay__";
/// Between these a version of a type 2 entity is valid; the second is NULL while it is current.
pub const VALID_FROM: &str = "valid_from";
pub const VALID_TO: &str = "valid_to";
/// The key of the member that orphans point at.
pub const UNKNOWN_MEMBER: &str = "__unknown__";
