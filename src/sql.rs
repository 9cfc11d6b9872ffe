//! Value-level SQL as a closed tree: types, literals, expressions, and their text in each dialect.
//! The shape of a relation (CTEs, joins) is not here but in `templates/sql/`.

pub mod dialect;
pub mod expr;
mod failure;
mod interval;
pub mod literal;
pub mod parse;
pub mod print;
pub mod regex;
pub mod spell;
pub mod text;
pub mod types;
mod walk;
