//! Steps on numbers. Digits are tracked as the expression language tracks them, so that one
//! product has one type wherever it is written.

use super::{Chain, literal_of};
use crate::diag::Diagnostic;
use crate::diag::code::e03xx;
use crate::ir::StepOp;
use crate::spec::Scalar;
use crate::spec::mapping::Transform;
use crate::sql::literal::{Literal, read};
use crate::sql::types::{DecimalType, Type};

const MOST_DIGITS: u8 = 38;
/// Digits behind the point of a quotient, at least.
const QUOTIENT_SCALE: u8 = 6;
const INT: DecimalType = DecimalType {
    precision: 19,
    scale: 0,
};

pub(super) fn to_int(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [] = chain.args(transform, "to_int")?;
    match chain.ty {
        Type::Int => return Some(()),
        Type::Decimal(DecimalType { scale: 0, .. }) => chain.push(StepOp::ToText, Type::String),
        Type::Decimal(_) => return chain.wrong_type(transform, "whole numbers", "`round: 0`"),
        Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            chain.takes_text(transform)?;
        }
    }
    chain.push(StepOp::ToInt, Type::Int);
    Some(())
}

pub(super) fn to_decimal(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [precision, scale] = chain.args(transform, "{to_decimal: [12, 2]}")?;
    let most = u32::from(MOST_DIGITS);
    let precision = chain.natural(transform, 0, precision, "the number of digits", 1..=most)?;
    let what = "the number of digits behind the point";
    let scale = chain.natural(transform, 1, scale, what, 0..=precision)?;
    let ty = Type::Decimal(DecimalType {
        precision: u8::try_from(precision).ok()?,
        scale: u8::try_from(scale).ok()?,
    });
    match chain.ty {
        reached if reached == ty => return Some(()),
        // Through text, so that lost digits and numbers too large leave their marks.
        Type::Int | Type::Decimal(_) => chain.push(StepOp::ToText, Type::String),
        Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            chain.takes_text(transform)?;
        }
    }
    chain.push(StepOp::ToDecimal, ty);
    Some(())
}

pub(super) fn multiply(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let (factor, of_factor) = factor(chain, transform)?;
    multiply_by(chain, transform, factor, of_factor)
}

fn multiply_by(
    chain: &mut Chain<'_>,
    transform: &Transform,
    factor: Literal,
    of_factor: DecimalType,
) -> Option<()> {
    let own = own_digits(chain.ty);
    let scale = own.scale + of_factor.scale;
    if scale > MOST_DIGITS {
        return chain.bad_arg(
            transform.arg_place(0),
            format!("a product with {scale} digits behind the point"),
            "38 is the most of every engine; `round` first",
        );
    }
    let out = match (chain.ty, &factor) {
        (Type::Int, Literal::Int(_)) => Type::Int,
        (_, _) => Type::Decimal(DecimalType {
            precision: (own.precision + of_factor.precision).min(MOST_DIGITS),
            scale,
        }),
    };
    chain.push(StepOp::Multiply(factor), out);
    Some(())
}

pub(super) fn divide(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let (divisor, of_divisor) = factor(chain, transform)?;
    let zero = match &divisor {
        Literal::Int(number) => *number == 0,
        Literal::Decimal(number) => read::is_zero(number),
        Literal::Text(_)
        | Literal::Bool(_)
        | Literal::Date(_)
        | Literal::Timestamp(_)
        | Literal::Null(_) => false,
    };
    if zero {
        chain.found.push(
            Diagnostic::error(
                e03xx::DIVISION_BY_ZERO,
                transform.arg_place(0),
                "a division by zero".to_owned(),
            )
            .help("name a divisor other than zero"),
        );
        return None;
    }
    let own = own_digits(chain.ty);
    // `/ 100` is `* 0.01`, and exact; engines divide decimals in their own ways.
    if let Some(factor @ Literal::Decimal(number)) = read::reciprocal(&divisor).as_ref()
        && let Some(of_factor) = read::digits(number)
        && own.scale + of_factor.scale <= MOST_DIGITS
    {
        return multiply_by(chain, transform, factor.clone(), of_factor);
    }
    let scale = own.scale.max(of_divisor.scale).max(QUOTIENT_SCALE);
    let whole = own.precision - own.scale + of_divisor.scale + 1;
    let precision = (whole + scale).min(MOST_DIGITS);
    chain.push(
        StepOp::Divide(divisor),
        Type::Decimal(DecimalType { precision, scale }),
    );
    Some(())
}

pub(super) fn round(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let places = match transform.args().as_slice() {
        [] => 0,
        [places] => {
            let most = u32::from(MOST_DIGITS);
            chain.natural(
                transform,
                0,
                places,
                "the number of digits behind the point",
                0..=most,
            )?
        }
        other => return chain.wrong_args(transform, other.len(), "1", "{round: 2}"),
    };
    chain.takes_number(transform)?;
    let places = u8::try_from(places).ok()?;
    match chain.ty {
        Type::Decimal(own) if places < own.scale => {
            let whole = (own.precision - own.scale + 1).min(MOST_DIGITS - places);
            let out = DecimalType {
                precision: whole + places,
                scale: places,
            };
            chain.push(StepOp::Round(places), Type::Decimal(out));
        }
        // Nothing to round off.
        Type::Decimal(_)
        | Type::Int
        | Type::String
        | Type::Bool
        | Type::Date
        | Type::Timestamp
        | Type::Variant => {}
    }
    Some(())
}

pub(super) fn abs(chain: &mut Chain<'_>, transform: &Transform) -> Option<()> {
    let [] = chain.args(transform, "abs")?;
    chain.takes_number(transform)?;
    chain.push(StepOp::Abs, chain.ty);
    Some(())
}

/// An exact number: an int where it is written as one.
fn factor(chain: &mut Chain<'_>, transform: &Transform) -> Option<(Literal, DecimalType)> {
    let [arg] = chain.args(transform, &format!("{{{}: \"0.01\"}}", transform.name))?;
    chain.takes_number(transform)?;
    let Some(factor) = exact(arg) else {
        return chain.bad_arg(
            transform.arg_place(0),
            format!("`{}` is not an exact number", arg.text),
            "write plain digits, as `100` or `\"0.01\"`",
        );
    };
    Some(factor)
}

fn exact(arg: &Scalar) -> Option<(Literal, DecimalType)> {
    let widest = Type::Decimal(DecimalType {
        precision: MOST_DIGITS,
        scale: 0,
    });
    let literal = match literal_of(Type::Int, &arg.text) {
        Ok(int) => int,
        Err(_) => read::read(widest, &arg.text).ok()?,
    };
    let digits = match &literal {
        Literal::Int(number) => read::digits(&number.to_string())?,
        Literal::Decimal(number) => read::digits(number)?,
        Literal::Text(_)
        | Literal::Bool(_)
        | Literal::Date(_)
        | Literal::Timestamp(_)
        | Literal::Null(_) => return None,
    };
    Some((literal, digits))
}

fn own_digits(ty: Type) -> DecimalType {
    match ty {
        Type::Decimal(own) => own,
        Type::Int | Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => INT,
    }
}
