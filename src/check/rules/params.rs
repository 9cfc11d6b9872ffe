//! Reading the parameters of rules, and what they may not be.

use std::cmp::Ordering;

use crate::check::chain::literal_of;
use crate::diag::code::{e03xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::place::Place;
use crate::spec::Scalar;
use crate::spec::rule::{ParamValue, RuleSpec};
use crate::sql::literal::{Literal, read};
use crate::sql::types::Type;

pub(super) fn check_known(spec: &RuleSpec, params: &[&str], found: &mut Bag) {
    for param in &spec.params {
        let name = param.name.as_str();
        if params.contains(&name) {
            continue;
        }
        let diagnostic = Diagnostic::error(
            e04xx::RULE_PARAMETER,
            spec.param_place(name).at_key(),
            format!("`{}` takes no `{name}`", spec.rule),
        );
        let all = params.iter().copied().chain(["name", "description"]);
        found.push(diagnostic.help_nearest_word(name, all));
    }
}

/// One value. `None`: not written, or of a wrong shape, which has been reported.
pub(super) fn one<'r>(spec: &'r RuleSpec, name: &str, found: &mut Bag) -> Option<&'r Scalar> {
    match spec.param(name)? {
        ParamValue::One(value) => Some(value),
        ParamValue::List(_) | ParamValue::Other => {
            wrong(spec, name, "one value", found);
            None
        }
    }
}

/// A list; one value is a list of one.
pub(super) fn list<'r>(spec: &'r RuleSpec, name: &str, found: &mut Bag) -> Option<&'r [Scalar]> {
    match spec.param(name)? {
        ParamValue::One(value) => Some(std::slice::from_ref(value)),
        ParamValue::List(values) => Some(values),
        ParamValue::Other => {
            wrong(spec, name, "a list of values", found);
            None
        }
    }
}

/// At least one of `names` is written.
pub(super) fn required(spec: &RuleSpec, names: &[&str], form: &str, found: &mut Bag) {
    if names.iter().any(|name| spec.param(name).is_some()) {
        return;
    }
    let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    found.push(
        Diagnostic::error(
            e04xx::RULE_PARAMETER,
            spec.at.place(),
            format!("`{}` without {}", spec.rule, shown.join(" or ")),
        )
        .help(format!("write `{form}`")),
    );
}

pub(super) fn wrong(spec: &RuleSpec, name: &str, wanted: &str, found: &mut Bag) {
    found.push(
        Diagnostic::error(
            e04xx::RULE_PARAMETER,
            spec.param_place(name),
            format!("`{name}` of `{}` is not {wanted}", spec.rule),
        )
        .help(format!("write {wanted}")),
    );
}

pub(super) fn never_fires(place: Place, message: String, why: &str, found: &mut Bag) {
    found.push(
        Diagnostic::error(e04xx::NEVER_FIRES, place, message)
            .label(why)
            .help("drop the rule, or correct it"),
    );
}

pub(super) fn never_passes(place: Place, message: String, why: &str, found: &mut Bag) {
    found.push(
        Diagnostic::error(e04xx::NEVER_PASSES, place, message)
            .label(why)
            .help("correct it; as it stands it refuses every row with a value"),
    );
}

/// `min` is not above `max`.
pub(in crate::check) fn check_order(low: &Literal, high: &Literal, place: Place, found: &mut Bag) {
    if read::compare(low, high) == Some(Ordering::Greater) {
        let message = "`min` is above `max`".to_owned();
        never_passes(place, message, "no value is at once above and below", found);
    }
}

/// Literals of one type, sorted. `None`: a problem has been reported.
pub(in crate::check) fn distinct(
    values: &[Scalar],
    ty: Type,
    place: &Place,
    found: &mut Bag,
) -> Option<Vec<Literal>> {
    if values.is_empty() {
        let message = "a list of allowed values that is empty".to_owned();
        never_passes(place.clone(), message, "no value is in it", found);
        return None;
    }
    let mut read_values: Vec<(Literal, usize)> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        match literal_of(ty, &value.text) {
            Ok(literal) => read_values.push((literal, index)),
            Err(reason) => {
                found.push(Diagnostic::error(
                    e03xx::LITERAL_TYPE,
                    place.index(index),
                    reason,
                ));
            }
        }
    }
    let all_read = read_values.len() == values.len();
    read_values.sort_by(|(a, i), (b, j)| {
        read::compare(a, b)
            .unwrap_or(Ordering::Equal)
            .then(i.cmp(j))
    });
    let mut literals: Vec<Literal> = Vec::new();
    for (literal, index) in read_values {
        match literals.last() {
            Some(last) if read::compare(last, &literal) == Some(Ordering::Equal) => found.push(
                Diagnostic::error(
                    e04xx::VALUE_TWICE,
                    place.index(index),
                    format!("`{}` is listed twice", values[index].text),
                )
                .help("delete one of them"),
            ),
            Some(_) | None => literals.push(literal),
        }
    }
    all_read.then_some(literals)
}
