//! The resolved project: every name bound, every type known, every default settled, collections in
//! the order they are printed. Only `check` makes these values; whoever holds one may rely on it.

use std::collections::BTreeMap;
use std::fmt;

use crate::place::Place;
use crate::sql::expr::{DateFormat, Expr, Segment};
use crate::sql::literal::Literal;
use crate::sql::regex::Regex;
use crate::sql::types::Type;

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

/// One bronze relation lowered to the entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The relation's name in the bronze namespace, exact.
    pub source: String,
    pub place: Place,
    /// In the order of `Entity::fields`. A merged entity's field that this mapping lacks is absent.
    pub fields: Vec<MappedField>,
    /// First segments of all mapped and unmapped paths, exact case, sorted, no repeats; with the
    /// three metadata columns when they are read.
    pub columns: Vec<String>,
    pub freshness: Option<Freshness>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedField {
    /// Name of the entity's field.
    pub field: String,
    pub ty: Type,
    pub from: Source,
    /// The chain, a final conversion to `ty` included where the author left it out.
    pub steps: Vec<Step>,
    pub place: Place,
}

/// Where a chain begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// As text.
    Path(SourcePath),
    Recipe(Recipe),
}

/// A value that is computed from several paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// As `canonical_field.id`.
    pub name: String,
    /// In the catalog.
    pub place: Place,
    /// In the order of the catalog; at least one.
    pub aliases: Vec<Alias>,
    /// Over the aliases as columns.
    pub value: Expr,
    pub made: Type,
    /// What it is brought to without losing anything.
    pub ty: Type,
}

/// One path that a recipe reads, as a value of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    pub name: String,
    pub ty: Type,
    pub from: SourcePath,
    /// From text to `ty`.
    pub steps: Vec<Step>,
}

impl MappedField {
    /// Every path that the field reads.
    #[must_use]
    pub fn paths(&self) -> Vec<&SourcePath> {
        match &self.from {
            Source::Path(path) => vec![path],
            Source::Recipe(recipe) => recipe.aliases.iter().map(|alias| &alias.from).collect(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourcePath {
    /// Exact name of the bronze column.
    pub column: String,
    /// Navigation inside the column as JSON; empty for the column itself.
    pub inner: Vec<Segment>,
}

/// One transform with the type of its result. A chain starts as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub op: StepOp,
    pub out: Type,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOp {
    Trim,
    Upper,
    Lower,
    /// A typed value back to text.
    ToText,
    ToInt,
    /// Result type is `Step::out`.
    ToDecimal,
    ToBool,
    ParseTs(DateFormat),
    ParseDate(DateFormat),
    /// A naive timestamp of this IANA zone becomes UTC. Always directly behind `ParseTs`.
    ToUtc(String),
    /// (from, to) pairs, sorted, no text mapped twice; unmapped text stays as it is.
    EnumMap(Vec<(String, String)>),
    /// A literal of the type reached so far.
    Coalesce(Literal),
    NullIf(Literal),
    /// 1-based.
    SplitPart {
        delimiter: String,
        index: u32,
    },
    RegexExtract {
        regex: Regex,
        group: u8,
    },
    StripPrefix(String),
    StripSuffix(String),
    /// Text put before and after the value.
    Concat {
        before: String,
        after: String,
    },
    /// By an exact number (`Int` or `Decimal` literal); never zero for `Divide`.
    Multiply(Literal),
    Divide(Literal),
    /// Digits behind the point, half away from zero.
    Round(u8),
    Abs,
    /// Navigation inside a text that is JSON.
    JsonPath(Vec<Segment>),
    /// Text to a JSON value.
    ToVariant,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `[a-z0-9_]+`, unique within a mapping's rules and the entity's together.
    pub name: String,
    pub scope: Scope,
    pub disposition: Disposition,
    pub kind: RuleKind,
    pub description: Option<String>,
    pub place: Place,
}

/// Whose rows a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Rows of one mapping: an index into `Entity::mappings`.
    Mapping(usize),
    /// Every row.
    Entity,
}

/// Strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disposition {
    Fail,
    Quarantine,
    Flag,
    /// `referential` only: keep the row, flag it, point its key at the unknown member.
    UnknownMember,
}

/// What must hold. `field` names a field of the entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleKind {
    Coercible {
        field: String,
    },
    Exact {
        field: String,
    },
    NotNull {
        field: String,
    },
    Range {
        field: String,
        bounds: Bounds<Literal>,
    },
    /// In characters.
    Length {
        field: String,
        bounds: Bounds<u32>,
    },
    Pattern {
        field: String,
        regex: Regex,
    },
    InEnum {
        field: String,
    },
    /// Literals of the field's type, sorted, no repeats.
    InSet {
        field: String,
        values: Vec<Literal>,
    },
    /// `filter` restricts which rows are compared and blamed.
    Unique {
        field: String,
        filter: Option<Expr>,
    },
    NormalizeNfc {
        field: String,
    },
    /// Inclusive code point ranges, sorted.
    Charset {
        field: String,
        ranges: Vec<(u32, u32)>,
        allow: bool,
    },
    /// The condition that must hold, over the entity's own columns.
    Expression {
        holds: Expr,
    },
    Referential(Referential),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bounds<T> {
    Min(T),
    Max(T),
    Both(T, T),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referential {
    pub relationship: String,
    /// Another entity of the project.
    pub parent: String,
    /// (field here, field of the parent), sorted, same type, at least one pair.
    pub columns: Vec<(String, String)>,
}

/// An alert on the finished relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assert {
    /// `<field>_<kind>`.
    pub name: String,
    pub field: String,
    pub kind: AssertKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssertKind {
    Min(Literal),
    Max(Literal),
    NotNull,
    Enum(Vec<Literal>),
    Regex(Regex),
}

/// What must hold between finished relations. It has no rows to divert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// `[a-z0-9_]+`, the name of no entity.
    pub name: String,
    pub place: Place,
    pub description: Option<String>,
    pub on_fail: OnFail,
    pub kind: CheckKind,
}

impl Check {
    /// The entities that it reads, that under whose name it is counted first.
    #[must_use]
    pub fn reads(&self) -> [&str; 2] {
        match &self.kind {
            CheckKind::Reconcile(Reconcile { left, right, .. }) => [&left.entity, &right.entity],
            CheckKind::Coverage(Coverage { parent, child, .. }) => [parent, child],
        }
    }

    /// The relation that lists what does not hold.
    #[must_use]
    pub fn relation(&self) -> String {
        let listed = match &self.kind {
            CheckKind::Reconcile(_) => "differences",
            CheckKind::Coverage(_) => "uncovered",
        };
        format!("{}__{listed}", self.name)
    }
}

/// What a check that does not hold does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnFail {
    /// It is counted, and somebody is told.
    Flag,
    /// It stops what reads its relation.
    Fail,
}

impl OnFail {
    /// As written in a spec.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Fail => "fail",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckKind {
    Reconcile(Reconcile),
    Coverage(Coverage),
}

impl CheckKind {
    /// As the key in a spec.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reconcile(_) => "reconcile",
            Self::Coverage(_) => "coverage",
        }
    }
}

/// Two numbers for each group that may differ by `tolerance`. Groups are lists of values, compared
/// position by position, NULL being a value like others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconcile {
    pub left: Side,
    pub right: Side,
    /// Not negative, without needless zeros.
    pub tolerance: String,
    /// Digits behind the point in which totals are exact.
    pub scale: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    pub entity: String,
    pub measure: Measure,
    pub column: String,
    /// As many as on the other side, of the same types; none where the whole entity is one group.
    pub by: Vec<String>,
}

/// As written, with the groups of a value spelled out: ``sum(parcel.kilos) by depot_no``.
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            entity,
            measure,
            column,
            by,
        } = self;
        match measure.name() {
            Some(function) => write!(f, "{function}({entity}.{column})")?,
            None => write!(f, "{entity}.{column}")?,
        }
        match by.as_slice() {
            [] => Ok(()),
            _ => write!(f, " by {}", by.join(", ")),
        }
    }
}

/// What stands on a side of `reconcile`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// The column of the only row of the group.
    Value,
    Sum,
    Count,
    Avg,
    Min,
    Max,
}

impl Measure {
    /// As written in a spec; a value has no word.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Value => None,
            Self::Sum => Some("sum"),
            Self::Count => Some("count"),
            Self::Avg => Some("avg"),
            Self::Min => Some("min"),
            Self::Max => Some("max"),
        }
    }
}

/// Digits behind those of its values that an average is shown with.
pub const DIGITS_OF_AVERAGE: u8 = 4;

/// Every row of `parent` is referred to by at least `min` rows of `child`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    pub relationship: String,
    pub parent: String,
    pub child: String,
    /// (field of the parent, field of the child), sorted, same type, at least one pair.
    pub columns: Vec<(String, String)>,
    pub min: u32,
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
