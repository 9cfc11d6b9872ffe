//! Whether a rule refuses more than it did, or less, or both: interval and set arithmetic over its
//! parameters.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::change::facts::{Judgement, Kind};
use crate::sql::literal::read::compare_decimals;
use crate::sql::types::Type;

/// What the new rule refuses, seen from the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Same,
    Less,
    More,
    /// Some rows more and some less, or nobody can tell.
    Other,
}

impl Effect {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, effect) | (effect, Self::Same) => effect,
            (Self::Less, Self::Less) => Self::Less,
            (Self::More, Self::More) => Self::More,
            (Self::Less | Self::More | Self::Other, Self::Less | Self::More | Self::Other) => {
                Self::Other
            }
        }
    }

    /// Something was allowed only before, and something is allowed only now.
    fn of_sets(is_lost: bool, is_gained: bool) -> Self {
        match (is_lost, is_gained) {
            (false, false) => Self::Same,
            (false, true) => Self::Less,
            (true, false) => Self::More,
            (true, true) => Self::Other,
        }
    }
}

/// `ty` is the type of the field that both judge; `None` where they judge none.
pub fn effect(old: &Judgement, new: &Judgement, ty: Option<Type>) -> Effect {
    if old == new {
        return Effect::Same;
    }
    if old.kind != new.kind || old.field != new.field {
        return Effect::Other;
    }
    let values = |of: &Judgement, name: &str| of.params.get(name).cloned().unwrap_or_default();
    let differ = |name: &str| values(old, name) != values(new, name);
    match new.kind {
        Kind::Coercible | Kind::Exact | Kind::NotNull | Kind::Normalize => Effect::Same,
        Kind::Range | Kind::Length => {
            let limit = |of: &Judgement, name: &str| values(of, name).first().cloned();
            let order = |name: &str, stricter: Ordering| {
                bound(limit(old, name), limit(new, name), stricter, new.kind, ty)
            };
            order("min", Ordering::Greater).and(order("max", Ordering::Less))
        }
        Kind::InSet | Kind::InEnum => {
            let set = |of: &Judgement| -> BTreeSet<String> {
                let values = values(of, "values").into_iter();
                values.map(|value| canonical(value, ty)).collect()
            };
            let (old, new) = (set(old), set(new));
            Effect::of_sets(!old.is_subset(&new), !new.is_subset(&old))
        }
        Kind::Charset => match (allowed(old), allowed(new)) {
            (Some(old), Some(new)) => {
                Effect::of_sets(!is_within(&old, &new), !is_within(&new, &old))
            }
            (None, _) | (_, None) => Effect::Other,
        },
        Kind::Unique => match (
            values(old, "where").is_empty(),
            values(new, "where").is_empty(),
        ) {
            (true, false) => Effect::Less,
            (false, true) => Effect::More,
            (true, true) | (false, false) => Effect::Other,
        },
        // How the relationship is called says nothing.
        Kind::Referential => match differ("parent") || differ("columns") {
            true => Effect::Other,
            false => Effect::Same,
        },
        Kind::Expression => match (values(old, "expr").first(), values(new, "expr").first()) {
            (Some(old), Some(new)) => of_limits(old, new),
            (None, _) | (_, None) => Effect::Other,
        },
        Kind::Pattern => Effect::Other,
    }
}

/// `"amount" >= 0`: a column, held to one side of a number.
struct Limit<'e> {
    column: &'e str,
    is_lower: bool,
    is_strict: bool,
    number: &'e str,
}

impl<'e> Limit<'e> {
    fn read(expression: &'e str) -> Option<Self> {
        let (head, number) = expression.rsplit_once(' ')?;
        let (column, operator) = head.rsplit_once(' ')?;
        let name = column.strip_prefix('"')?.strip_suffix('"')?;
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        if name.contains('"') || !is_number {
            return None;
        }
        let (is_lower, is_strict) = match operator {
            ">" => (true, true),
            ">=" => (true, false),
            "<" => (false, true),
            "<=" => (false, false),
            _ => return None,
        };
        Some(Self {
            column,
            is_lower,
            is_strict,
            number,
        })
    }
}

fn of_limits(old: &str, new: &str) -> Effect {
    let (Some(old), Some(new)) = (Limit::read(old), Limit::read(new)) else {
        return Effect::Other;
    };
    if old.column != new.column || old.is_lower != new.is_lower {
        return Effect::Other;
    }
    let order = match new.is_lower {
        true => compare_decimals(new.number, old.number),
        false => compare_decimals(old.number, new.number),
    };
    match order.then(new.is_strict.cmp(&old.is_strict)) {
        Ordering::Less => Effect::Less,
        Ordering::Equal => Effect::Same,
        Ordering::Greater => Effect::More,
    }
}

fn bound(
    old: Option<String>,
    new: Option<String>,
    stricter: Ordering,
    kind: Kind,
    ty: Option<Type>,
) -> Effect {
    match (old, new) {
        (None, None) => Effect::Same,
        (None, Some(_)) => Effect::More,
        (Some(_), None) => Effect::Less,
        (Some(old), Some(new)) => {
            let is_number = kind == Kind::Length || ty.is_some_and(Type::is_number);
            let order = match is_number {
                true => compare_decimals(&new, &old),
                false => canonical(new, ty).cmp(&canonical(old, ty)),
            };
            match order {
                Ordering::Equal => Effect::Same,
                order if order == stricter => Effect::More,
                Ordering::Less | Ordering::Greater => Effect::Less,
            }
        }
    }
}

/// One spelling of a value: zeros at the end of a fraction say nothing.
fn canonical(value: String, ty: Option<Type>) -> String {
    let has_fraction = match ty {
        Some(Type::Int | Type::Decimal(_) | Type::Timestamp) => value.contains('.'),
        Some(Type::String | Type::Bool | Type::Date | Type::Variant) | None => false,
    };
    match has_fraction {
        true => value.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => value,
    }
}

const LAST: u32 = 0x0010_FFFF;

/// The code points that pass, as sorted inclusive ranges.
fn allowed(judgement: &Judgement) -> Option<Vec<(u32, u32)>> {
    let ranges = |name: &str| -> Option<Vec<(u32, u32)>> {
        judgement
            .params
            .get(name)?
            .iter()
            .map(|text| range(text))
            .collect()
    };
    if judgement.params.contains_key("allow") {
        return ranges("allow");
    }
    let mut allowed = Vec::new();
    let mut next = 0;
    for (first, last) in ranges("forbid")? {
        if next < first {
            allowed.push((next, first - 1));
        }
        next = last + 1;
    }
    if next <= LAST {
        allowed.push((next, LAST));
    }
    Some(allowed)
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-')?;
    let point = |text: &str| u32::from_str_radix(text.strip_prefix("U+")?, 16).ok();
    let (first, last) = (point(first)?, point(last)?);
    (first <= last && last <= LAST).then_some((first, last))
}

/// Ranges that touch are one, so that each range lies in a single one of the others.
fn is_within(inner: &[(u32, u32)], outer: &[(u32, u32)]) -> bool {
    let holds = |(first, last): &(u32, u32)| outer.iter().any(|(a, b)| a <= first && last <= b);
    inner.iter().all(holds)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Effect, effect};
    use crate::change::facts::{Judgement, Kind};
    use crate::sql::types::Type;

    /// `min: 0 max: 5`, values divided by blanks.
    fn judgement(kind: Kind, params: &str) -> Judgement {
        let mut read: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut open = String::new();
        for word in params.split_whitespace() {
            match word.strip_suffix(':') {
                Some(name) => name.clone_into(&mut open),
                None => read.entry(open.clone()).or_default().push(word.to_owned()),
            }
        }
        Judgement {
            kind,
            field: Some("amount".to_owned()),
            params: read,
        }
    }

    fn check(kind: Kind, ty: Type, old: &str, new: &str, expected: Effect) {
        let (before, after) = (judgement(kind, old), judgement(kind, new));
        let found = effect(&before, &after, Some(ty));
        assert_eq!(found, expected, "{kind:?}: {old} → {new}");
        let mirrored = match expected {
            Effect::Less => Effect::More,
            Effect::More => Effect::Less,
            Effect::Same | Effect::Other => expected,
        };
        let found = effect(&after, &before, Some(ty));
        assert_eq!(found, mirrored, "{kind:?}: {new} → {old}");
    }

    #[test]
    fn ranges_are_intervals() {
        for (old, new, expected) in [
            ("min: 0", "min: 0.00", Effect::Same),
            ("min: 0", "min: 1", Effect::More),
            ("min: -1", "min: -2", Effect::Less),
            ("min: 9", "min: 10", Effect::More),
            ("max: 9", "max: 10", Effect::Less),
            ("min: 0", "min: 0 max: 10", Effect::More),
            ("min: 0 max: 10", "min: 1 max: 9.5", Effect::More),
            ("min: 0 max: 10", "min: 1 max: 11", Effect::Other),
            ("min: 0", "max: 10", Effect::Other),
        ] {
            check(Kind::Range, Type::Int, old, new, expected);
        }
        let (old, new) = ("min: 2015-01-01", "min: 2014-12-31");
        check(Kind::Range, Type::Date, old, new, Effect::Less);
        let (old, new) = ("max: 10:00:00", "max: 10:00:00.50");
        check(Kind::Range, Type::Timestamp, old, new, Effect::Less);
        check(
            Kind::Length,
            Type::String,
            "max: 9",
            "max: 10",
            Effect::Less,
        );
    }

    #[test]
    fn lists_are_sets() {
        for (ty, old, new, expected) in [
            (Type::String, "a b", "a", Effect::More),
            (Type::String, "a b", "a b c", Effect::Less),
            (Type::String, "a b", "a c", Effect::Other),
            (Type::String, "1.50", "1.5", Effect::Other),
            (Type::Int, "1.50 2", "1.5 2.0", Effect::Same),
        ] {
            let (old, new) = (format!("values: {old}"), format!("values: {new}"));
            check(Kind::InSet, ty, &old, &new, expected);
        }
    }

    #[test]
    fn characters_are_sets_of_code_points() {
        for (old, new, expected) in [
            ("allow: U+0020-U+007E", "allow: U+0020-U+00FF", Effect::Less),
            (
                "allow: U+0020-U+10FFFF",
                "forbid: U+0000-U+001F",
                Effect::Same,
            ),
            (
                "forbid: U+0000-U+001F",
                "forbid: U+0000-U+001F U+FFFD-U+FFFD",
                Effect::More,
            ),
            (
                "allow: U+0020-U+007E",
                "forbid: U+0041-U+0041",
                Effect::Other,
            ),
        ] {
            check(Kind::Charset, Type::String, old, new, expected);
        }
    }

    #[test]
    fn a_column_held_to_a_number_is_an_interval() {
        let expression = |text: &str| {
            let mut judgement = judgement(Kind::Expression, "");
            judgement.field = None;
            judgement
                .params
                .insert("expr".to_owned(), vec![text.to_owned()]);
            judgement
        };
        for (old, new, expected) in [
            ("\"a\" >= 0", "\"a\" > 0", Effect::More),
            ("\"a\" >= 0", "\"a\" >= 0.00", Effect::Same),
            ("\"a\" > 9", "\"a\" >= 10", Effect::More),
            ("\"a\" < 9", "\"a\" <= 9", Effect::Less),
            ("\"a\" < -9", "\"a\" < -10", Effect::More),
            ("\"a\" >= 0", "\"b\" >= 0", Effect::Other),
            ("\"a\" >= 0", "\"a\" <= 0", Effect::Other),
            ("\"a\" = 0", "\"a\" > 0", Effect::Other),
            ("\"a\" + \"b\" > 0", "\"a\" + \"b\" > 1", Effect::Other),
            ("NOT \"a\" > 0", "NOT \"a\" > 1", Effect::Other),
        ] {
            let found = effect(&expression(old), &expression(new), None);
            assert_eq!(found, expected, "{old} → {new}");
        }
    }

    #[test]
    fn a_filter_frees_rows() {
        check(Kind::Unique, Type::Int, "", "where: x", Effect::Less);
        check(
            Kind::Unique,
            Type::Int,
            "where: x",
            "where: y",
            Effect::Other,
        );
        check(
            Kind::Pattern,
            Type::String,
            "regex: a",
            "regex: b",
            Effect::Other,
        );
    }
}
