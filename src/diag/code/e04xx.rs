//! Rules, dispositions, quarantine, dedupe, relationships.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
