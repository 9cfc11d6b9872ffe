//! The catalog: canonical fields and the recipes that compute them. Structure only.

use crate::place::Trail;
use crate::sql::types::Type;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The document.
    pub at: Trail,
    pub vertical: Option<String>,
    pub canonical_fields: Vec<CanonicalField>,
    pub date_dimension: Option<DateDimension>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalField {
    pub name: String,
    /// `canonical_fields.<name>`.
    pub at: Trail,
    pub entity: String,
    /// `None` when it was missing or wrong, which has been reported.
    pub ty: Option<Type>,
    pub unit: Option<Unit>,
    pub tax_basis: Option<String>,
    pub currency: Option<String>,
    pub recipes: Vec<Recipe>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Currency,
    Count,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    pub id: String,
    /// The list item.
    pub at: Trail,
    /// Aliases that the mapping's `from:` must give.
    pub requires: Vec<String>,
    /// Over the aliases; `None`: the only one of `requires` as it is.
    pub expr: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateDimension {
    pub at: Trail,
    pub name: String,
    pub start_year: u16,
    pub end_year: u16,
}
