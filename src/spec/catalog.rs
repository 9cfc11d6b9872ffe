//! The catalog: canonical fields and the recipes that compute them. Structure only.

use super::shape::{Form, Least, Others, Shape, optional, required};
use super::{grammar, read};
use crate::place::Trail;
use crate::sql::types::Type;
use crate::yaml::Node;

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
    /// Aliases that the mapping's `from:` must give; in authored order.
    pub requires: Vec<Required>,
    /// Over the aliases; `None`: the only one of `requires` as it is.
    pub expr: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    pub alias: String,
    /// `None` where only the alias is listed.
    pub ty: Option<Type>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateDimension {
    pub at: Trail,
    pub name: String,
    pub start_year: u16,
    pub end_year: u16,
}

pub(super) fn read(root: &Node, at: &Trail) -> Catalog {
    let date_dimension = root.get("date_dimension").and_then(|node| {
        Some(DateDimension {
            at: at.down("date_dimension"),
            name: read::text(node, "name")?,
            start_year: read::number(node, "start_year")?,
            end_year: read::number(node, "end_year")?,
        })
    });
    Catalog {
        at: at.clone(),
        vertical: read::text(root, "vertical"),
        canonical_fields: read::named(root, at, "canonical_fields", canonical_field),
        date_dimension,
    }
}

fn canonical_field(name: &str, node: &Node, at: Trail) -> Option<CanonicalField> {
    Some(CanonicalField {
        name: name.to_owned(),
        entity: read::text(node, "entity")?,
        ty: read::parsed(node, "type", grammar::ty),
        unit: read::word(
            node,
            "unit",
            &[("currency", Unit::Currency), ("count", Unit::Count)],
        ),
        tax_basis: read::text(node, "tax_basis"),
        currency: read::text(node, "currency"),
        recipes: read::items(node, &at, "recipes", recipe).unwrap_or_default(),
        at,
    })
}

fn recipe(node: &Node, at: Trail) -> Option<Recipe> {
    Some(Recipe {
        id: read::text(node, "id")?,
        requires: requires(node),
        expr: read::text(node, "expr"),
        at,
    })
}

/// A list of aliases, or alias → type.
fn requires(node: &Node) -> Vec<Required> {
    let Some(node) = node.get("requires") else {
        return Vec::new();
    };
    let alias = |alias: &str, ty| Required {
        alias: alias.to_owned(),
        ty,
    };
    let listed = node.items().iter();
    let listed = listed.filter_map(|item| Some(alias(item.text()?, None)));
    let typed = node.entries().iter().map(|entry| {
        let ty = entry.value.text().and_then(|text| grammar::ty(text).ok());
        alias(&entry.key, ty)
    });
    listed.chain(typed).collect()
}

const YEAR: Form = Form::Whole {
    min: 1900,
    max: 2199,
};

/// The document.
pub(super) const CATALOG: Shape = Shape {
    what: "a catalog",
    others: Others::AnchorsOnly,
    keys: &[
        required("catalog_version", Form::Version, "the integer 1"),
        optional("vertical", Form::Text, "the line of business"),
        optional(
            "canonical_fields",
            Form::Map {
                key: &Form::Name,
                value: &Form::Table(&CANONICAL_FIELD),
                least: Least::None,
            },
            "fields whose meaning is the same everywhere, by name",
        ),
        optional(
            "canonical_relationships",
            Form::Anything,
            "relationships between them",
        ),
        optional(
            "metric_templates",
            Form::Map {
                key: &Form::Name,
                value: &Form::Anything,
                least: Least::None,
            },
            "metrics that projects can take over, by name",
        ),
        optional(
            "date_dimension",
            Form::Table(&DATE_DIMENSION),
            "the calendar",
        ),
    ],
};

const CANONICAL_FIELD: Shape = Shape {
    what: "a canonical field",
    others: Others::Refused,
    keys: &[
        required("entity", Form::Name, "the entity it belongs to"),
        required("type", Form::Type, "its type"),
        optional(
            "unit",
            Form::Word(&["currency", "count"]),
            "what is counted",
        ),
        optional("tax_basis", Form::Text, "`net` or `gross`"),
        optional("currency", Form::Currency, "three capital letters"),
        optional("description", Form::Prose, "what it means"),
        optional(
            "recipes",
            Form::List(&Form::Table(&RECIPE), Least::None),
            "the ways to compute it",
        ),
    ],
};

const RECIPE: Shape = Shape {
    what: "a recipe",
    others: Others::Refused,
    keys: &[
        required("id", Form::Text, "what mappings call it"),
        required(
            "requires",
            Form::Aliases,
            "the aliases that it reads, or alias to type",
        ),
        optional("expr", Form::Code, "the value, over the aliases"),
        optional("description", Form::Prose, "when to take it"),
    ],
};

const DATE_DIMENSION: Shape = Shape {
    what: "`date_dimension`",
    others: Others::Refused,
    keys: &[
        required("name", Form::EntityName, "the relation's name"),
        optional("grain", Form::Word(&["day"]), "what one row is"),
        required("start_year", YEAR, "the first year"),
        required("end_year", YEAR, "the last year"),
    ],
};
