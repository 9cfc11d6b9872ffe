//! Exact arithmetic, and times moved by intervals.

use sqlparser::ast::{self, BinaryOperator, DateTimeField, Value as SqlValue};

use super::narrow::{Narrower, Typed};
use super::unify::{INT, digits};
use crate::sql::expr::{Expr, Operator, Unit};
use crate::sql::literal::{Literal, read};
use crate::sql::types::{DecimalType, Type};

const MOST_DIGITS: u8 = 38;
/// Digits behind the point of a quotient, at least.
const QUOTIENT_SCALE: u8 = 6;

impl Narrower<'_> {
    pub(super) fn arithmetic(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
    ) -> Option<Typed> {
        let operator = match op {
            BinaryOperator::Plus => Operator::Add,
            BinaryOperator::Minus => Operator::Subtract,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
            _ => Operator::Modulo,
        };
        match (interval_of(left), operator, interval_of(right)) {
            (None, Operator::Add, Some(interval)) => return self.moved(left, interval, 1),
            (None, Operator::Subtract, Some(interval)) => return self.moved(left, interval, -1),
            (Some(interval), Operator::Add, None) => return self.moved(right, interval, 1),
            (None, _, None) => {}
            (Some(_) | None, _, _) => {
                return self.construct("arithmetic of intervals", "add one to a date or timestamp");
            }
        }
        let (left, right) = (self.expr(left), self.expr(right));
        let (left, right) = (left?, right?);
        if left.ty.is_none() || right.ty.is_none() {
            return self.null_operand();
        }
        if left.ty.is_some_and(Type::is_time) && right.ty.is_some_and(Type::is_time) {
            return self.construct(
                "the difference of two times",
                "compare one with the other moved: `a <= b + INTERVAL '2 days'`",
            );
        }
        self.expect_number(&left, op_name(operator))?;
        self.expect_number(&right, op_name(operator))?;
        let (a, b) = (digits(&left)?, digits(&right)?);
        if operator == Operator::Divide
            && let Expr::Literal(divisor) = &right.expr
            && let Some(factor @ Literal::Decimal(number)) = read::reciprocal(divisor).as_ref()
            && let Some(of_factor) = read::digits(number)
            && a.scale + of_factor.scale <= MOST_DIGITS
        {
            let factor = Typed::new(Expr::Literal(factor.clone()), Type::Decimal(of_factor));
            let left = widened(left, &factor);
            return self.computed(left, Operator::Multiply, factor, a, of_factor);
        }
        self.computed(widened(left, &right), operator, right, a, b)
    }

    fn computed(
        &mut self,
        left: Expr,
        operator: Operator,
        right: Typed,
        a: DecimalType,
        b: DecimalType,
    ) -> Option<Typed> {
        let whole = u16::from(a.precision - a.scale).max(u16::from(b.precision - b.scale));
        let scale = a.scale.max(b.scale);
        let (precision, scale) = match operator {
            Operator::Add | Operator::Subtract => (whole + u16::from(scale) + 1, scale),
            Operator::Multiply => (
                u16::from(a.precision) + u16::from(b.precision),
                a.scale + b.scale,
            ),
            Operator::Divide => {
                let scale = scale.max(QUOTIENT_SCALE);
                let whole = u16::from(a.precision - a.scale) + u16::from(b.scale) + 1;
                (whole + u16::from(scale), scale)
            }
            Operator::Modulo => {
                if scale > 0 {
                    return self.type_error(
                        "`%` takes whole numbers".to_owned(),
                        Some("cast both sides to `int`"),
                    );
                }
                (u16::from(a.precision.max(b.precision)), 0)
            }
        };
        if scale > MOST_DIGITS {
            return self.type_error(
                format!("a product with {scale} digits behind the point"),
                Some("38 is the most of every engine; cast one side to fewer"),
            );
        }
        let fits = precision <= u16::from(MOST_DIGITS);
        let precision = u8::try_from(precision)
            .unwrap_or(MOST_DIGITS)
            .min(MOST_DIGITS);
        let ty = Type::Decimal(DecimalType { precision, scale });
        let right = match (&right.expr, right.ty) {
            (Expr::Literal(_), _) => right.expr,
            (_, Some(Type::Int)) => widen(right.expr),
            (_, _) => right.expr,
        };
        let value = Expr::Arithmetic(Box::new(left), operator, Box::new(right));
        let value = match operator {
            Operator::Divide => Expr::Cast(Box::new(value), ty),
            Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Modulo => value,
        };
        let value = if fits {
            value
        } else {
            Expr::NullOnError(Box::new(value), ty)
        };
        Some(Typed::new(value, ty))
    }

    pub(super) fn negate(&mut self, operand: &ast::Expr) -> Option<Typed> {
        // `-9223372036854775808` is one literal, though its digits alone are no int.
        if let ast::Expr::Value(value) = operand
            && let SqlValue::Number(text, _) = &value.value
            && let Ok(literal) = read::read(Type::Int, &format!("-{text}"))
        {
            return Some(Typed::new(Expr::Literal(literal), Type::Int));
        }
        let value = self.expr(operand)?;
        self.expect_number(&value, "-")?;
        Some(match (value.expr, value.ty) {
            (Expr::Literal(Literal::Decimal(number)), Some(ty)) if !number.starts_with('-') => {
                let sign = if read::is_zero(&number) { "" } else { "-" };
                Typed::new(
                    Expr::Literal(Literal::Decimal(format!("{sign}{number}"))),
                    ty,
                )
            }
            (expr, Some(Type::Int)) => {
                Typed::new(Expr::Negate(Box::new(widen(expr))), Type::Decimal(INT))
            }
            (expr, ty) => Typed {
                expr: Expr::Negate(Box::new(expr)),
                ty,
            },
        })
    }

    /// A date or timestamp and an interval make a timestamp.
    fn moved(&mut self, time: &ast::Expr, interval: &ast::Interval, sign: i64) -> Option<Typed> {
        let time = self.expr(time);
        let moved = self.interval(interval);
        let (time, (amount, unit)) = (time?, moved?);
        let value = match time.ty {
            Some(Type::Timestamp) => time.expr,
            Some(Type::Date) => Expr::Cast(Box::new(time.expr), Type::Timestamp),
            Some(Type::String | Type::Int | Type::Bool | Type::Variant | Type::Decimal(_))
            | None => {
                return self.type_error(
                    format!("an interval is added to a `{}`", time.type_name()),
                    Some("it moves dates and timestamps; write a constant as `DATE '…'`"),
                );
            }
        };
        let amount = amount * sign;
        Some(Typed::new(
            Expr::AddInterval {
                value: Box::new(value),
                amount,
                unit,
            },
            Type::Timestamp,
        ))
    }

    fn interval(&mut self, interval: &ast::Interval) -> Option<(i64, Unit)> {
        const HELP: &str = "write `INTERVAL '3 days'`, one whole number and one unit";
        let text = match interval.value.as_ref() {
            ast::Expr::Value(value) => match &value.value {
                SqlValue::SingleQuotedString(text) | SqlValue::Number(text, _) => text.clone(),
                other => other.to_string(),
            },
            _ => return self.construct("a computed interval", HELP),
        };
        let mut words = text.split_whitespace();
        let amount = words.next().and_then(|word| word.parse::<i64>().ok());
        let unit = match (&interval.leading_field, words.next()) {
            (Some(field), None) => field_name(field),
            (None, Some(word)) => Some(word.to_lowercase()),
            (Some(_) | None, _) => None,
        };
        let plain = words.next().is_none() && interval.last_field.is_none();
        // Far beyond any date, and far from overflow when a week becomes days.
        let amount = amount.filter(|amount| plain && amount.unsigned_abs() <= 100_000_000);
        let found = amount.zip(unit).and_then(|(amount, unit)| {
            let unit = match unit.trim_end_matches('s') {
                "second" => Unit::Second,
                "minute" => Unit::Minute,
                "hour" => Unit::Hour,
                "day" => Unit::Day,
                "week" => return Some((amount * 7, Unit::Day)),
                "month" => Unit::Month,
                "year" => Unit::Year,
                _ => return None,
            };
            Some((amount, unit))
        });
        match found {
            Some(found) => Some(found),
            None => self.construct(&format!("the interval `{interval}`"), HELP),
        }
    }
}

fn field_name(field: &DateTimeField) -> Option<String> {
    match field {
        DateTimeField::Week(Some(_)) => None,
        other => Some(other.to_string().to_lowercase()),
    }
}

fn interval_of(expr: &ast::Expr) -> Option<&ast::Interval> {
    match expr {
        ast::Expr::Interval(interval) => Some(interval),
        ast::Expr::Nested(inner) => interval_of(inner),
        _ => None,
    }
}

/// The left operand; of two int literals the left one is widened too, so that engines do not
/// compute in their smallest type.
fn widened(left: Typed, right: &Typed) -> Expr {
    let literals = matches!(
        (&left.expr, &right.expr),
        (Expr::Literal(_), Expr::Literal(_))
    );
    match (&left.expr, left.ty) {
        (Expr::Literal(_), _) if !literals => left.expr,
        (_, Some(Type::Int)) => widen(left.expr),
        (_, _) => left.expr,
    }
}

pub(super) fn widen(expr: Expr) -> Expr {
    Expr::Cast(Box::new(expr), Type::Decimal(INT))
}

fn op_name(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Modulo => "%",
    }
}
