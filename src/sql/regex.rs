//! The portable regex subset.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regex;
