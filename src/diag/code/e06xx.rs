//! Not supported: by this version, or by a dialect.

use super::Entry;

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[];
