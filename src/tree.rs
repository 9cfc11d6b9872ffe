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

    /// The files of another part of the project.
    pub fn add(&mut self, part: Tree) {
        for (path, File { text, ownership }) in part.files {
            self.insert(path, text, ownership);
        }
    }

    fn insert(&mut self, path: String, text: String, ownership: Ownership) {
        let earlier = self.files.insert(path.clone(), File { text, ownership });
        assert!(earlier.is_none(), "two generated files claim `{path}`");
    }
}

/// What stands at a path of the checked-in project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Nothing,
    /// Byte for byte what the reader hoped to find, and has.
    Expected,
    Text(String),
    /// A file that is not UTF-8, so none of ours.
    Binary,
}

/// Whether a path names the same file, below the root, on every platform: relative, `/` between its
/// parts, no `..`, nothing that Windows reads as a drive, a device or an alternate stream.
#[must_use]
pub fn is_portable(path: &str) -> bool {
    path.split('/').all(is_portable_part)
}

fn is_portable_part(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    let device = match stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"))
    {
        Some(number) => number.len() == 1 && number != "0" && number.parse::<u8>().is_ok(),
        None => ["con", "prn", "aux", "nul"].contains(&stem.as_str()),
    };
    !part.is_empty()
        && part.len() <= 255
        && part != "."
        && part != ".."
        && !part.ends_with(['.', ' '])
        && !part.contains(|c: char| c.is_control() || r#"\:*?"<>|"#.contains(c))
        && !device
}
