//! Chains, expressions, types.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
