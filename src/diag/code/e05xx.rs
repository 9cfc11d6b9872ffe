//! Configuration and output.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
