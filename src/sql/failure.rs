//! When an authored expression could not be computed: one of its steps made NULL of what was there.
//! A NULL that came in, and one that the author wrote, is no failure.

use super::expr::{Expr, Func, Operator};
use super::literal::{Literal, read};

impl Expr {
    /// TRUE where a step failed whose value counts: not in the branch of a CASE that is not taken, nor
    /// behind the first value of a COALESCE. `None`: no step can fail.
    #[must_use]
    pub fn failure(&self) -> Option<Self> {
        match self {
            Self::Column(_) | Self::Literal(_) => None,
            Self::Parse(value, _) => either([value.failure(), Some(self.lost([value.as_ref()]))]),
            Self::NullOnError(value, _) => {
                let operands = operands(value);
                let own = self.lost(operands.iter().copied());
                either(operands.into_iter().map(Self::failure).chain([Some(own)]))
            }
            Self::AddInterval { value, .. } => {
                either([value.failure(), Some(self.lost([value.as_ref()]))])
            }
            Self::Arithmetic(left, operator, right) => {
                let own = match operator {
                    Operator::Divide | Operator::Modulo => by_zero(left, right),
                    Operator::Add | Operator::Subtract | Operator::Multiply => None,
                };
                either([left.failure(), right.failure(), own])
            }
            Self::Call(Func::Coalesce, values) => first_value(values),
            Self::Case { arms, otherwise } => taken(arms, otherwise.as_deref()),
            // These can know the answer although a part of it is missing.
            Self::And(parts) | Self::Or(parts) => self.undecided(parts.iter()),
            Self::In { value, list, .. } => {
                self.undecided([value.as_ref()].into_iter().chain(list))
            }
            Self::Between {
                value, low, high, ..
            } => self.undecided([value.as_ref(), low.as_ref(), high.as_ref()]),
            Self::Call(_, values) => either(values.iter().map(Self::failure)),
            Self::Compare(left, _, right) | Self::Differs(left, right) => {
                either([left.failure(), right.failure()])
            }
            Self::Not(value)
            | Self::IsNull(value)
            | Self::IsNotNull(value)
            | Self::Negate(value)
            | Self::Cast(value, _)
            | Self::Extract(_, value)
            | Self::ToText(value)
            | Self::Like { value, .. } => value.failure(),
            // What no author can write.
            Self::StartOf(..)
            | Self::EachDay(..)
            | Self::LosesDigits { .. }
            | Self::Matches(..)
            | Self::Captured { .. }
            | Self::Part { .. }
            | Self::StripPrefix { .. }
            | Self::StripSuffix { .. }
            | Self::JsonText { .. }
            | Self::Nfc(_)
            | Self::HasCodePoint { .. }
            | Self::OrRaise { .. }
            | Self::JsonDocument { .. }
            | Self::JsonMember { .. }
            | Self::JsonObject(_)
            | Self::Redacted { .. }
            | Self::Mask(_)
            | Self::HasBit { .. }
            | Self::Names(_)
            | Self::NoNames
            | Self::Digest { .. }
            | Self::NewestFirst { .. }
            | Self::CountDistinctOver { .. }
            | Self::CountOver { .. }
            | Self::Aggregate(..)
            | Self::Quotient(..) => None,
        }
    }

    /// All that went in was there, and nothing came out.
    fn lost<'e>(&self, operands: impl IntoIterator<Item = &'e Self>) -> Self {
        let operands = operands.into_iter();
        let given = operands.filter(|operand| !matches!(operand, Self::Literal(_)));
        let given = given.map(|operand| operand.clone().is_not_null());
        Self::all(given.chain([self.clone().is_null()]).collect())
    }

    fn undecided<'e>(&self, parts: impl IntoIterator<Item = &'e Self>) -> Option<Self> {
        let failed = either(parts.into_iter().map(Self::failure))?;
        Some(Self::And(vec![self.clone().is_null(), failed]))
    }
}

fn either(failures: impl IntoIterator<Item = Option<Expr>>) -> Option<Expr> {
    let failures: Vec<Expr> = failures.into_iter().flatten().collect();
    (!failures.is_empty()).then(|| Expr::any(failures))
}

/// What goes into the arithmetic of a step that may overflow.
fn operands(value: &Expr) -> Vec<&Expr> {
    match value {
        Expr::Arithmetic(left, _, right) => vec![left, right],
        Expr::Cast(value, _) => operands(value),
        Expr::Call(Func::Round, values) => values.first().map(operands).unwrap_or_default(),
        other => vec![other],
    }
}

fn by_zero(left: &Expr, right: &Expr) -> Option<Expr> {
    let is_zero = |literal: &Literal| match literal {
        Literal::Int(number) => *number == 0,
        Literal::Decimal(number) => read::is_zero(number),
        Literal::Text(_)
        | Literal::Bool(_)
        | Literal::Date(_)
        | Literal::Timestamp(_)
        | Literal::Null(_) => false,
    };
    let given = left.clone().is_not_null();
    match right {
        Expr::Literal(literal) if is_zero(literal) => Some(given),
        Expr::Literal(_) => None,
        divisor => {
            let zero = Expr::int(0);
            let zero = divisor
                .clone()
                .compare(super::expr::Comparison::Equal, zero);
            Some(Expr::And(vec![given, zero]))
        }
    }
}

/// A value behind the first that is there is not asked for.
fn first_value(values: &[Expr]) -> Option<Expr> {
    let failures = values.iter().enumerate().map(|(at, value)| {
        let failed = value.failure()?;
        let missing = values[..at].iter().map(|earlier| earlier.clone().is_null());
        Some(Expr::all(missing.chain([failed]).collect()))
    });
    either(failures)
}

fn taken(arms: &[(Expr, Expr)], otherwise: Option<&Expr>) -> Option<Expr> {
    let or_false = |failed: Option<Expr>| failed.unwrap_or(Expr::Literal(Literal::Bool(false)));
    let mut chosen = Vec::new();
    let mut can_fail = false;
    for (condition, value) in arms {
        if let Some(failed) = condition.failure() {
            chosen.push((failed, Expr::Literal(Literal::Bool(true))));
            can_fail = true;
        }
        let failed = value.failure();
        can_fail |= failed.is_some();
        chosen.push((condition.clone(), or_false(failed)));
    }
    let last = otherwise.and_then(Expr::failure);
    can_fail |= last.is_some();
    can_fail.then(|| Expr::Case {
        arms: chosen,
        otherwise: Some(or_false(last).into()),
    })
}
