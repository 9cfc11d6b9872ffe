//! Dates and timestamps on PostgreSQL. Its parser takes `now`, `infinity`, `J2451187`, `24:00` and
//! a leap second, so only digits in their places reach it.

use super::{InputTest, both, search};
use crate::sql::dialect::shape;
use crate::sql::expr::Directive;
use crate::sql::text::{Level, Sql};

/// What stands behind `YYYY-MM-DD HH:MM` in a time with an offset.
const REST: &str = r"^(?::[0-5][0-9](?:\.[0-9]{1,6})?)?";

pub(super) fn parse_date<T: InputTest>(value: Sql) -> Sql {
    let has_shape = skeleton(value.clone()).compare("=", Sql::text("0000-00-00"));
    Sql::when(
        both(has_shape, T::is_valid(value.clone(), "date")),
        value.cast("DATE"),
    )
}

/// Naive text is UTC, or local time of `zone`.
pub(super) fn parse_timestamp<T: InputTest>(value: Sql, zone: Option<&str>) -> Sql {
    let naive = both_of(vec![
        Sql::In {
            value: Box::new(skeleton(value.clone())),
            list: shapes(zone).iter().map(|shape| Sql::text(shape)).collect(),
            negated: false,
        },
        from(&value, 12, 2).compare("<", Sql::text("24")),
        from(&value, 18, 2).compare("<", Sql::text("60")),
        T::is_valid(value.clone(), "timestamp"),
    ]);
    let start = Sql::Call("LEFT", vec![skeleton(value.clone()), Sql::word("16")]);
    let rest = Sql::Substring {
        text: Box::new(value.clone()),
        from: Box::new(Sql::word("17")),
        length: None,
    };
    let aware = both_of(vec![
        start.compare("=", Sql::text("0000-00-00 00:00")),
        from(&value, 12, 2).compare("<", Sql::text("24")),
        search(rest, format!("{REST}{}$", shape::OFFSET)),
        T::is_valid(value.clone(), "timestamptz"),
    ]);
    Sql::Case {
        arms: vec![
            (naive, in_zone(value.clone().cast("TIMESTAMP"), zone)),
            (aware, instant(value)),
        ],
        otherwise: None,
    }
}

pub(super) fn parse_date_as<T: InputTest>(value: Sql, format: &[Directive]) -> Sql {
    let iso = iso(&value, format);
    let fits = both(
        search(value, shape_of(format)),
        T::is_valid(iso.clone(), "date"),
    );
    Sql::when(fits, iso.cast("DATE"))
}

pub(super) fn parse_timestamp_as<T: InputTest>(
    value: Sql,
    format: &[Directive],
    zone: Option<&str>,
) -> Sql {
    let iso = iso(&value, format);
    let shape = search(value, shape_of(format));
    if format.contains(&Directive::Offset) {
        let fits = both(shape, T::is_valid(iso.clone(), "timestamptz"));
        return Sql::when(fits, instant(iso));
    }
    let fits = both(shape, T::is_valid(iso.clone(), "timestamp"));
    Sql::when(fits, in_zone(iso.cast("TIMESTAMP"), zone))
}

/// Every digit as 0, and the `T` between date and time as a blank.
fn skeleton(value: Sql) -> Sql {
    Sql::Call(
        "TRANSLATE",
        vec![value, Sql::text("123456789T"), Sql::text("000000000 ")],
    )
}

/// A date; with hours and minutes; with seconds; with one to six digits behind them. A cast that
/// drops the zone reads `Z` as what it says; most feeds write it, so its usual forms are not left to
/// the dear conversion of offsets.
fn shapes(zone: Option<&str>) -> Vec<String> {
    let minutes = "0000-00-00 00:00";
    let mut shapes = vec!["0000-00-00".to_owned(), minutes.to_owned()];
    shapes.push(format!("{minutes}:00"));
    shapes.extend((1..=6).map(|digits| format!("{minutes}:00.{}", "0".repeat(digits))));
    if zone.is_none() {
        shapes.extend(["00Z", "00.000Z", "00.000000Z"].map(|end| format!("{minutes}:{end}")));
    }
    shapes
}

fn from(value: &Sql, start: u32, length: u32) -> Sql {
    Sql::Substring {
        text: Box::new(value.clone()),
        from: Box::new(Sql::word(start.to_string())),
        length: Some(Box::new(Sql::word(length.to_string()))),
    }
}

fn both_of(conditions: Vec<Sql>) -> Sql {
    Sql::chain(Level::And, "AND", conditions)
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
    let year = Sql::Call("LEFT", vec![text.clone(), Sql::word("4")]);
    let utc = Sql::AtTimeZone(Box::new(text.cast("TIMESTAMPTZ")), "UTC".to_owned());
    let at_an_end = Sql::In {
        value: Box::new(year),
        list: vec![Sql::text("0001"), Sql::text("9999")],
        negated: true,
    };
    let within = Sql::Between {
        value: Box::new(utc.clone()),
        low: Box::new(Sql::text("0001-01-01").cast("TIMESTAMP")),
        high: Box::new(Sql::text("9999-12-31 23:59:59.999999").cast("TIMESTAMP")),
        negated: false,
    };
    Sql::when(Sql::chain(Level::Or, "OR", vec![at_an_end, within]), utc)
}

/// The exact texts that a format takes, a group for each directive.
fn shape_of(format: &[Directive]) -> String {
    let mut out = String::from("^");
    for directive in format {
        match directive {
            Directive::Text(_) => out.push_str(&shape::piece(directive)),
            Directive::Year4
            | Directive::Year2
            | Directive::Month
            | Directive::MonthName
            | Directive::MonthFullName
            | Directive::Day
            | Directive::Hour24
            | Directive::Hour12
            | Directive::AmPm
            | Directive::Minute
            | Directive::Second
            | Directive::Fraction
            | Directive::Offset => out.push_str(&format!("({})", shape::piece(directive))),
        }
    }
    out.push('$');
    out
}

/// A text of that shape in the order of ISO 8601, which no setting of the session can misread.
fn iso(value: &Sql, format: &[Directive]) -> Sql {
    let shape = shape_of(format);
    let groups: Vec<&Directive> = format
        .iter()
        .filter(|directive| !matches!(directive, Directive::Text(_)))
        .collect();
    let piece = |before: &str, wanted: &[Directive]| {
        groups
            .iter()
            .position(|directive| wanted.contains(directive))
            .map(|at| format!(r"{before}\{}", at + 1))
            .unwrap_or_default()
    };
    let months = [
        Directive::Month,
        Directive::MonthName,
        Directive::MonthFullName,
    ];
    let order = [
        piece("", &[Directive::Year4, Directive::Year2]),
        piece("-", &months),
        piece("-", &[Directive::Day]),
        piece(" ", &[Directive::Hour24, Directive::Hour12]),
        piece(":", &[Directive::Minute]),
        piece(":", &[Directive::Second]),
        piece(".", &[Directive::Fraction]),
        piece(" ", &[Directive::AmPm]),
        piece(" ", &[Directive::Offset]),
    ];
    let rewritten = |order: String| {
        Sql::Call(
            "REGEXP_REPLACE",
            vec![value.clone(), Sql::text(&shape), Sql::Text(order)],
        )
    };
    if !format.contains(&Directive::Year2) {
        return rewritten(order.concat());
    }
    let year = rewritten(piece("", &[Directive::Year2]));
    let century = Sql::Case {
        arms: vec![(year.compare("<", Sql::text("69")), Sql::text("20"))],
        otherwise: Some(Box::new(Sql::text("19"))),
    };
    Sql::concat(vec![century, rewritten(order.concat())])
}
