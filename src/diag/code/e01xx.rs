//! Reading: YAML, documents, the shape of what is written.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
