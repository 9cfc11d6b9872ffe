//! Values of specs as texts that are equal when the values are.

use crate::ir::{Duration, DurationUnit, SourcePath};
use crate::settings::Dialect;
use crate::sql::dialect::spelling;
use crate::sql::expr::{DateFormat, Directive, Expr, Segment};
use crate::sql::literal::Literal;
use crate::sql::print::{Style, print};
use crate::sql::spell::spell;

/// In one spelling whatever the engine, on one line.
pub fn expression(expr: &Expr) -> String {
    let sql = spell(expr, spelling(Dialect::Duckdb));
    on_one_line(&print(&sql, Style::Plain))
}

/// How wide a piece is decides where the printer breaks it; that must not look like a change.
fn on_one_line(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut in_text = false;
    let mut characters = sql.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\n' || in_text {
            in_text ^= character == '\'';
            out.push(character);
            continue;
        }
        while characters.next_if(|next| *next == ' ').is_some() {}
        if !out.ends_with('(') && characters.peek() != Some(&')') {
            out.push(' ');
        }
    }
    out
}

pub fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Text(text)
        | Literal::Decimal(text)
        | Literal::Date(text)
        | Literal::Timestamp(text) => text.clone(),
        Literal::Int(value) => value.to_string(),
        Literal::Bool(value) => value.to_string(),
        Literal::Null(ty) => format!("null {ty}"),
    }
}

/// As it is written in a spec.
pub fn path(path: &SourcePath) -> String {
    let SourcePath { column, inner } = path;
    format!("${}{}", key(column), segments(inner))
}

pub fn segments(segments: &[Segment]) -> String {
    segments
        .iter()
        .map(|segment| match segment {
            Segment::Key(name) => key(name),
            Segment::Index(index) => format!("[{index}]"),
        })
        .collect()
}

fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(is_plain) {
        return format!(".{name}");
    }
    format!("[\"{}\"]", name.replace('\\', "\\\\").replace('"', "\\\""))
}

pub fn duration(duration: Duration) -> String {
    let Duration { count, unit } = duration;
    let unit = match unit {
        DurationUnit::Hours => "h",
        DurationUnit::Days => "d",
        DurationUnit::Weeks => "w",
    };
    format!("{count}{unit}")
}

pub fn date_format(format: &DateFormat) -> String {
    let DateFormat::Strptime(directives) = format else {
        return "ISO8601".to_owned();
    };
    let directive = |directive: &Directive| match directive {
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
    };
    directives.iter().map(directive).collect()
}
