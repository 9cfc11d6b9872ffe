//! Values that a spec lists, exact: numbers stay text, never a float.

pub mod read;

use super::types::Type;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Literal {
    /// Any text, byte for byte.
    Text(String),
    Int(i64),
    /// Plain digits with an optional sign and point, as `-0.50`; checked when made by `check`.
    Decimal(String),
    Bool(bool),
    /// `YYYY-MM-DD`, checked to exist.
    Date(String),
    /// `YYYY-MM-DD HH:MM:SS[.ffffff]`, UTC, checked to exist.
    Timestamp(String),
    Null(Type),
}
