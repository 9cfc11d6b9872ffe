//! A mapping: how the rows of one bronze relation become rows of an entity.

use super::rule::RuleSpec;
use super::{Placed, Scalar};
use crate::ir::{Duration, SourcePath};
use crate::place::{Place, Trail};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingSpec {
    /// The document.
    pub at: Trail,
    /// The relation's exact name in the bronze namespace.
    pub source: String,
    pub target: String,
    pub freshness: Option<FreshnessSpec>,
    /// In authored order; no name twice within `key`, nor within `fields`.
    pub key: Vec<MappedFieldSpec>,
    pub fields: Vec<MappedFieldSpec>,
    pub unmapped: Vec<Placed<SourcePath>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshnessSpec {
    pub at: Trail,
    pub warn_after: Option<Duration>,
    pub error_after: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFieldSpec {
    pub name: String,
    /// `key.<name>` or `fields.<name>`.
    pub at: Trail,
    /// `None` when it was missing or wrong, which has been reported.
    pub input: Option<Input>,
    pub transform: Vec<Transform>,
    /// `None` when `quality:` is not written at all: declaring it joins the quality system.
    pub quality: Option<Vec<RuleSpec>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Place `at.key("from")`.
    Path(SourcePath),
    Recipe(RecipeInput),
}

/// The recipe form of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeInput {
    /// A recipe of the catalog.
    pub recipe: String,
    /// Alias → path, in authored order; place `at.key("from").key(alias)`.
    pub from: Vec<(String, SourcePath)>,
    pub direct: Option<SourcePath>,
}

/// One step of a chain: `trim` or `{split_part: ["-", 1]}`. Names and arguments are not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    pub name: String,
    /// The list item.
    pub at: Trail,
    pub args: Args,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Args {
    /// `trim`
    None,
    /// `{nullif: "-"}`
    One(Scalar),
    /// `{to_decimal: [9, 3]}`
    List(Vec<Scalar>),
    /// `{enum_map: {a: b}}`: keys are text.
    Pairs(Vec<(Scalar, Scalar)>),
}

impl Transform {
    /// The arguments in order, pairs flattened.
    #[must_use]
    pub fn args(&self) -> Vec<&Scalar> {
        match &self.args {
            Args::None => Vec::new(),
            Args::One(arg) => vec![arg],
            Args::List(args) => args.iter().collect(),
            Args::Pairs(pairs) => pairs.iter().flat_map(|(from, to)| [from, to]).collect(),
        }
    }

    /// The name, wherever it stands.
    #[must_use]
    pub fn name_place(&self) -> Place {
        match self.args {
            Args::None => self.at.place(),
            Args::One(_) | Args::List(_) | Args::Pairs(_) => self.at.key(&self.name).at_key(),
        }
    }

    /// The `index`-th of `args()`.
    #[must_use]
    pub fn arg_place(&self, index: usize) -> Place {
        match &self.args {
            Args::None => self.at.place(),
            Args::One(_) => self.at.key(&self.name),
            Args::List(_) => self.at.key(&self.name).index(index),
            Args::Pairs(pairs) => {
                let place = self.at.key(&self.name);
                match pairs.get(index / 2) {
                    Some((from, _)) if index % 2 == 0 => place.key(&from.text).at_key(),
                    Some((from, _)) => place.key(&from.text),
                    None => place,
                }
            }
        }
    }
}
