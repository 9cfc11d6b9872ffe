//! The YAML boundary: text to a small tree of our own. Nothing else knows `serde_yaml`.

use std::collections::BTreeMap;

/// The documents of a spec tree: relative path with `/` on every platform → text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    pub files: BTreeMap<String, String>,
}
