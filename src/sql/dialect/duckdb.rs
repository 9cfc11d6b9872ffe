//! DuckDB, 1.4 to 2.0. Its casts are more generous than the accept set of the semantics (`'1.7'` is
//! the integer 2, `'0x1F'` is 31), so every conversion stands behind a shape test.

use super::Spelling;
use crate::sql::expr::{Func, Operator, Part, Unit};
use crate::sql::regex::Regex;
use crate::sql::text::{Level, Sql};
use crate::sql::types::{DecimalType, Type};

mod json;
mod time;

pub const DUCKDB: Spelling = Spelling {
    name: "duckdb",
    identifier_limit: None,
    // Since 1.4 a CTE read twice is computed as a whole, all its columns at once.
    shared_cte: "NOT MATERIALIZED ",
    // It shares common sub-expressions by itself.
    fence: None,
    judged_keeps_values: false,
    // Nothing ends with a transaction here; new projects set the zone for the connection.
    reading: None,
    creations_collide: false,
    sqlmesh_has_transactions: false,
    merges_by_index: false,
    installs_input_test: false,
    descending_puts_nulls_last: true,
    type_name,
    list_keyword: "",
    name_list_type: "TEXT[]",
    json_type: "JSON",
    function,
    arithmetic,
    quotient,
    interval,
    extract,
    each_day: |first, last| {
        let step = interval(1, Unit::Day);
        let series = Sql::Call("GENERATE_SERIES", vec![first, last, step]);
        Sql::Call("UNNEST", vec![series])
    },
    to_text: |value| value.cast("TEXT"),
    parse_int,
    parse_decimal,
    parse_bool,
    parse_date: time::parse_date,
    parse_timestamp: time::parse_timestamp,
    parse_date_as: time::parse_date_as,
    parse_timestamp_as: time::parse_timestamp_as,
    parse_json: json::parse,
    loses_digits,
    matches,
    captured,
    part,
    strip_prefix,
    strip_suffix,
    json_text: json::text,
    json_document: json::document,
    json_member: json::member,
    json_object: |pairs| Sql::CallPairs("JSON_OBJECT", pairs),
    redacted: json::redacted,
    nfc: |value| Sql::Call("NFC_NORMALIZE", vec![value]),
    has_code_point,
    null_on_error: |value, _| Sql::Call("TRY", vec![value]),
    or_raise,
    like_pattern: str::to_owned,
    has_bit: |mask, bit| {
        Sql::chain(Level::Operator, "&", vec![mask, Sql::word(bit.to_string())])
            .compare("<>", Sql::word("0"))
    },
    names,
    no_names: || Sql::list(Vec::new()).cast("TEXT[]"),
    digest,
};

fn type_name(ty: Type) -> String {
    match ty {
        Type::String => "TEXT".to_owned(),
        Type::Int => "BIGINT".to_owned(),
        Type::Bool => "BOOLEAN".to_owned(),
        Type::Date => "DATE".to_owned(),
        Type::Timestamp => "TIMESTAMP".to_owned(),
        Type::Variant => "JSON".to_owned(),
        Type::Decimal(DecimalType { precision, scale }) => format!("DECIMAL({precision}, {scale})"),
    }
}

fn function(function: Func, arguments: Vec<Sql>) -> Sql {
    let name = match function {
        // Blanks only: without a set DuckDB takes off every Unicode blank, other engines do not.
        Func::Trim => {
            return Sql::Call(
                "TRIM",
                arguments.into_iter().chain([Sql::text(" ")]).collect(),
            );
        }
        Func::Upper => "UPPER",
        Func::Lower => "LOWER",
        Func::Length => "LENGTH",
        Func::Abs => "ABS",
        Func::Round => "ROUND",
        Func::Coalesce => "COALESCE",
        Func::NullIf => "NULLIF",
        Func::Substring => "SUBSTRING",
        Func::Greatest => "GREATEST",
        Func::Least => "LEAST",
        Func::Concat => return Sql::concat(arguments),
    };
    Sql::Call(name, arguments)
}

fn arithmetic(left: Sql, operator: Operator, right: Sql) -> Sql {
    let (level, sign, right) = match operator {
        Operator::Add => (Level::Sum, "+", right),
        Operator::Subtract => (Level::Sum, "-", right),
        Operator::Multiply => (Level::Product, "*", right),
        // Since 2.0 a quotient by zero is an infinity, which no decimal can hold.
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

/// `/` would compute with floats.
fn quotient(number: Sql, count: Sql) -> Sql {
    let operands = vec![number.cast("INT128"), nonzero(count)];
    Sql::chain(Level::Product, "//", operands)
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
    Sql::Interval(amount, unit)
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
    Sql::Extract(part, Box::new(value))
}

fn full_match(value: &Sql, pattern: &str) -> Sql {
    Sql::Call("REGEXP_FULL_MATCH", vec![value.clone(), Sql::text(pattern)])
}

fn search(value: Sql, pattern: &str) -> Sql {
    Sql::Call("REGEXP_MATCHES", vec![value, Sql::text(pattern)])
}

fn parse_int(value: Sql) -> Sql {
    Sql::when(full_match(&value, "[+-]?[0-9]+"), value.try_cast("BIGINT"))
}

fn parse_decimal(value: Sql, precision: u8, scale: u8) -> Sql {
    let ty = type_name(Type::Decimal(DecimalType { precision, scale }));
    Sql::when(
        full_match(&value, r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"),
        value.try_cast(&ty),
    )
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
    // Most texts are too short to lose anything, which is cheaper to see than to match.
    let point = Sql::Call("STRPOS", vec![text.clone(), Sql::text(".")]);
    let behind = Sql::chain(
        Level::Sum,
        "-",
        vec![Sql::Call("LENGTH", vec![text.clone()]), point],
    );
    let is_long = behind.compare(">", Sql::word(scale.to_string()));
    let lost = search(text, &format!(r"\.[0-9]{{{scale}}}[0-9]*[1-9]"));
    Sql::Case {
        arms: vec![(is_long, lost)],
        otherwise: Some(Box::new(Sql::word("FALSE"))),
    }
}

fn matches(text: Sql, regex: &Regex) -> Sql {
    search(text, &regex.re2())
}

fn captured(text: Sql, regex: &Regex, group: u8) -> Sql {
    // REGEXP_EXTRACT gives '' both for no match and for an empty match; the list tells them apart.
    Sql::Item(
        Box::new(Sql::Call(
            "REGEXP_EXTRACT_ALL",
            vec![text, Sql::Text(regex.re2()), Sql::word(group.to_string())],
        )),
        1,
    )
}

fn part(text: Sql, delimiter: &str, index: u32) -> Sql {
    Sql::Item(
        Box::new(Sql::Call("STR_SPLIT", vec![text, Sql::text(delimiter)])),
        index,
    )
}

fn strip_prefix(text: Sql, affix: &str) -> Sql {
    let rest = Sql::Call(
        "SUBSTRING",
        vec![
            text.clone(),
            Sql::word((affix.chars().count() + 1).to_string()),
        ],
    );
    Sql::Case {
        arms: vec![(
            Sql::Call("STARTS_WITH", vec![text.clone(), Sql::text(affix)]),
            rest,
        )],
        otherwise: Some(Box::new(text)),
    }
}

fn strip_suffix(text: Sql, affix: &str) -> Sql {
    let length = Sql::chain(
        Level::Sum,
        "-",
        vec![
            Sql::Call("LENGTH", vec![text.clone()]),
            Sql::word(affix.chars().count().to_string()),
        ],
    );
    let rest = Sql::Call("SUBSTRING", vec![text.clone(), Sql::word("1"), length]);
    Sql::Case {
        arms: vec![(
            Sql::Call("SUFFIX", vec![text.clone(), Sql::text(affix)]),
            rest,
        )],
        otherwise: Some(Box::new(text)),
    }
}

fn has_code_point(text: Sql, ranges: &[(u32, u32)], outside: bool) -> Sql {
    let mut class = String::from(if outside { "[^" } else { "[" });
    for (first, last) in ranges {
        class.push_str(&format!(r"\x{{{first:X}}}"));
        if last > first {
            class.push_str(&format!(r"-\x{{{last:X}}}"));
        }
    }
    class.push(']');
    search(text, &class)
}

fn names(names: Vec<(Sql, String)>) -> Sql {
    let candidates = names
        .into_iter()
        .map(|(when, name)| Sql::when(when, Sql::Text(name)))
        .collect();
    let keep = Sql::Lambda(
        "name",
        Box::new(Sql::IsNotNull(Box::new(Sql::word("name")))),
    );
    Sql::Call("LIST_FILTER", vec![Sql::list(candidates), keep])
}

fn or_raise(value: Sql, input: Sql, message: &str) -> Sql {
    let is_lost = Sql::chain(
        Level::And,
        "AND",
        vec![
            Sql::IsNull(Box::new(value.clone())),
            Sql::IsNotNull(Box::new(input)),
        ],
    );
    Sql::Case {
        arms: vec![(is_lost, Sql::Call("ERROR", vec![Sql::text(message)]))],
        otherwise: Some(Box::new(value)),
    }
}

fn digest(constant: &str, text: Sql) -> Sql {
    let prefix = format!("{}:{constant}", constant.chars().count());
    let length = Sql::Call("LENGTH", vec![text.clone()]);
    Sql::Call(
        "SHA256",
        vec![Sql::concat(vec![
            Sql::Text(prefix),
            length,
            Sql::text(":"),
            text,
        ])],
    )
}
