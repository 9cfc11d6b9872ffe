//! From meaning to spelling: an `Expr` with a dialect's constant becomes `Sql`.

use super::dialect::Spelling;
use super::expr::{Accept, Aggregate, Column, Comparison, DateFormat, Expr, Period};
use super::literal::Literal;
use super::text::{Level, Sql};

#[must_use]
pub fn spell(expr: &Expr, with: &Spelling) -> Sql {
    let one = |expr: &Expr| spell(expr, with);
    let boxed = |expr: &Expr| Box::new(spell(expr, with));
    let all = |exprs: &[Expr]| exprs.iter().map(one).collect::<Vec<_>>();
    match expr {
        Expr::Column(Column { relation, name }) => {
            Sql::Name(relation.iter().chain([name]).cloned().collect())
        }
        Expr::Literal(value) => literal(value, with),
        Expr::Call(function, arguments) => (with.function)(*function, all(arguments)),
        Expr::Compare(left, comparison, right) => {
            one(left).compare(operator(*comparison), one(right))
        }
        Expr::And(operands) => Sql::chain(Level::And, "AND", all(operands)),
        Expr::Or(operands) => Sql::chain(Level::Or, "OR", all(operands)),
        Expr::Not(value) => Sql::Not(boxed(value)),
        Expr::IsNull(value) => Sql::IsNull(boxed(value)),
        Expr::IsNotNull(value) => Sql::IsNotNull(boxed(value)),
        Expr::Differs(left, right) => one(left).compare("IS DISTINCT FROM", one(right)),
        Expr::In {
            value,
            list,
            negated,
        } => Sql::In {
            value: boxed(value),
            list: all(list),
            negated: *negated,
        },
        Expr::Between {
            value,
            low,
            high,
            negated,
        } => Sql::Between {
            value: boxed(value),
            low: boxed(low),
            high: boxed(high),
            negated: *negated,
        },
        Expr::Like {
            value,
            pattern,
            negated,
        } => Sql::Like {
            value: boxed(value),
            pattern: Box::new(Sql::Text((with.like_pattern)(pattern))),
            negated: *negated,
        },
        Expr::Case { arms, otherwise } => Sql::Case {
            arms: arms
                .iter()
                .map(|(condition, value)| (one(condition), one(value)))
                .collect(),
            otherwise: otherwise.as_deref().map(boxed),
        },
        Expr::Arithmetic(left, operator, right) => {
            (with.arithmetic)(one(left), *operator, one(right))
        }
        Expr::Negate(value) => Sql::Negate(boxed(value)),
        Expr::Cast(value, ty) => one(value).cast(&(with.type_name)(*ty)),
        Expr::AddInterval {
            value,
            amount,
            unit,
        } => {
            let interval = (with.interval)(*amount, *unit);
            Sql::chain(Level::Sum, "+", vec![one(value), interval])
        }
        Expr::Extract(part, value) => (with.extract)(*part, one(value)),
        Expr::StartOf(period, value) => start_of(*period, one(value)),
        Expr::EachDay(first, last) => (with.each_day)(one(first), one(last)),
        Expr::ToText(value) => (with.to_text)(one(value)),
        Expr::Parse(value, accept) => parse(one(value), accept, with),
        Expr::LosesDigits { text, scale } => (with.loses_digits)(one(text), *scale),
        Expr::Matches(text, regex) => (with.matches)(one(text), regex),
        Expr::Captured { text, regex, group } => (with.captured)(one(text), regex, *group),
        Expr::Part {
            text,
            delimiter,
            index,
        } => (with.part)(one(text), delimiter, *index),
        Expr::StripPrefix { text, affix } => (with.strip_prefix)(one(text), affix),
        Expr::StripSuffix { text, affix } => (with.strip_suffix)(one(text), affix),
        Expr::JsonText { document, path } => (with.json_text)(one(document), path),
        Expr::Nfc(value) => (with.nfc)(one(value)),
        Expr::HasCodePoint {
            text,
            ranges,
            outside,
        } => (with.has_code_point)(one(text), ranges, *outside),
        Expr::NullOnError(value, ty) => (with.null_on_error)(one(value), *ty),
        Expr::OrRaise { value, input, what } => (with.or_raise)(one(value), one(input), what),
        Expr::JsonDocument { text, paths } => (with.json_document)(one(text), paths),
        Expr::JsonMember {
            document,
            paths,
            path,
        } => (with.json_member)(one(document), paths, path),
        Expr::JsonObject(pairs) => (with.json_object)(
            pairs
                .iter()
                .map(|(key, value)| (Sql::text(key), one(value)))
                .collect(),
        ),
        Expr::Redacted { document, paths } => (with.redacted)(one(document), paths),
        Expr::Mask(bits) => mask(bits, with),
        Expr::HasBit { mask, bit } => (with.has_bit)(one(mask), *bit),
        Expr::Names(names) => (with.names)(
            names
                .iter()
                .map(|(when, name)| (one(when), name.clone()))
                .collect(),
        ),
        Expr::NoNames => (with.no_names)(),
        Expr::Digest { constant, text } => (with.digest)(constant, one(text)),
        Expr::NewestFirst { partition, order } => Sql::RowNumber {
            partition: all(partition),
            newest_first: all(order),
            puts_nulls_last: with.descending_puts_nulls_last,
        },
        Expr::CountDistinctOver { value, partition } => Sql::CountDistinctOver {
            value: boxed(value),
            partition: all(partition),
        },
        Expr::CountOver { partition } => Sql::CountOver {
            partition: all(partition),
        },
        Expr::Aggregate(aggregate, value) => {
            let function = match aggregate {
                Aggregate::Sum => "SUM",
                Aggregate::Count => "COUNT",
                Aggregate::Min => "MIN",
                Aggregate::Max => "MAX",
            };
            Sql::Call(function, vec![one(value)])
        }
        Expr::Quotient(number, count) => (with.quotient)(one(number), one(count)),
    }
}

fn start_of(period: Period, value: Sql) -> Sql {
    let period = match period {
        Period::Day => return value.cast("DATE"),
        Period::Week => "WEEK",
        Period::Month => "MONTH",
        Period::Quarter => "QUARTER",
        Period::Year => "YEAR",
    };
    Sql::Call("DATE_TRUNC", vec![Sql::text(period), value]).cast("DATE")
}

fn parse(value: Sql, accept: &Accept, with: &Spelling) -> Sql {
    match accept {
        Accept::Int => (with.parse_int)(value),
        Accept::Decimal { precision, scale } => (with.parse_decimal)(value, *precision, *scale),
        Accept::Bool => (with.parse_bool)(value),
        Accept::Date(DateFormat::Iso) => (with.parse_date)(value),
        Accept::Date(DateFormat::Strptime(format)) => (with.parse_date_as)(value, format),
        Accept::Timestamp { format, zone } => match format {
            DateFormat::Iso => (with.parse_timestamp)(value, zone.as_deref()),
            DateFormat::Strptime(format) => {
                (with.parse_timestamp_as)(value, format, zone.as_deref())
            }
        },
        Accept::Json => (with.parse_json)(value),
    }
}

fn mask(bits: &[(Expr, i64)], with: &Spelling) -> Sql {
    let mut pieces: Vec<Sql> = bits
        .iter()
        .map(|(condition, bit)| Sql::Case {
            arms: vec![(spell(condition, with), Sql::word(bit.to_string()))],
            otherwise: Some(Box::new(Sql::word("0"))),
        })
        .collect();
    match pieces.len() {
        0 => Sql::word("0"),
        1 => pieces.remove(0),
        _ => Sql::chain(Level::Sum, "+", pieces),
    }
}

fn literal(value: &Literal, with: &Spelling) -> Sql {
    let number = |digits: &str| match digits.strip_prefix('-') {
        Some(positive) => Sql::Negate(Box::new(Sql::word(positive.to_owned()))),
        None => Sql::word(digits.to_owned()),
    };
    match value {
        Literal::Text(text) => Sql::text(text),
        Literal::Int(value) => number(&value.to_string()),
        Literal::Decimal(digits) => number(digits),
        Literal::Bool(true) => Sql::word("TRUE"),
        Literal::Bool(false) => Sql::word("FALSE"),
        Literal::Date(text) => Sql::text(text).cast("DATE"),
        Literal::Timestamp(text) => Sql::text(text).cast("TIMESTAMP"),
        Literal::Null(ty) => Sql::word("NULL").cast(&(with.type_name)(*ty)),
    }
}

fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}
