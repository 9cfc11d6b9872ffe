//! The entity model: what the finished relations are. How rows get there is `mapping`.

pub(super) mod keys;

use std::collections::BTreeMap;

use super::rule::RuleSpec;
use super::{Placed, Scalar, grammar, path, read, rule};
use crate::ir::{Classification, Duration, Scd, SourcePath};
use crate::place::Trail;
use crate::sql::types::Type;
use crate::yaml::Node;

/// One document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityModel {
    pub entities: Vec<EntitySpec>,
    pub relationships: Vec<RelationshipSpec>,
    pub reconcile: Vec<ReconcileSpec>,
    pub coverage: Vec<CoverageSpec>,
}

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
    /// Not one share is written.
    pub is_empty: bool,
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

pub(super) fn read(root: &Node, at: &Trail) -> EntityModel {
    EntityModel {
        entities: read::named(root, at, "entities", entity),
        relationships: read::items(root, at, "relationships", relationship).unwrap_or_default(),
        reconcile: read::items(root, at, "reconcile", reconcile).unwrap_or_default(),
        coverage: read::items(root, at, "coverage", coverage).unwrap_or_default(),
    }
}

fn entity(name: &str, node: &Node, at: Trail) -> Option<EntitySpec> {
    if !read::is_map(node) {
        return None;
    }
    let grants = node.get("grants").map(Node::entries).unwrap_or_default();
    Some(EntitySpec {
        name: name.to_owned(),
        grain: read::text(node, "grain").unwrap_or_default(),
        description: read::text(node, "description"),
        key: read::placed(node, &at, "key", read::verbatim),
        scd: read::word(node, "scd", SCD).unwrap_or(Scd::Type1),
        materialization: read::word(node, "materialization", MATERIALIZATION),
        partition_by: read::placed(node, &at, "partition_by", grammar::partition),
        arrival_lag: read::parsed(node, "arrival_lag", grammar::duration),
        owner: read::text(node, "owner"),
        tier: read::number(node, "tier"),
        grants: grants
            .iter()
            .map(|entry| {
                let roles = entry.value.items().iter();
                (
                    entry.key.clone(),
                    roles.filter_map(|r| r.text().map(str::to_owned)).collect(),
                )
            })
            .collect(),
        fields: read::named(node, &at, "fields", field),
        dedupe: node
            .get("dedupe")
            .and_then(|node| dedupe(node, at.down("dedupe"))),
        quarantine: node
            .get("quarantine")
            .and_then(|node| quarantine(node, at.down("quarantine"))),
        rails: node
            .get("rails")
            .and_then(|node| rails(node, at.down("rails"))),
        quality: read::items(node, &at, "quality", rule::read),
        at,
    })
}

fn field(name: &str, node: &Node, at: Trail) -> Option<FieldSpec> {
    let assert = node.get("assert").map(|node| AssertSpec {
        min: read::literal(node, "min"),
        max: read::literal(node, "max"),
        not_null: read::flag(node, "not_null"),
        one_of: read::literals(node, "enum"),
        regex: read::text(node, "regex"),
    });
    Some(FieldSpec {
        name: name.to_owned(),
        ty: read::parsed(node, "type", grammar::ty),
        required: read::flag(node, "required"),
        description: read::text(node, "description"),
        classification: read::word(node, "classification", CLASSIFICATION),
        canonical: read::text(node, "canonical"),
        renamed_from: read::text(node, "renamed_from"),
        assert: assert.unwrap_or_default(),
        at,
    })
}

fn dedupe(node: &Node, at: Trail) -> Option<DedupeSpec> {
    if !read::is_map(node) {
        return None;
    }
    Some(DedupeSpec {
        keep: Keep::LatestBy,
        field: read::text(node, "field"),
        tie_break: read::placed(node, &at, "tie_break", read::verbatim),
        at,
    })
}

fn quarantine(node: &Node, at: Trail) -> Option<QuarantineSpec> {
    if !read::is_map(node) {
        return None;
    }
    Some(QuarantineSpec {
        retention: read::parsed(node, "retention", grammar::duration),
        retention_written: node.get("retention").is_some(),
        redact: read::placed(node, &at, "redact", path::parse),
        ceiling: read::parsed(node, "ceiling", grammar::percent),
        at,
    })
}

fn rails(node: &Node, at: Trail) -> Option<RailsSpec> {
    if !read::is_map(node) {
        return None;
    }
    Some(RailsSpec {
        is_empty: node.entries().is_empty(),
        lost: read::parsed(node, "lost", grammar::percent),
        null_share: read::parsed(node, "null_share", grammar::percent),
        deleted: read::parsed(node, "deleted", grammar::percent),
        at,
    })
}

fn relationship(node: &Node, at: Trail) -> Option<RelationshipSpec> {
    let via = node.get("via").map(Node::entries).unwrap_or_default();
    Some(RelationshipSpec {
        name: read::text(node, "name")?,
        from: read::text(node, "from")?,
        to: read::text(node, "to")?,
        via: via
            .iter()
            .filter_map(|entry| Some((entry.key.clone(), entry.value.text()?.to_owned())))
            .collect(),
        cardinality: read::word(node, "cardinality", CARDINALITY)?,
        description: read::text(node, "description"),
        at,
    })
}

fn reconcile(node: &Node, at: Trail) -> Option<ReconcileSpec> {
    Some(ReconcileSpec {
        name: read::text(node, "name")?,
        left: read::text(node, "left")?,
        right: read::text(node, "right")?,
        tolerance: read::literal(node, "tolerance"),
        on_fail: read::text(node, "on_fail")?,
        description: read::text(node, "description"),
        at,
    })
}

fn coverage(node: &Node, at: Trail) -> Option<CoverageSpec> {
    Some(CoverageSpec {
        name: read::text(node, "name")?,
        relationship: read::text(node, "relationship")?,
        min: read::number(node, "min").unwrap_or(1),
        on_fail: read::text(node, "on_fail")?,
        description: read::text(node, "description"),
        at,
    })
}

const SCD: &[(&str, Scd)] = &[("type1", Scd::Type1), ("type2", Scd::Type2)];
const MATERIALIZATION: &[(&str, Materialization)] = &[
    ("full", Materialization::Full),
    ("incremental_by_key", Materialization::IncrementalByKey),
    (
        "incremental_by_partition",
        Materialization::IncrementalByPartition,
    ),
];
const CLASSIFICATION: &[(&str, Classification)] = &[
    ("public", Classification::Public),
    ("internal", Classification::Internal),
    ("pii", Classification::Pii),
    ("secret", Classification::Secret),
];
const CARDINALITY: &[(&str, Cardinality)] = &[
    ("many_to_one", Cardinality::ManyToOne),
    ("one_to_one", Cardinality::OneToOne),
    ("one_to_many", Cardinality::OneToMany),
];
