//! How bronze becomes values: paths, chains and recipes.

use super::Freshness;
use crate::place::Place;
use crate::sql::expr::{DateFormat, Expr, Segment};
use crate::sql::literal::Literal;
use crate::sql::regex::Regex;
use crate::sql::types::Type;

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
