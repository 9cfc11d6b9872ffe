//! What must hold between finished relations.

use std::fmt;

use crate::place::Place;

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
