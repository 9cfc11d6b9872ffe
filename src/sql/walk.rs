//! An expression with parts of it put in another's place.

use super::expr::Expr;

impl Expr {
    /// Every part for which `with` has another gets that one, the outermost first; what is put in is
    /// not looked at again.
    #[must_use]
    pub fn replace(&self, with: &impl Fn(&Self) -> Option<Self>) -> Self {
        if let Some(other) = with(self) {
            return other;
        }
        let one = |expr: &Self| expr.replace(with);
        let boxed = |expr: &Self| Box::new(expr.replace(with));
        let all = |exprs: &[Self]| exprs.iter().map(one).collect::<Vec<_>>();
        match self {
            Self::Column(_) | Self::Literal(_) | Self::NoNames => self.clone(),
            Self::Call(function, arguments) => Self::Call(*function, all(arguments)),
            Self::Compare(left, comparison, right) => {
                Self::Compare(boxed(left), *comparison, boxed(right))
            }
            Self::And(operands) => Self::And(all(operands)),
            Self::Or(operands) => Self::Or(all(operands)),
            Self::Not(value) => Self::Not(boxed(value)),
            Self::IsNull(value) => Self::IsNull(boxed(value)),
            Self::IsNotNull(value) => Self::IsNotNull(boxed(value)),
            Self::Differs(left, right) => Self::Differs(boxed(left), boxed(right)),
            Self::In {
                value,
                list,
                negated,
            } => Self::In {
                value: boxed(value),
                list: all(list),
                negated: *negated,
            },
            Self::Between {
                value,
                low,
                high,
                negated,
            } => Self::Between {
                value: boxed(value),
                low: boxed(low),
                high: boxed(high),
                negated: *negated,
            },
            Self::Like {
                value,
                pattern,
                negated,
            } => Self::Like {
                value: boxed(value),
                pattern: pattern.clone(),
                negated: *negated,
            },
            Self::Case { arms, otherwise } => Self::Case {
                arms: arms
                    .iter()
                    .map(|(condition, value)| (one(condition), one(value)))
                    .collect(),
                otherwise: otherwise.as_deref().map(boxed),
            },
            Self::Arithmetic(left, operator, right) => {
                Self::Arithmetic(boxed(left), *operator, boxed(right))
            }
            Self::Negate(value) => Self::Negate(boxed(value)),
            Self::Cast(value, ty) => Self::Cast(boxed(value), *ty),
            Self::AddInterval {
                value,
                amount,
                unit,
            } => Self::AddInterval {
                value: boxed(value),
                amount: *amount,
                unit: *unit,
            },
            Self::Extract(part, value) => Self::Extract(*part, boxed(value)),
            Self::StartOf(period, value) => Self::StartOf(*period, boxed(value)),
            Self::EachDay(first, last) => Self::EachDay(boxed(first), boxed(last)),
            Self::ToText(value) => Self::ToText(boxed(value)),
            Self::Parse(value, accept) => Self::Parse(boxed(value), accept.clone()),
            Self::LosesDigits { text, scale } => Self::LosesDigits {
                text: boxed(text),
                scale: *scale,
            },
            Self::Matches(text, regex) => Self::Matches(boxed(text), regex.clone()),
            Self::Captured { text, regex, group } => Self::Captured {
                text: boxed(text),
                regex: regex.clone(),
                group: *group,
            },
            Self::Part {
                text,
                delimiter,
                index,
            } => Self::Part {
                text: boxed(text),
                delimiter: delimiter.clone(),
                index: *index,
            },
            Self::StripPrefix { text, affix } => Self::StripPrefix {
                text: boxed(text),
                affix: affix.clone(),
            },
            Self::StripSuffix { text, affix } => Self::StripSuffix {
                text: boxed(text),
                affix: affix.clone(),
            },
            Self::JsonText { document, path } => Self::JsonText {
                document: boxed(document),
                path: path.clone(),
            },
            Self::Nfc(value) => Self::Nfc(boxed(value)),
            Self::HasCodePoint {
                text,
                ranges,
                outside,
            } => Self::HasCodePoint {
                text: boxed(text),
                ranges: ranges.clone(),
                outside: *outside,
            },
            Self::NullOnError(value, ty) => Self::NullOnError(boxed(value), *ty),
            Self::OrRaise { value, input, what } => Self::OrRaise {
                value: boxed(value),
                input: boxed(input),
                what: what.clone(),
            },
            Self::JsonDocument { text, paths } => Self::JsonDocument {
                text: boxed(text),
                paths: paths.clone(),
            },
            Self::JsonMember {
                document,
                paths,
                path,
            } => Self::JsonMember {
                document: boxed(document),
                paths: paths.clone(),
                path: path.clone(),
            },
            Self::JsonObject(pairs) => Self::JsonObject(
                pairs
                    .iter()
                    .map(|(name, value)| (name.clone(), one(value)))
                    .collect(),
            ),
            Self::Redacted { document, paths } => Self::Redacted {
                document: boxed(document),
                paths: paths.clone(),
            },
            Self::Mask(bits) => {
                Self::Mask(bits.iter().map(|(when, bit)| (one(when), *bit)).collect())
            }
            Self::HasBit { mask, bit } => Self::HasBit {
                mask: boxed(mask),
                bit: *bit,
            },
            Self::Names(names) => Self::Names(
                names
                    .iter()
                    .map(|(when, name)| (one(when), name.clone()))
                    .collect(),
            ),
            Self::Digest { constant, text } => Self::Digest {
                constant: constant.clone(),
                text: boxed(text),
            },
            Self::NewestFirst { partition, order } => Self::NewestFirst {
                partition: all(partition),
                order: all(order),
            },
            Self::CountDistinctOver { value, partition } => Self::CountDistinctOver {
                value: boxed(value),
                partition: all(partition),
            },
            Self::CountOver { partition } => Self::CountOver {
                partition: all(partition),
            },
            Self::Aggregate(aggregate, value) => Self::Aggregate(*aggregate, boxed(value)),
            Self::Quotient(number, count) => Self::Quotient(boxed(number), boxed(count)),
        }
    }
}
