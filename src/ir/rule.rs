//! What must hold of a row, and what becomes of one of which it does not hold.

use crate::place::Place;
use crate::sql::expr::Expr;
use crate::sql::literal::Literal;
use crate::sql::regex::Regex;

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

impl RuleKind {
    #[must_use]
    pub fn referential(&self) -> Option<&Referential> {
        match self {
            Self::Referential(referential) => Some(referential),
            Self::Coercible { .. }
            | Self::Exact { .. }
            | Self::NotNull { .. }
            | Self::Range { .. }
            | Self::Length { .. }
            | Self::Pattern { .. }
            | Self::InEnum { .. }
            | Self::InSet { .. }
            | Self::Unique { .. }
            | Self::NormalizeNfc { .. }
            | Self::Charset { .. }
            | Self::Expression { .. } => None,
        }
    }
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
