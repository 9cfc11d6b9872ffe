//! What violates a rule, as an expression over the columns of `coerced` and its probes. It is TRUE
//! for a violation, FALSE for none, UNKNOWN where the rule cannot be decided.

use super::coerced::Input;
use super::judged::{probed_column, repeated_column};
use crate::ir::{Bounds, Entity, Rule, RuleKind, Scope};
use crate::sql::expr::{Comparison, Expr, Func};
use crate::sql::literal::Literal;

/// When the predicate is UNKNOWN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecided {
    Never,
    /// Exactly where the field is NULL: rules of one field share one test.
    WhereNull(String),
    /// Where the predicate itself says so.
    Predicate,
}

pub fn violation(rule: &Rule, entity: &Entity, inputs: &[Input]) -> (Expr, Undecided) {
    let (violation, undecided) = of_kind(rule, inputs);
    match rule.scope {
        Scope::Mapping(index) if entity.mappings.len() > 1 => {
            let own = Expr::column("_source").compare(
                Comparison::Equal,
                Expr::text(&entity.mappings[index].source),
            );
            let undecided = match undecided {
                Undecided::Never => Undecided::Never,
                Undecided::WhereNull(_) | Undecided::Predicate => Undecided::Predicate,
            };
            (Expr::And(vec![own, violation]), undecided)
        }
        Scope::Mapping(_) | Scope::Entity => (violation, undecided),
    }
}

fn of_kind(rule: &Rule, inputs: &[Input]) -> (Expr, Undecided) {
    let input = match rule.scope {
        Scope::Mapping(index) => Some(&inputs[index]),
        Scope::Entity => None,
    };
    let column = |field: &str| Expr::column(field);
    let of_field =
        |field: &str, violation: Expr| (violation, Undecided::WhereNull(field.to_owned()));
    match &rule.kind {
        RuleKind::Coercible { field } => (not_coercible(field, input), Undecided::Never),
        RuleKind::Exact { field } => (inexact(field, input), Undecided::Never),
        RuleKind::NotNull { field } => (column(field).is_null(), Undecided::Never),
        RuleKind::Range { field, bounds } => of_field(
            field,
            outside(&column(field), bounds, |limit| Expr::Literal(limit.clone())),
        ),
        RuleKind::Length { field, bounds } => {
            let length = Expr::Call(Func::Length, vec![column(field)]);
            of_field(
                field,
                outside(&length, bounds, |limit| Expr::int(i64::from(*limit))),
            )
        }
        RuleKind::Pattern { field, regex } => of_field(
            field,
            Expr::Matches(column(field).into(), regex.clone()).not(),
        ),
        RuleKind::InSet { field, values } => of_field(field, not_in(column(field), values)),
        RuleKind::InEnum { field } => match input.and_then(|input| input.field(field)) {
            Some(lowered) => match &lowered.enum_input {
                Some((text, known)) => {
                    let known: Vec<Literal> = known.iter().cloned().map(Literal::Text).collect();
                    (not_in(column(text), &known), Undecided::Predicate)
                }
                None => (Expr::Literal(Literal::Bool(false)), Undecided::Never),
            },
            None => (Expr::Literal(Literal::Bool(false)), Undecided::Never),
        },
        RuleKind::Unique { field, filter } => {
            let repeats = column(&repeated_column(&rule.name)).is_not_null();
            let blamed = match filter {
                Some(filter) => Expr::And(vec![repeats, filter.clone()]),
                None => repeats,
            };
            // Where the value is NULL there is nothing to compare.
            let decided = Expr::Case {
                arms: vec![(column(field).is_not_null(), blamed)],
                otherwise: None,
            };
            (decided, Undecided::Predicate)
        }
        RuleKind::NormalizeNfc { field } => {
            let normal = Expr::Nfc(column(field).into());
            of_field(field, normal.compare(Comparison::NotEqual, column(field)))
        }
        RuleKind::Charset {
            field,
            ranges,
            allow,
        } => of_field(
            field,
            Expr::HasCodePoint {
                text: column(field).into(),
                ranges: ranges.clone(),
                outside: *allow,
            },
        ),
        RuleKind::Expression { holds } => (holds.clone().not(), Undecided::Predicate),
        RuleKind::Referential(referential) => {
            let has_key = Expr::all(
                referential
                    .columns
                    .iter()
                    .map(|(here, _)| column(here).is_not_null())
                    .collect(),
            );
            // The keys are equal where a parent was found, so no part of its key is NULL there.
            let probed = referential.columns.iter().take(1);
            let is_orphan = probed
                .map(|(_, there)| {
                    column(&probed_column(&referential.relationship, there)).is_null()
                })
                .collect();
            let decided = Expr::Case {
                arms: vec![(has_key, Expr::all(is_orphan))],
                otherwise: None,
            };
            (decided, Undecided::Predicate)
        }
    }
}

fn not_coercible(field: &str, input: Option<&Input>) -> Expr {
    let Some(input) = input else {
        return Expr::Literal(Literal::Bool(false));
    };
    let mut reasons: Vec<Expr> = input
        .malformed
        .iter()
        .filter(|(name, _)| name == field)
        .map(|(_, column)| Expr::column(column))
        .collect();
    let markers = input
        .field(field)
        .map(|lowered| lowered.markers.as_slice())
        .unwrap_or_default();
    let failed = input
        .field(field)
        .and_then(|lowered| lowered.failed.as_ref());
    reasons.extend(failed.map(|column| Expr::column(column)));
    for (from, to) in markers {
        reasons.push(Expr::And(vec![
            Expr::column(from).is_not_null(),
            Expr::column(to).is_null(),
        ]));
    }
    Expr::any(reasons)
}

fn inexact(field: &str, input: Option<&Input>) -> Expr {
    let Some(lowered) = input.and_then(|input| input.field(field)) else {
        return Expr::Literal(Literal::Bool(false));
    };
    let inexact = match (&lowered.inexact, &lowered.decimal_text) {
        (Some(column), _) => Expr::column(column),
        (None, Some((text, scale))) => Expr::LosesDigits {
            text: Expr::column(text).into(),
            scale: *scale,
        },
        (None, None) => return Expr::Literal(Literal::Bool(false)),
    };
    Expr::And(vec![Expr::column(field).is_not_null(), inexact])
}

fn outside<T>(value: &Expr, bounds: &Bounds<T>, literal: impl Fn(&T) -> Expr) -> Expr {
    match bounds {
        Bounds::Min(min) => value.clone().compare(Comparison::Less, literal(min)),
        Bounds::Max(max) => value.clone().compare(Comparison::Greater, literal(max)),
        Bounds::Both(min, max) => Expr::Between {
            value: value.clone().into(),
            low: literal(min).into(),
            high: literal(max).into(),
            negated: true,
        },
    }
}

fn not_in(value: Expr, values: &[Literal]) -> Expr {
    Expr::In {
        value: value.into(),
        list: values.iter().cloned().map(Expr::Literal).collect(),
        negated: true,
    }
}
