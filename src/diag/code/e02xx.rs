//! Names, entities, mappings.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
