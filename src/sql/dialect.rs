//! A dialect is one constant in one file, with no defaults: a new decision is a new field here, and
//! every dialect file fails to compile until it answers.

pub mod duckdb;
pub mod postgres;
mod shape;

use super::expr::{Directive, Func, Operator, Part, Segment, Unit};
use super::regex::Regex;
use super::text::Sql;
use super::types::Type;
use crate::settings::{Dialect, PostgresRelease};

/// How one engine spells every construct of `Expr`.
pub struct Spelling {
    /// As `dialect` in a SQLMesh MODEL and `type` in a dbt profile.
    pub name: &'static str,
    /// Longest identifier in bytes; `None` where there is no limit.
    pub identifier_limit: Option<usize>,
    /// How the CTE of all typed values, which several others read, is to be computed.
    pub shared_cte: &'static str,
    /// Ends a sub-query whose columns must not be computed again by each of their readers.
    pub fence: Option<&'static str>,
    /// Reading a value costs less than computing it again: judged keeps the typed values, and the
    /// entity is a part of judged.
    pub judged_keeps_values: bool,
    /// Makes the text of times the same in every session; goes before what reads bronze, and ends with
    /// its transaction.
    pub reading: Option<&'static str>,
    /// `IF NOT EXISTS` is an error where another session creates the same at the same time.
    pub creations_collide: bool,
    /// SQLMesh writes all that a model writes in one transaction.
    pub sqlmesh_has_transactions: bool,
    /// Merging into a table that stays finds its rows by an index.
    pub merges_by_index: bool,
    /// Conversions call a function that the project has to bring along.
    pub installs_input_test: bool,
    /// `ORDER BY x DESC` alone puts NULLs last.
    pub descending_puts_nulls_last: bool,
    pub type_name: fn(Type) -> String,
    /// Stands in front of the brackets of a list.
    pub list_keyword: &'static str,
    /// The type of a list of rule names.
    pub name_list_type: &'static str,
    /// The type of `raw` and `key_values`.
    pub json_type: &'static str,
    pub function: fn(Func, Vec<Sql>) -> Sql,
    /// `Divide` and `Modulo` give NULL for a zero divisor.
    pub arithmetic: fn(Sql, Operator, Sql) -> Sql,
    /// The integer part of an exact number by an integer, exact; NULL for a zero divisor.
    pub quotient: fn(Sql, Sql) -> Sql,
    pub interval: fn(i64, Unit) -> Sql,
    pub extract: fn(Part, Sql) -> Sql,
    /// Rows, not a value.
    pub each_day: fn(Sql, Sql) -> Sql,
    pub to_text: fn(Sql) -> Sql,
    pub parse_int: fn(Sql) -> Sql,
    pub parse_decimal: fn(Sql, u8, u8) -> Sql,
    pub parse_bool: fn(Sql) -> Sql,
    pub parse_date: fn(Sql) -> Sql,
    /// Naive text is UTC, or local time of the IANA zone.
    pub parse_timestamp: fn(Sql, Option<&str>) -> Sql,
    /// A date by an explicit pattern.
    pub parse_date_as: fn(Sql, &[Directive]) -> Sql,
    pub parse_timestamp_as: fn(Sql, &[Directive], Option<&str>) -> Sql,
    pub parse_json: fn(Sql) -> Sql,
    pub loses_digits: fn(Sql, u8) -> Sql,
    pub matches: fn(Sql, &Regex) -> Sql,
    pub captured: fn(Sql, &Regex, u8) -> Sql,
    pub part: fn(Sql, &str, u32) -> Sql,
    pub strip_prefix: fn(Sql, &str) -> Sql,
    pub strip_suffix: fn(Sql, &str) -> Sql,
    pub json_text: fn(Sql, &[Segment]) -> Sql,
    pub json_document: fn(Sql, &[Vec<Segment>]) -> Sql,
    /// A member of a `json_document`: the column, all paths it was made with, the path wanted.
    pub json_member: fn(Sql, &[Vec<Segment>], &[Segment]) -> Sql,
    pub json_object: fn(Vec<(Sql, Sql)>) -> Sql,
    pub redacted: fn(Sql, &[Vec<Segment>]) -> Sql,
    pub nfc: fn(Sql) -> Sql,
    pub has_code_point: fn(Sql, &[(u32, u32)], bool) -> Sql,
    /// A number as this type, NULL where it does not fit; what computes it may raise.
    pub null_on_error: fn(Sql, Type) -> Sql,
    /// The first, or an error with this message where it is NULL and the second is not.
    pub or_raise: fn(Sql, Sql, &str) -> Sql,
    /// A LIKE pattern that knows no escape character.
    pub like_pattern: fn(&str) -> String,
    pub has_bit: fn(Sql, i64) -> Sql,
    pub names: fn(Vec<(Sql, String)>) -> Sql,
    pub no_names: fn() -> Sql,
    pub digest: fn(&str, Sql) -> Sql,
}

#[must_use]
pub fn spelling(dialect: Dialect) -> &'static Spelling {
    match dialect {
        Dialect::Duckdb => &duckdb::DUCKDB,
        Dialect::Postgres(PostgresRelease::From13) => &postgres::POSTGRES_13,
        Dialect::Postgres(PostgresRelease::From16) => &postgres::POSTGRES_16,
    }
}
