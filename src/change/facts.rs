//! What a project means, without its texts: the facts that `assay.lock` keeps, and that two versions
//! of a project are compared by. Order is kept only where it means something.

mod calendar;
mod check;
mod entity;
mod read;
mod sql;
mod words;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use calendar::CalendarFacts;
pub use check::{CheckFacts, MIN, TOLERANCE};

use crate::ir::{Disposition, Project};
use crate::settings::{Schemas, Settings};
use crate::sql::types::Type;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub project: ProjectFacts,
    pub entities: BTreeMap<String, EntityFacts>,
    pub checks: BTreeMap<String, CheckFacts>,
    pub calendar: Option<CalendarFacts>,
}

/// As words: a version that this one does not know still reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    pub generator: String,
    pub target: String,
    pub dialect: String,
    pub folder: String,
    pub layout: String,
    pub bronze: String,
    pub silver: String,
    pub gold: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityFacts {
    pub grain: String,
    pub description: Option<String>,
    pub owner: Option<String>,
    pub tier: Option<String>,
    /// (privilege, role)
    pub grants: BTreeSet<(String, String)>,
    pub key: Vec<String>,
    /// In the order of the relation's columns.
    pub fields: Vec<FieldFacts>,
    pub history: Option<Kept>,
    pub unknown_member: Option<Offered>,
    pub dedupe: Option<Vec<String>>,
    /// `None`: built anew in every run.
    pub incremental: Option<IncrementalFacts>,
    pub quality: Option<QualityFacts>,
    /// Share by name.
    pub rails: BTreeMap<String, String>,
    /// By source.
    pub mappings: BTreeMap<String, MappingFacts>,
    /// By name.
    pub asserts: BTreeMap<String, Judgement>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IncrementalFacts {
    pub arrival_lag: Option<String>,
    pub partition_by: Vec<String>,
}

/// The entity offers the member that orphans point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered;

/// The entity keeps every version of a key: `scd: type2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFacts {
    pub name: String,
    pub ty: Type,
    pub description: Option<String>,
    pub classification: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappingFacts {
    /// Columns that are read or kept in `raw`.
    pub columns: BTreeSet<String>,
    pub warn_after: Option<String>,
    pub error_after: Option<String>,
    /// By field of the entity.
    pub fields: BTreeMap<String, MappedFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFacts {
    pub ty: Type,
    pub from: SourceFacts,
    pub steps: Vec<StepFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceFacts {
    Path(String),
    Recipe(RecipeFacts),
}

/// The recipe's name is none: what it makes does not depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeFacts {
    /// Over `"1"`, `"2"`, …: the aliases in the order in which it reads them, then the others.
    pub value: String,
    pub aliases: Vec<AliasFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AliasFacts {
    pub name: String,
    pub ty: Type,
    pub from: String,
}

impl SourceFacts {
    /// Every path that is read.
    #[must_use]
    pub fn paths(&self) -> Vec<&String> {
        match self {
            Self::Path(path) => vec![path],
            Self::Recipe(recipe) => recipe.aliases.iter().map(|alias| &alias.from).collect(),
        }
    }
}

impl fmt::Display for SourceFacts {
    /// `$.gross - $.tax`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recipe = match self {
            Self::Path(path) => return f.write_str(path),
            Self::Recipe(recipe) => recipe,
        };
        let mut value = recipe.value.clone();
        for (index, alias) in recipe.aliases.iter().enumerate() {
            value = value.replace(&format!("\"{}\"", index + 1), &alias.from);
        }
        f.write_str(&value)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepFacts {
    /// The transform and its arguments.
    pub words: Vec<String>,
    pub out: Type,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QualityFacts {
    pub quarantine: Option<QuarantineFacts>,
    pub rules: BTreeMap<RuleKey, RuleFacts>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuarantineFacts {
    pub retention: String,
    pub redact: BTreeSet<String>,
    pub ceiling: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleKey {
    pub name: String,
    /// The mapping whose rows it judges; `None`: every row.
    pub source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFacts {
    pub disposition: Disposition,
    pub judgement: Judgement,
    pub description: Option<String>,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub kind: Kind,
    pub field: Option<String>,
    /// Name → values, sorted where the order says nothing.
    pub params: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Charset,
    Coercible,
    Exact,
    Expression,
    InEnum,
    InSet,
    Length,
    Normalize,
    NotNull,
    Pattern,
    Range,
    Referential,
    Unique,
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::Charset,
        Self::Coercible,
        Self::Exact,
        Self::Expression,
        Self::InEnum,
        Self::InSet,
        Self::Length,
        Self::Normalize,
        Self::NotNull,
        Self::Pattern,
        Self::Range,
        Self::Referential,
        Self::Unique,
    ];

    /// As the rule is called in a spec.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Charset => "charset",
            Self::Coercible => "coercible",
            Self::Exact => "exact",
            Self::Expression => "expression",
            Self::InEnum => "in_enum",
            Self::InSet => "in_set",
            Self::Length => "length",
            Self::Normalize => "normalize",
            Self::NotNull => "not_null",
            Self::Pattern => "pattern",
            Self::Range => "range",
            Self::Referential => "referential",
            Self::Unique => "unique",
        }
    }
}

#[must_use]
pub fn disposition_name(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::Fail => "fail",
        Disposition::Quarantine => "quarantine",
        Disposition::Flag => "flag",
        Disposition::UnknownMember => "unknown_member",
    }
}

impl Facts {
    #[must_use]
    pub fn of(project: &Project, settings: &Settings) -> Self {
        let Project {
            entities,
            checks,
            calendar,
        } = project;
        let entities = entities.iter();
        let checks = checks.iter();
        Self {
            project: ProjectFacts::of(settings),
            entities: entities
                .map(|entity| (entity.name.clone(), EntityFacts::of(entity)))
                .collect(),
            checks: checks
                .map(|check| (check.name.clone(), CheckFacts::of(check)))
                .collect(),
            calendar: calendar.as_ref().map(CalendarFacts::of),
        }
    }
}

impl ProjectFacts {
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let Settings {
            target,
            dialect,
            folder,
            schemas,
            layout,
            // The lock has it for itself.
            host: _,
        } = settings;
        let Schemas {
            bronze,
            silver,
            gold,
        } = schemas.clone();
        Self {
            generator: env!("CARGO_PKG_VERSION").to_owned(),
            target: target.name().to_owned(),
            dialect: dialect.name().to_owned(),
            folder: folder.clone(),
            layout: layout.name().to_owned(),
            bronze,
            silver,
            gold,
        }
    }
}

impl EntityFacts {
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FieldFacts> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Rules by key; none outside of the quality system.
    pub fn rules(&self) -> impl Iterator<Item = (&RuleKey, &RuleFacts)> {
        self.quality.iter().flat_map(|quality| &quality.rules)
    }
}

impl Judgement {
    /// The entity that a `referential` rule looks values up in.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        Some(self.params.get("parent")?.first()?.as_str())
    }

    /// (field here, field of the parent)
    pub fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        let columns = self.params.get("columns").into_iter();
        columns
            .flat_map(|columns| columns.chunks(2))
            .filter_map(|pair| match pair {
                [here, there] => Some((here.as_str(), there.as_str())),
                _ => None,
            })
    }
}

impl Judgement {
    /// Beside another version of it: what a lookup reads is long, so that only what differs is named.
    #[must_use]
    pub fn beside(&self, other: &Self) -> String {
        let is_lookup = self.kind == Kind::Referential && other.kind == Kind::Referential;
        let mut shown = self.clone();
        shown
            .params
            .retain(|name, values| !is_lookup || other.params.get(name) != Some(values));
        shown.to_string()
    }
}

impl fmt::Display for Judgement {
    /// `min 0, max 5`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind: _,
            field: _,
            params,
        } = self;
        let is_lower = |name: &str| name == "min";
        let lower = params.iter().filter(|(name, _)| is_lower(name));
        let others = params.iter().filter(|(name, _)| !is_lower(name));
        for (index, (name, values)) in lower.chain(others).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {}", values.join(", "))?;
        }
        Ok(())
    }
}
