//! One type for several values that stand side by side.

use super::narrow::{Narrower, Typed};
use crate::sql::expr::Expr;
use crate::sql::literal::{Literal, read};
use crate::sql::types::{DecimalType, Type};

/// An int of 64 bits has at most this many digits.
pub(super) const INT: DecimalType = DecimalType {
    precision: 19,
    scale: 0,
};

impl Narrower<'_> {
    /// The values as one type: quoted dates become dates, dates beside timestamps become
    /// timestamps, NULLs take the type of the rest. `None` as type: all are NULL.
    pub(super) fn unify(
        &mut self,
        values: Vec<Typed>,
        what: &str,
    ) -> Option<(Vec<Expr>, Option<Type>)> {
        let Some(target) = self.common_type(&values, what)? else {
            return Some((values.into_iter().map(|value| value.expr).collect(), None));
        };
        let mut unified = Vec::new();
        for value in values {
            unified.push(match (value.ty, value.expr) {
                (None, _) => Expr::Literal(Literal::Null(target)),
                (Some(Type::String), Expr::Literal(Literal::Text(text))) if target.is_time() => {
                    self.literal(target, &text)?.expr
                }
                (Some(Type::Date), Expr::Literal(Literal::Date(date)))
                    if target == Type::Timestamp =>
                {
                    self.literal(target, &date)?.expr
                }
                (Some(Type::Date), expr) if target == Type::Timestamp => {
                    Expr::Cast(Box::new(expr), Type::Timestamp)
                }
                (Some(_), expr) => expr,
            });
        }
        Some((unified, Some(target)))
    }

    fn common_type(&mut self, values: &[Typed], what: &str) -> Option<Option<Type>> {
        let mut common: Option<Type> = None;
        for value in values {
            let Some(ty) = value.ty else { continue };
            if ty == Type::Variant {
                return self.type_error(
                    format!("a `variant` cannot be {what}"),
                    Some("map the part of it that matters to a field of its own"),
                );
            }
            common = Some(match common {
                None => ty,
                Some(so_far) => match merge(so_far, ty, values) {
                    Some(merged) => merged,
                    None => {
                        let verb = if what == "compared" {
                            "cannot be"
                        } else {
                            "cannot be among"
                        };
                        return self.type_error(
                            format!("`{so_far}` and `{ty}` {verb} {what}"),
                            Some("cast one of them"),
                        );
                    }
                },
            });
        }
        match common {
            Some(Type::Decimal(_)) => self
                .common_decimal(values)
                .map(|ty| Some(Type::Decimal(ty))),
            other => Some(other),
        }
    }

    fn common_decimal(&mut self, values: &[Typed]) -> Option<DecimalType> {
        let all: Vec<DecimalType> = values.iter().filter_map(digits).collect();
        let whole = all
            .iter()
            .map(|ty| ty.precision - ty.scale)
            .max()
            .unwrap_or(0);
        let scale = all.iter().map(|ty| ty.scale).max().unwrap_or(0);
        if whole + scale > 38 {
            return self.type_error(
                format!(
                    "numbers side by side that need {} digits in all",
                    whole + scale
                ),
                Some("38 is the most of every engine; cast the wider one"),
            );
        }
        Some(DecimalType {
            precision: whole + scale,
            scale,
        })
    }
}

/// The digits that a number may need; for a literal, those that it has.
pub(super) fn digits(value: &Typed) -> Option<DecimalType> {
    match (&value.expr, value.ty) {
        (Expr::Literal(Literal::Int(number)), _) => read::digits(&number.to_string()),
        (_, Some(Type::Int)) => Some(INT),
        (_, Some(Type::Decimal(ty))) => Some(ty),
        (
            _,
            Some(Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant) | None,
        ) => None,
    }
}

fn merge(left: Type, right: Type, values: &[Typed]) -> Option<Type> {
    // A text may become a time only where all texts are literals.
    let texts_are_literals = values
        .iter()
        .filter(|value| value.ty == Some(Type::String))
        .all(|value| matches!(value.expr, Expr::Literal(Literal::Text(_))));
    match (left, right) {
        (left, right) if left == right => Some(left),
        (left, right) if left.is_number() && right.is_number() => match (left, right) {
            (Type::Decimal(_), _) => Some(left),
            (_, _) => Some(right),
        },
        (left, right) if left.is_time() && right.is_time() => Some(Type::Timestamp),
        (Type::String, time) | (time, Type::String) if time.is_time() && texts_are_literals => {
            Some(time)
        }
        (_, _) => None,
    }
}
