//! PostgreSQL, 13 and later. Its casts raise, so each stands behind a test that cannot: the
//! characters first, which is cheap, then the engine's own parser, asked whether it would raise.
//! Text compares by code point: every value that enters has collation "C", whatever the database's.

use super::Spelling;
use crate::sql::expr::{Func, Operator, Part, Unit};
use crate::sql::regex::Regex;
use crate::sql::text::{Level, Sql};
use crate::sql::types::{DecimalType, Type};

mod json;
mod time;

/// 16 and later can be asked what a cast would do.
pub const POSTGRES_16: Spelling = postgres::<BuiltIn>();
/// For 13 to 15 the project brings the question along, as a function in a schema of its own.
pub const POSTGRES_13: Spelling = postgres::<Installed>();

/// Asks the engine's own parser whether it takes a text as a type.
trait InputTest {
    const FUNCTION: &'static str;
    const IS_INSTALLED: bool;

    /// `lower_case` names the type.
    fn is_valid(text: Sql, lower_case: &str) -> Sql {
        Sql::Call(Self::FUNCTION, vec![text, Sql::text(lower_case)])
    }
}

struct BuiltIn;

impl InputTest for BuiltIn {
    const FUNCTION: &'static str = "PG_INPUT_IS_VALID";
    const IS_INSTALLED: bool = false;
}

/// `templates/sql/input_is_valid.sql`
struct Installed;

impl InputTest for Installed {
    const FUNCTION: &'static str = "assay.input_is_valid";
    const IS_INSTALLED: bool = true;
}

const fn postgres<T: InputTest>() -> Spelling {
    Spelling {
        name: "postgres",
        // The drivers of both frameworks set the style of dates themselves, and not the zone.
        reading: Some("SET LOCAL timezone = 'UTC'"),
        creations_collide: true,
        sqlmesh_has_transactions: true,
        merges_by_index: true,
        installs_input_test: T::IS_INSTALLED,
        identifier_limit: Some(63),
        shared_cte: "MATERIALIZED ",
        fence: Some("OFFSET 0"),
        judged_keeps_values: true,
        descending_puts_nulls_last: false,
        type_name,
        list_keyword: "ARRAY",
        name_list_type: "TEXT[]",
        json_type: "JSONB",
        function,
        arithmetic,
        quotient,
        interval,
        extract,
        each_day: |first, last| {
            let step = interval(1, Unit::Day);
            Sql::Call("GENERATE_SERIES", vec![first, last, step])
        },
        to_text: |value| by_code_point(value.cast("TEXT")),
        parse_int: parse_int::<T>,
        parse_decimal: parse_decimal::<T>,
        parse_bool,
        parse_date: time::parse_date::<T>,
        parse_timestamp: time::parse_timestamp::<T>,
        parse_date_as: time::parse_date_as::<T>,
        parse_timestamp_as: time::parse_timestamp_as::<T>,
        parse_json: json::parse::<T>,
        loses_digits,
        matches,
        captured,
        part,
        strip_prefix,
        strip_suffix,
        json_text: json::text::<T>,
        json_document: json::document::<T>,
        json_member: json::member,
        json_object: json::object,
        redacted: json::redacted::<T>,
        nfc: |value| Sql::Call("NORMALIZE", vec![value, Sql::word("NFC")]),
        has_code_point,
        null_on_error,
        or_raise,
        // A backslash is the escape character unless it is escaped itself.
        like_pattern: |pattern| pattern.replace('\\', r"\\"),
        has_bit: |mask, bit| {
            Sql::chain(Level::Operator, "&", vec![mask, Sql::word(bit.to_string())])
                .compare("<>", Sql::word("0"))
        },
        names,
        no_names: || Sql::Array("ARRAY", Vec::new()).cast("TEXT[]"),
        digest,
    }
}

fn type_name(ty: Type) -> String {
    match ty {
        Type::String => "TEXT".to_owned(),
        Type::Int => "BIGINT".to_owned(),
        Type::Bool => "BOOLEAN".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Timestamp => "TIMESTAMP".to_owned(),
        // JSONB would lose the spelling of numbers and the order of keys.
        Type::Variant => "JSON".to_owned(),
        Type::Decimal(DecimalType { precision, scale }) => format!("DECIMAL({precision}, {scale})"),
    }
}

fn by_code_point(text: Sql) -> Sql {
    Sql::Collate(Box::new(text), "C")
}

fn both(first: Sql, second: Sql) -> Sql {
    Sql::chain(Level::And, "AND", vec![first, second])
}

/// Every character of the text is one of these.
fn has_only(text: Sql, characters: &str) -> Sql {
    Sql::Call("BTRIM", vec![text, Sql::text(characters)]).compare("=", Sql::text(""))
}

fn function(function: Func, arguments: Vec<Sql>) -> Sql {
    let name = match function {
        Func::Trim => return trim(arguments),
        Func::Upper => return upper(arguments),
        Func::Lower => return by_code_point(Sql::Call("LOWER", all_letters(arguments))),
        Func::Length => "LENGTH",
        Func::Abs => "ABS",
        Func::Round => "ROUND",
        Func::Coalesce => "COALESCE",
        Func::NullIf => "NULLIF",
        Func::Substring => return substring(arguments),
        Func::Greatest => "GREATEST",
        Func::Least => "LEAST",
        Func::Concat => return Sql::concat(arguments),
    };
    Sql::Call(name, arguments)
}

fn trim(mut arguments: Vec<Sql>) -> Sql {
    arguments.push(Sql::text(" "));
    Sql::Call("BTRIM", arguments)
}

/// `ß` is the one letter that is left as it is here and not on other engines.
fn upper(arguments: Vec<Sql>) -> Sql {
    let mut known = all_letters(arguments);
    known.extend([Sql::text("ß"), Sql::text("ẞ")]);
    by_code_point(Sql::Call("UPPER", vec![Sql::Call("REPLACE", known)]))
}

/// Collation "C" knows the letters of ASCII only, the database's own knows all.
fn all_letters(arguments: Vec<Sql>) -> Vec<Sql> {
    arguments
        .into_iter()
        .map(|text| Sql::Collate(Box::new(text), "default"))
        .collect()
}

fn substring(arguments: Vec<Sql>) -> Sql {
    let mut arguments = arguments.into_iter();
    Sql::Substring {
        text: Box::new(arguments.next().expect("a text")),
        from: Box::new(arguments.next().expect("a start")),
        length: arguments.next().map(Box::new),
    }
}

fn arithmetic(left: Sql, operator: Operator, right: Sql) -> Sql {
    let (level, sign, right) = match operator {
        Operator::Add => (Level::Sum, "+", right),
        Operator::Subtract => (Level::Sum, "-", right),
        Operator::Multiply => (Level::Product, "*", right),
        Operator::Divide => (Level::Product, "/", nonzero(right)),
        Operator::Modulo => (Level::Product, "%", nonzero(right)),
    };
    Sql::chain(level, sign, vec![left, right])
}

/// NULL instead of zero; a number that is not zero stays as it is.
fn nonzero(divisor: Sql) -> Sql {
    match &divisor {
        Sql::Word(number) if number.bytes().any(|b| (b'1'..=b'9').contains(&b)) => divisor,
        _ => Sql::Call("NULLIF", vec![divisor, Sql::word("0")]),
    }
}

fn quotient(number: Sql, count: Sql) -> Sql {
    Sql::Call("DIV", vec![number, nonzero(count)])
}

fn interval(amount: i64, unit: Unit) -> Sql {
    let unit = match unit {
        Unit::Second => "SECOND",
        Unit::Minute => "MINUTE",
        Unit::Hour => "HOUR",
        Unit::Day => "DAY",
        Unit::Month => "MONTH",
        Unit::Year => "YEAR",
    };
    Sql::word(format!("INTERVAL '{amount} {unit}'"))
}

fn extract(part: Part, value: Sql) -> Sql {
    let part = match part {
        Part::Year => "YEAR",
        Part::Month => "MONTH",
        Part::Day => "DAY",
        Part::Hour => "HOUR",
        Part::Minute => "MINUTE",
        Part::Second => "SECOND",
        Part::IsoYear => "ISOYEAR",
        Part::IsoWeek => "WEEK",
        Part::IsoWeekday => "ISODOW",
    };
    // A NUMERIC, for seconds with their fraction.
    Sql::Call("FLOOR", vec![Sql::Extract(part, Box::new(value))]).cast("BIGINT")
}

fn parse_int<T: InputTest>(value: Sql) -> Sql {
    // Of these characters `bigint` takes what we take, and nothing else.
    let fits = both(
        has_only(value.clone(), "+-0123456789"),
        T::is_valid(value.clone(), "bigint"),
    );
    Sql::when(fits, value.cast("BIGINT"))
}

fn parse_decimal<T: InputTest>(value: Sql, precision: u8, scale: u8) -> Sql {
    let ty = type_name(Type::Decimal(DecimalType { precision, scale }));
    let fits = both(
        has_only(value.clone(), "+-.0123456789"),
        T::is_valid(value.clone(), &format!("numeric({precision},{scale})")),
    );
    typed(fits, value.cast(&ty), &ty)
}

/// Without the type of its NULL a CASE would be a NUMERIC of no precision.
fn typed(condition: Sql, value: Sql, ty: &str) -> Sql {
    Sql::Case {
        arms: vec![(condition, value)],
        otherwise: Some(Box::new(Sql::word("NULL").cast(ty))),
    }
}

fn parse_bool(value: Sql) -> Sql {
    let one_of = |words: [&str; 5]| Sql::In {
        value: Box::new(Sql::Call("LOWER", vec![value.clone()])),
        list: words.iter().map(|word| Sql::text(word)).collect(),
        negated: false,
    };
    Sql::Case {
        arms: vec![
            (one_of(["true", "t", "1", "yes", "y"]), Sql::word("TRUE")),
            (one_of(["false", "f", "0", "no", "n"]), Sql::word("FALSE")),
        ],
        otherwise: None,
    }
}

fn loses_digits(text: Sql, scale: u8) -> Sql {
    let digits = Sql::Call("SPLIT_PART", vec![text, Sql::text("."), Sql::word("2")]);
    let lost = Sql::Substring {
        text: Box::new(digits),
        from: Box::new(Sql::word((u16::from(scale) + 1).to_string())),
        length: None,
    };
    Sql::Call("BTRIM", vec![lost, Sql::text("0")]).compare("<>", Sql::text(""))
}

fn search(text: Sql, pattern: String) -> Sql {
    Sql::chain(Level::Operator, "~", vec![text, Sql::Text(pattern)])
}

fn matches(text: Sql, regex: &Regex) -> Sql {
    search(text, regex.are())
}

fn captured(text: Sql, regex: &Regex, group: u8) -> Sql {
    let (pattern, group) = match group {
        0 => (format!("({})", regex.are()), 1),
        group => (regex.are(), group),
    };
    let groups = Sql::Call("REGEXP_MATCH", vec![text, Sql::Text(pattern)]);
    // An index of a call is an error of syntax without them.
    Sql::Item(
        Box::new(Sql::Parenthesised(Box::new(groups))),
        u32::from(group),
    )
}

fn part(text: Sql, delimiter: &str, index: u32) -> Sql {
    let part = Sql::Call(
        "SPLIT_PART",
        vec![
            text.clone(),
            Sql::text(delimiter),
            Sql::word(index.to_string()),
        ],
    );
    if index == 1 {
        return part;
    }
    // SPLIT_PART gives '' for a part that is not there.
    let length = |text: Sql| Sql::Call("LENGTH", vec![text]);
    let others = Sql::Call(
        "REPLACE",
        vec![text.clone(), Sql::text(delimiter), Sql::text("")],
    );
    let delimiters = Sql::chain(Level::Sum, "-", vec![length(text), length(others)]);
    let needed = u64::from(index - 1) * delimiter.chars().count() as u64;
    Sql::when(
        delimiters.compare(">=", Sql::word(needed.to_string())),
        part,
    )
}

fn strip_prefix(text: Sql, affix: &str) -> Sql {
    let rest = Sql::Substring {
        text: Box::new(text.clone()),
        from: Box::new(Sql::word((affix.chars().count() + 1).to_string())),
        length: None,
    };
    Sql::Case {
        arms: vec![(
            Sql::Call("STARTS_WITH", vec![text.clone(), Sql::text(affix)]),
            rest,
        )],
        otherwise: Some(Box::new(text)),
    }
}

fn strip_suffix(text: Sql, affix: &str) -> Sql {
    let count = affix.chars().count().to_string();
    let end = Sql::Call("RIGHT", vec![text.clone(), Sql::word(count.clone())]);
    let less = Sql::Negate(Box::new(Sql::word(count)));
    let rest = Sql::Call("LEFT", vec![text.clone(), less]);
    Sql::Case {
        arms: vec![(end.compare("=", Sql::text(affix)), rest)],
        otherwise: Some(Box::new(text)),
    }
}

fn has_code_point(text: Sql, ranges: &[(u32, u32)], outside: bool) -> Sql {
    let mut class = String::from(if outside { "[^" } else { "[" });
    for (first, last) in ranges {
        class.push_str(&format!(r"\U{first:08x}"));
        if last > first {
            class.push_str(&format!(r"-\U{last:08x}"));
        }
    }
    class.push(']');
    search(text, class)
}

/// Arithmetic is done in NUMERIC, which does not overflow, and the result is tested.
fn null_on_error(value: Sql, ty: Type) -> Sql {
    let exact = match value {
        Sql::Cast(inner, _) => unbounded(*inner),
        other => unbounded(other),
    };
    let (fits, exact) = match ty {
        Type::Decimal(DecimalType { precision, scale }) => {
            let rounded = Sql::Call("ROUND", vec![exact, Sql::word(scale.to_string())]);
            let limit = format!("1{}", "0".repeat(usize::from(precision - scale)));
            let size = Sql::Call("ABS", vec![rounded.clone()]);
            (size.compare("<", Sql::word(limit)), rounded)
        }
        Type::Int | Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            let rounded = Sql::Call("ROUND", vec![exact]);
            let within = Sql::Between {
                value: Box::new(rounded.clone()),
                low: Box::new(Sql::word(i64::MIN.to_string())),
                high: Box::new(Sql::word(i64::MAX.to_string())),
                negated: false,
            };
            (within, rounded)
        }
    };
    let ty = type_name(ty);
    typed(fits, exact.cast(&ty), &ty)
}

fn unbounded(value: Sql) -> Sql {
    match value {
        Sql::Chain {
            level,
            operator,
            mut operands,
        } => {
            let first = operands.remove(0);
            operands.insert(0, first.cast("DECIMAL"));
            Sql::Chain {
                level,
                operator,
                operands,
            }
        }
        other => other.cast("DECIMAL"),
    }
}

/// There is no function that raises: the message is read as a BOOLEAN, which it is not. The empty
/// piece of the input keeps the planner from trying it beforehand.
fn or_raise(value: Sql, input: Sql, message: &str) -> Sql {
    let is_lost = both(
        Sql::IsNull(Box::new(value.clone())),
        Sql::IsNotNull(Box::new(input.clone())),
    );
    let nothing = Sql::Call("LEFT", vec![input.cast("TEXT"), Sql::word("0")]);
    let raised = Sql::concat(vec![Sql::text(message), nothing]).cast("BOOLEAN");
    let raises = Sql::Case {
        arms: vec![(is_lost, raised)],
        otherwise: Some(Box::new(Sql::word("FALSE"))),
    };
    // Both arms are the value, so that the CASE has its exact type.
    Sql::Case {
        arms: vec![(raises, value.clone())],
        otherwise: Some(Box::new(value)),
    }
}

fn names(names: Vec<(Sql, String)>) -> Sql {
    let candidates = names
        .into_iter()
        .map(|(when, name)| Sql::when(when, Sql::Text(name)))
        .collect();
    Sql::Call(
        "ARRAY_REMOVE",
        vec![Sql::Array("ARRAY", candidates), Sql::word("NULL")],
    )
}

fn digest(constant: &str, text: Sql) -> Sql {
    let prefix = format!("{}:{constant}", constant.chars().count());
    let length = Sql::Call("LENGTH", vec![text.clone()]).cast("TEXT");
    let whole = Sql::concat(vec![Sql::Text(prefix), length, Sql::text(":"), text]);
    let bytes = Sql::Call("CONVERT_TO", vec![whole, Sql::text("UTF8")]);
    let digest = Sql::Call("SHA256", vec![bytes]);
    Sql::Call("ENCODE", vec![digest, Sql::text("hex")])
}
