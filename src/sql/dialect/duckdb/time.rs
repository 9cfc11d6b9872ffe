//! Dates and timestamps on DuckDB. Its own cast takes `24:00`, any offset and, since 1.4, drops the
//! offset of a TIMESTAMP; so the shape is tested first and an offset always goes through
//! TIMESTAMPTZ to UTC, which no session time zone can change.

use super::full_match;
use crate::sql::dialect::shape::{self, OFFSET};
use crate::sql::expr::Directive;
use crate::sql::text::{Level, Sql};

const DATE: &str = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
const HOUR_MINUTE: &str = "([01][0-9]|2[0-3]):[0-5][0-9]";
const SECONDS: &str = r":[0-5][0-9](\.[0-9]{1,6})?";

/// A date of ten characters that prints as it was written: DuckDB also takes `2024-1-5`, blanks and a
/// year 0, and prints `infinity`, `10000-01-01` and `0044-03-15 (BC)` as they came.
pub(super) fn parse_date(value: Sql) -> Sql {
    let date = value.clone().try_cast("DATE");
    let is_short = Sql::Call("LENGTH", vec![value.clone()]).compare("=", Sql::word("10"));
    let is_same = date.clone().cast("TEXT").compare("=", value);
    let is_date = Sql::chain(Level::And, "AND", vec![is_short, is_same]);
    Sql::when(is_date, date)
}

/// Naive text is UTC, or local time of `zone`.
pub(super) fn parse_timestamp(value: Sql, zone: Option<&str>) -> Sql {
    // The cast reads a `Z` behind seconds as what it says; most feeds write it, so it is not left to
    // the dear conversion of offsets.
    let utc = if zone.is_none() { "Z?" } else { "" };
    let naive = format!("{DATE}([T ]{HOUR_MINUTE}({SECONDS}{utc})?)?");
    let aware = format!("{DATE}[T ]{HOUR_MINUTE}({SECONDS})?{OFFSET}");
    let local = value.clone().try_cast("TIMESTAMP");
    // The cast wants seconds before an offset.
    let full = Sql::Call(
        "REGEXP_REPLACE",
        vec![
            value.clone(),
            Sql::text("^(.{16})([Z+-])"),
            Sql::text(r"\1:00\2"),
        ],
    );
    Sql::Case {
        arms: vec![
            (
                year_exists(full_match(&value, &naive), &value),
                in_zone(local, zone),
            ),
            (full_match(&value, &aware), instant(full)),
        ],
        otherwise: None,
    }
}

pub(super) fn parse_date_as(value: Sql, format: &[Directive]) -> Sql {
    let parsed = Sql::Call(
        "TRY_STRPTIME",
        vec![value.clone(), Sql::Text(strptime(format))],
    );
    Sql::when(full_match(&value, &shape(format)), parsed.try_cast("DATE"))
}

pub(super) fn parse_timestamp_as(value: Sql, format: &[Directive], zone: Option<&str>) -> Sql {
    let shape = shape(format);
    let fits = full_match(&value, &shape);
    if !format.contains(&Directive::Offset) {
        let parsed = Sql::Call("TRY_STRPTIME", vec![value, Sql::Text(strptime(format))]);
        return Sql::when(fits, in_zone(parsed, zone));
    }
    // The shape has one group around what stands before the offset, one around it, one behind it.
    let piece = |replacement: &str| {
        Sql::Call(
            "REGEXP_REPLACE",
            vec![
                value.clone(),
                Sql::Text(format!("^{shape}$")),
                Sql::text(replacement),
            ],
        )
    };
    let without: Vec<Directive> = format
        .iter()
        .filter(|directive| **directive != Directive::Offset)
        .cloned()
        .collect();
    let local = Sql::Call(
        "TRY_STRPTIME",
        vec![piece(r"\1\3"), Sql::Text(strptime(&without))],
    );
    let text = Sql::Call("STRFTIME", vec![local, Sql::text("%Y-%m-%d %H:%M:%S.%f")]);
    Sql::when(fits, instant(Sql::concat(vec![text, piece(r"\2")])))
}

fn in_zone(local: Sql, zone: Option<&str>) -> Sql {
    match zone {
        None => local,
        Some(zone) => Sql::AtTimeZone(
            Box::new(Sql::AtTimeZone(Box::new(local), zone.to_owned())),
            "UTC".to_owned(),
        ),
    }
}

/// An offset may carry a value out of the years 0001 to 9999.
fn instant(text: Sql) -> Sql {
    let utc = Sql::AtTimeZone(Box::new(text.try_cast("TIMESTAMPTZ")), "UTC".to_owned());
    let within = Sql::Between {
        value: Box::new(Sql::word("instant")),
        low: Box::new(Sql::text("0001-01-01").cast("TIMESTAMP")),
        high: Box::new(Sql::text("9999-12-31 23:59:59.999999").cast("TIMESTAMP")),
        negated: false,
    };
    Sql::Item(
        Box::new(Sql::Call(
            "LIST_FILTER",
            vec![
                Sql::list(vec![utc]),
                Sql::Lambda("instant", Box::new(within)),
            ],
        )),
        1,
    )
}

/// DuckDB knows a year 0; we do not.
fn year_exists(shape: Sql, value: &Sql) -> Sql {
    let year_zero = Sql::Like {
        value: Box::new(value.clone()),
        pattern: Box::new(Sql::text("0000%")),
        negated: true,
    };
    Sql::chain(Level::And, "AND", vec![shape, year_zero])
}

fn strptime(format: &[Directive]) -> String {
    format
        .iter()
        .map(|directive| match directive {
            Directive::Year4 => "%Y".to_owned(),
            Directive::Year2 => "%y".to_owned(),
            Directive::Month => "%m".to_owned(),
            Directive::MonthName => "%b".to_owned(),
            Directive::MonthFullName => "%B".to_owned(),
            Directive::Day => "%d".to_owned(),
            Directive::Hour24 => "%H".to_owned(),
            Directive::Hour12 => "%I".to_owned(),
            Directive::AmPm => "%p".to_owned(),
            Directive::Minute => "%M".to_owned(),
            Directive::Second => "%S".to_owned(),
            Directive::Fraction => "%f".to_owned(),
            Directive::Offset => "%z".to_owned(),
            Directive::Text(text) => text.replace('%', "%%"),
        })
        .collect()
}

/// The exact texts a format takes; DuckDB alone would take single digits and stray blanks.
fn shape(format: &[Directive]) -> String {
    let mut out = String::new();
    let has_offset = format.contains(&Directive::Offset);
    if has_offset {
        out.push('(');
    }
    for directive in format {
        match directive {
            Directive::Offset => out.push_str(&format!(")({OFFSET})(")),
            other => out.push_str(&shape::piece(other)),
        }
    }
    if has_offset {
        out.push(')');
    }
    out
}
