//! A rule as written, on a field or on an entity. Which parameters a rule takes, which
//! dispositions it may have and which words are refused is for `check`.

use super::shape::{Form, Least, Others, Shape, optional, required};
use super::{Scalar, read};
use crate::place::{Place, Trail};
use crate::yaml::{Kind, Node};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSpec {
    /// The list item.
    pub at: Trail,
    /// Place `at.key("rule")`.
    pub rule: String,
    /// `[a-z0-9_]+`.
    pub name: Option<String>,
    pub description: Option<String>,
    pub on_fail: Option<String>,
    pub on_missing: Option<String>,
    /// Every other key, in authored order, no name twice.
    pub params: Vec<Param>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Place `rule.param_place(name)`; `.at_key()` for the name itself.
    pub name: String,
    pub value: ParamValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamValue {
    One(Scalar),
    /// Place `rule.param_place(name).index(n)`.
    List(Vec<Scalar>),
    /// A null, a map or a nested list: no rule takes such a parameter.
    Other,
}

impl RuleSpec {
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&ParamValue> {
        self.params
            .iter()
            .find(|param| param.name == name)
            .map(|param| &param.value)
    }

    #[must_use]
    pub fn param_place(&self, name: &str) -> Place {
        self.at.key(name)
    }
}

pub(super) fn read(node: &Node, at: Trail) -> Option<RuleSpec> {
    let is_common = |key: &str| {
        matches!(
            key,
            "rule" | "name" | "description" | "on_fail" | "on_missing"
        )
    };
    let params = node.entries().iter().filter(|entry| !is_common(&entry.key));
    Some(RuleSpec {
        rule: read::text(node, "rule")?,
        name: read::text(node, "name"),
        description: read::text(node, "description"),
        on_fail: read::text(node, "on_fail"),
        on_missing: read::text(node, "on_missing"),
        params: params
            .map(|entry| Param {
                name: entry.key.clone(),
                value: param(&entry.value),
            })
            .collect(),
        at,
    })
}

fn param(node: &Node) -> ParamValue {
    match &node.kind {
        Kind::Scalar(scalar) => ParamValue::One(Scalar {
            text: scalar.text.clone(),
            quoted: scalar.quoted,
        }),
        Kind::Seq(items) => {
            let scalars: Option<Vec<Scalar>> = items.iter().map(read::scalar).collect();
            scalars.map_or(ParamValue::Other, ParamValue::List)
        }
        Kind::Null(_) | Kind::Map(_) => ParamValue::Other,
    }
}

const ON_FAIL: &[&str] = &["flag", "quarantine", "fail"];
const LITERALS: Form = Form::List(&Form::Literal, Least::One);

/// Under `quality:` of a field.
pub(super) const FIELD_RULE: Shape = Shape {
    what: "a rule",
    others: Others::Parameters,
    keys: &[
        required("rule", Form::Disposition(FIELD_RULES), "which rule"),
        optional("name", Form::RuleName, "instead of the generated name"),
        optional("description", Form::Prose, "why the rule is there"),
        optional(
            "on_fail",
            Form::Disposition(ON_FAIL),
            "what happens to a row that breaks it",
        ),
        optional(
            "min",
            Form::Param(&Form::Literal),
            "`range`, `length`: the least that passes",
        ),
        optional(
            "max",
            Form::Param(&Form::Literal),
            "`range`, `length`: the most that passes",
        ),
        optional(
            "regex",
            Form::Param(&Form::Code),
            "`pattern`: what must match",
        ),
        optional("values", Form::Param(&LITERALS), "`in_set`: what passes"),
        optional(
            "where",
            Form::Param(&Form::Code),
            "`unique`: which rows are compared",
        ),
        optional(
            "form",
            Form::Param(&Form::Word(&["nfc"])),
            "`normalize`: the Unicode form",
        ),
        optional(
            "allow",
            Form::Param(&LITERALS),
            "`charset`: code points that pass",
        ),
        optional(
            "forbid",
            Form::Param(&LITERALS),
            "`charset`: code points that do not pass",
        ),
    ],
};

/// Under `quality:` of an entity.
pub(super) const ENTITY_RULE: Shape = Shape {
    what: "a rule",
    others: Others::Parameters,
    keys: &[
        required(
            "rule",
            Form::Disposition(&["expression", "referential"]),
            "which rule",
        ),
        optional(
            "name",
            Form::RuleName,
            "`expression`: what the rule is called",
        ),
        optional("description", Form::Prose, "why the rule is there"),
        optional(
            "on_fail",
            Form::Disposition(ON_FAIL),
            "what happens to a row that breaks it",
        ),
        optional(
            "on_missing",
            Form::Disposition(&["unknown_member", "quarantine", "flag"]),
            "`referential`: what happens to a row without a parent",
        ),
        optional(
            "expr",
            Form::Param(&Form::Code),
            "`expression`: the condition that must hold",
        ),
        optional(
            "via",
            Form::Param(&Form::Name),
            "`referential`: the relationship",
        ),
    ],
};

const FIELD_RULES: &[&str] = &[
    "charset",
    "coercible",
    "exact",
    "in_enum",
    "in_set",
    "length",
    "normalize",
    "not_null",
    "pattern",
    "range",
    "unique",
];
