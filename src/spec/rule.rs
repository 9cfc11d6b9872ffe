//! A rule as written, on a field or on an entity. Which parameters a rule takes, which
//! dispositions it may have and which words are refused is for `check`.

use super::Scalar;
use crate::place::{Place, Trail};

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
        self.params.iter().find(|param| param.name == name).map(|param| &param.value)
    }

    #[must_use]
    pub fn param_place(&self, name: &str) -> Place {
        self.at.key(name)
    }
}
