//! The entity model: what the finished relations are. How rows get there is `mapping`.

use std::collections::BTreeMap;

use super::rule::RuleSpec;
use super::{Placed, Scalar};
use crate::ir::{Classification, Duration, SourcePath};
use crate::place::Trail;
use crate::sql::types::Type;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntitySpec {
    pub name: String,
    /// `entities.<name>`.
    pub at: Trail,
    /// Prose.
    pub grain: String,
    pub description: Option<String>,
    /// At least one unless an error has been reported.
    pub key: Vec<Placed<String>>,
    pub scd: Scd,
    pub materialization: Option<Materialization>,
    pub partition_by: Vec<Placed<Partition>>,
    pub arrival_lag: Option<Duration>,
    pub owner: Option<String>,
    pub tier: Option<u8>,
    /// Privilege → roles, in authored order.
    pub grants: BTreeMap<String, Vec<String>>,
    /// In authored order, no name twice.
    pub fields: Vec<FieldSpec>,
    pub dedupe: Option<DedupeSpec>,
    pub quarantine: Option<QuarantineSpec>,
    pub rails: Option<RailsSpec>,
    /// `None` when `quality:` is not written at all: declaring it joins the quality system.
    pub quality: Option<Vec<RuleSpec>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSpec {
    pub name: String,
    /// `entities.<entity>.fields.<name>`.
    pub at: Trail,
    /// `None` when it was missing or wrong, which has been reported.
    pub ty: Option<Type>,
    pub required: bool,
    pub description: Option<String>,
    pub classification: Option<Classification>,
    /// A canonical field of the catalog.
    pub canonical: Option<String>,
    pub renamed_from: Option<String>,
    /// Places: `at.key("assert").key("min")` and so on.
    pub assert: AssertSpec,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssertSpec {
    pub min: Option<Scalar>,
    pub max: Option<Scalar>,
    pub not_null: bool,
    pub one_of: Option<Vec<Scalar>>,
    pub regex: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scd {
    Type1,
    Type2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Materialization {
    Full,
    IncrementalByKey,
    IncrementalByPartition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    pub unit: PartitionUnit,
    pub column: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionUnit {
    /// The column itself.
    Value,
    Days,
    Months,
    Years,
    Hours,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DedupeSpec {
    pub at: Trail,
    pub keep: Keep,
    /// A mapped field or a metadata column; place `at.key("field")`. `None`: not written.
    pub field: Option<String>,
    pub tie_break: Vec<Placed<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keep {
    LatestBy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantineSpec {
    pub at: Trail,
    /// `None`: not written (or wrong, which has been reported: see `retention_written`).
    pub retention: Option<Duration>,
    pub retention_written: bool,
    pub redact: Vec<Placed<SourcePath>>,
    pub ceiling: Option<Percent>,
}

/// Exact, in the text's own digits: `99.5` for `"99.5%"`, between 0 and 100.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Percent(pub String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RailsSpec {
    pub at: Trail,
    pub lost: Option<Percent>,
    pub null_share: Option<Percent>,
    pub deleted: Option<Percent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipSpec {
    pub name: String,
    /// `relationships[n]`.
    pub at: Trail,
    pub from: String,
    pub to: String,
    /// (field of `from`, field of `to`) in authored order; place `at.key("via").key(from)`.
    pub via: Vec<(String, String)>,
    pub cardinality: Cardinality,
    pub description: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cardinality {
    ManyToOne,
    OneToOne,
    OneToMany,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconcileSpec {
    pub name: String,
    /// `reconcile[n]`.
    pub at: Trail,
    pub left: String,
    pub right: String,
    pub tolerance: Option<Scalar>,
    pub on_fail: String,
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageSpec {
    pub name: String,
    /// `coverage[n]`.
    pub at: Trail,
    pub relationship: String,
    pub min: u32,
    pub on_fail: String,
    pub description: Option<String>,
}
