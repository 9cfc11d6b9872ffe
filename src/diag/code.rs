//! The catalogue of codes.

/// `E0101`-style; never reused, never generic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(pub &'static str);
