//! The documents as typed structs. It reads one document at a time and resolves no name: whether
//! an entity exists, a chain fits its type or a rule can fire is for `check`.

pub mod catalog;
pub mod config;
pub mod entity_model;
pub mod mapping;
pub mod rule;

use crate::diag::Bag;
use crate::place::Trail;
use crate::yaml::Sources;

/// A whole spec tree. Lists are in the order of the files' paths, then of the documents; what is
/// generated must not depend on either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spec {
    pub catalog: Option<catalog::Catalog>,
    pub entities: Vec<entity_model::EntitySpec>,
    pub relationships: Vec<entity_model::RelationshipSpec>,
    pub reconcile: Vec<entity_model::ReconcileSpec>,
    pub coverage: Vec<entity_model::CoverageSpec>,
    pub mappings: Vec<mapping::MappingSpec>,
}

/// A value and where it stands; for items of lists, and keys of maps (`at.at_key()`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    pub value: T,
    pub at: Trail,
}

/// A literal, exactly as written: `1.10`, `007`, `NO` and 20-digit keys are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    pub text: String,
    /// Written in quotes or as a block (`|`, `>`): surely text.
    pub quoted: bool,
}

/// Reads every document. Whatever is wrong is in the bag, and the rest is read nevertheless.
#[must_use]
pub fn load(_sources: &Sources) -> (Spec, Bag) {
    (Spec::default(), Bag::default())
}
