//! Casts between our types. Text is read by the accept set of the semantics and is NULL where it
//! does not fit; numbers round half away from zero and are NULL where they do not fit.

use sqlparser::ast::{self, CastKind, DataType, ExactNumberInfo, TimezoneInfo};

use super::arithmetic::widen;
use super::narrow::{Narrower, Typed};
use super::unify::INT;
use crate::sql::expr::{Accept, DateFormat, Expr, Func};
use crate::sql::literal::Literal;
use crate::sql::types::{DecimalType, Type};

impl Narrower<'_> {
    pub(super) fn cast_call(
        &mut self,
        kind: &CastKind,
        value: &ast::Expr,
        data_type: &DataType,
        format: Option<&ast::CastFormat>,
    ) -> Option<Typed> {
        match kind {
            CastKind::Cast | CastKind::DoubleColon => {}
            CastKind::TryCast | CastKind::SafeCast => {
                return self.construct("TRY_CAST", "a plain CAST gives NULL where it fails here");
            }
        }
        if format.is_some() {
            return self.construct("CAST … FORMAT", "parse the text in the mapping's chain");
        }
        let target = self.cast_target(data_type);
        let value = self.expr(value);
        self.cast(value?, target?)
    }

    fn cast_target(&mut self, data_type: &DataType) -> Option<Type> {
        let ty = match data_type {
            DataType::String(None) | DataType::Text | DataType::Varchar(None) => Type::String,
            DataType::Int(None)
            | DataType::Integer(None)
            | DataType::BigInt(None)
            | DataType::Int64 => Type::Int,
            DataType::Bool | DataType::Boolean => Type::Bool,
            DataType::Date => Type::Date,
            DataType::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
                Type::Timestamp
            }
            DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => {
                return self.decimal_target(data_type, info);
            }
            other => {
                let help = "the types are `string int bool date timestamp decimal(p,s)`";
                return self.construct(&format!("a cast to `{other}`"), help);
            }
        };
        Some(ty)
    }

    fn decimal_target(&mut self, written: &DataType, info: &ExactNumberInfo) -> Option<Type> {
        if let ExactNumberInfo::PrecisionAndScale(precision, scale) = info
            && let (Ok(precision), Ok(scale)) = (u8::try_from(*precision), u8::try_from(*scale))
            && (1..=38).contains(&precision)
            && scale <= precision
        {
            return Some(Type::Decimal(DecimalType { precision, scale }));
        }
        self.construct(
            &format!("a cast to `{written}`"),
            "write `decimal(p,s)` with at most 38 digits, as `decimal(12,2)`",
        )
    }

    fn cast(&mut self, value: Typed, target: Type) -> Option<Typed> {
        let Some(from) = value.ty else {
            return Some(Typed::new(Expr::Literal(Literal::Null(target)), target));
        };
        if from == target {
            return Some(value);
        }
        let expr = Box::new(value.expr);
        let parse = |accept| Expr::Parse(expr.clone(), accept);
        let cast = match (from, target) {
            (Type::String, Type::Int) => parse(Accept::Int),
            (Type::String, Type::Decimal(DecimalType { precision, scale })) => {
                parse(Accept::Decimal { precision, scale })
            }
            (Type::String, Type::Bool) => parse(Accept::Bool),
            (Type::String, Type::Date) => parse(Accept::Date(DateFormat::Iso)),
            (Type::String, Type::Timestamp) => parse(Accept::Timestamp {
                format: DateFormat::Iso,
                zone: None,
            }),
            (
                Type::Int | Type::Bool | Type::Date | Type::Timestamp | Type::Decimal(_),
                Type::String,
            ) => Expr::ToText(expr),
            (Type::Int, Type::Decimal(to)) => resized(*expr, INT, to),
            (Type::Decimal(from), Type::Decimal(to)) => resized(*expr, from, to),
            (Type::Decimal(from), Type::Int) => {
                let rounded = if from.scale == 0 {
                    *expr
                } else {
                    rounded(*expr, 0)
                };
                let cast = Expr::Cast(Box::new(rounded), Type::Int);
                if from.precision - from.scale < 18 {
                    cast
                } else {
                    Expr::NullOnError(Box::new(cast), Type::Int)
                }
            }
            (Type::Date, Type::Timestamp) | (Type::Timestamp, Type::Date) => {
                Expr::Cast(expr, target)
            }
            (from, target) => {
                return self.type_error(format!("a `{from}` cannot be cast to `{target}`"), None);
            }
        };
        Some(Typed::new(cast, target))
    }

    /// `ABS` of an int may need one digit more than an int has.
    pub(super) fn abs(&mut self, value: Typed) -> Option<Typed> {
        self.expect_number(&value, "ABS")?;
        Some(match value.ty {
            Some(Type::Int) => Typed::new(
                Expr::Call(Func::Abs, vec![widen(value.expr)]),
                Type::Decimal(INT),
            ),
            ty => Typed {
                expr: Expr::Call(Func::Abs, vec![value.expr]),
                ty,
            },
        })
    }

    pub(super) fn round(&mut self, value: Typed, places: u8) -> Option<Typed> {
        self.expect_number(&value, "ROUND")?;
        match value.ty {
            Some(Type::Decimal(from)) if places < from.scale => {
                let whole = (from.precision - from.scale + 1).min(38 - places);
                let ty = DecimalType {
                    precision: whole + places,
                    scale: places,
                };
                Some(Typed::new(rounded(value.expr, places), Type::Decimal(ty)))
            }
            _ => Some(value),
        }
    }
}

fn rounded(value: Expr, places: u8) -> Expr {
    Expr::Call(Func::Round, vec![value, Expr::int(i64::from(places))])
}

fn resized(value: Expr, from: DecimalType, to: DecimalType) -> Expr {
    let rounds = to.scale < from.scale;
    let value = if rounds {
        rounded(value, to.scale)
    } else {
        value
    };
    let cast = Expr::Cast(Box::new(value), Type::Decimal(to));
    let whole = from.precision - from.scale + u8::from(rounds);
    if to.precision - to.scale >= whole {
        cast
    } else {
        Expr::NullOnError(Box::new(cast), Type::Decimal(to))
    }
}
