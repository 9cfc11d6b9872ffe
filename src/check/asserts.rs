//! `assert:` on a field: alerts on the finished relation, which route nothing.

use super::chain::literal_of;
use super::rules::{params, refused_regex};
use super::world::EntityView;
use crate::diag::code::{e02xx, e03xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Assert, AssertKind};
use crate::place::Place;
use crate::spec::Scalar;
use crate::spec::entity_model::{AssertSpec, FieldSpec};
use crate::sql::literal::Literal;
use crate::sql::regex::Regex;
use crate::sql::types::Type;

pub(super) fn resolve(entity: &EntityView<'_>, found: &mut Bag) -> Vec<Assert> {
    let mut asserts = Vec::new();
    for field in &entity.spec.fields {
        if field.assert == AssertSpec::default() {
            continue;
        }
        let Some(ty) = field.ty else { continue };
        if !entity.columns.contains_key(field.name.as_str()) {
            found.push(
                Diagnostic::error(
                    e02xx::FIELD_NOT_MAPPED,
                    field.at.key("assert").at_key(),
                    format!("`assert` on `{}`, which no mapping fills", field.name),
                )
                .help("map the field, or drop the `assert`"),
            );
            continue;
        }
        for (kind, name) in kinds(field, ty, found) {
            let name = format!("{}_{name}", field.name);
            asserts.push(Assert {
                name,
                field: field.name.clone(),
                kind,
            });
        }
    }
    asserts
}

fn kinds(field: &FieldSpec, ty: Type, found: &mut Bag) -> Vec<(AssertKind, &'static str)> {
    let AssertSpec {
        min,
        max,
        not_null,
        one_of,
        regex,
    } = &field.assert;
    let place = |key: &str| field.at.key("assert").key(key);
    let mut kinds = Vec::new();
    let low = min
        .as_ref()
        .and_then(|min| bound(min, ty, place("min"), found));
    let high = max
        .as_ref()
        .and_then(|max| bound(max, ty, place("max"), found));
    if let (Some(low), Some(high)) = (&low, &high) {
        params::check_order(low, high, place("min"), found);
    }
    kinds.extend(low.map(|low| (AssertKind::Min(low), "min")));
    kinds.extend(high.map(|high| (AssertKind::Max(high), "max")));
    if *not_null {
        kinds.push((AssertKind::NotNull, "not_null"));
    }
    if let Some(values) = one_of {
        let literals = params::distinct(values, ty, &place("enum"), found);
        kinds.extend(literals.map(|values| (AssertKind::Enum(values), "enum")));
    }
    if let Some(pattern) = regex {
        kinds.extend(
            matching(pattern, ty, place("regex"), found)
                .map(|regex| (AssertKind::Regex(regex), "regex")),
        );
    }
    kinds
}

fn bound(text: &Scalar, ty: Type, place: Place, found: &mut Bag) -> Option<Literal> {
    if !ty.is_number() && !ty.is_time() {
        found.push(
            Diagnostic::error(
                e04xx::RULE_TYPE,
                place,
                format!("a bound on a field of type `{ty}`"),
            )
            .help("bounds fit numbers, dates and timestamps"),
        );
        return None;
    }
    match literal_of(ty, &text.text) {
        Ok(literal) => Some(literal),
        Err(reason) => {
            found.push(Diagnostic::error(e03xx::LITERAL_TYPE, place, reason));
            None
        }
    }
}

fn matching(pattern: &str, ty: Type, place: Place, found: &mut Bag) -> Option<Regex> {
    if ty != Type::String {
        found.push(
            Diagnostic::error(
                e04xx::RULE_TYPE,
                place,
                format!("a pattern on a field of type `{ty}`"),
            )
            .help("patterns fit strings"),
        );
        return None;
    }
    match Regex::parse(pattern) {
        Ok(regex) => Some(regex),
        Err(refusal) => {
            found.push(refused_regex(pattern, &refusal, place));
            None
        }
    }
}
