//! A generated project as a value: relative path → file. It never touches a disk (see `io`).

use std::collections::BTreeMap;

/// Whose file it is once it has been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// Ours for good: recorded in `assay.lock`, rewritten, removed when no longer generated.
    Generated,
    /// Written once where nothing stands (`dbt_project.yml` of a new project); the user's from then on.
    Scaffold,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub text: String,
    pub ownership: Ownership,
}

/// Paths use `/`, are relative to the project root and never contain `..`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    pub files: BTreeMap<String, File>,
}

impl Tree {
    pub fn generated(&mut self, path: impl Into<String>, text: String) {
        self.insert(path.into(), text, Ownership::Generated);
    }

    pub fn scaffold(&mut self, path: impl Into<String>, text: String) {
        self.insert(path.into(), text, Ownership::Scaffold);
    }

    fn insert(&mut self, path: String, text: String, ownership: Ownership) {
        let earlier = self.files.insert(path.clone(), File { text, ownership });
        assert!(earlier.is_none(), "two generated files claim `{path}`");
    }
}
