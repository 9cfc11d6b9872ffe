//! What was, kept in `golden/`, against what is. `UPDATE_GOLDEN=1` makes what is what was.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// `fixtures`, `golden`: a folder of the repository.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The sorted names of what stands in a folder.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("a readable folder")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// Collects differences, so that one run shows them all.
#[derive(Default)]
pub(crate) struct Golden {
    differences: Vec<String>,
}

impl Golden {
    /// `file` is relative to `golden/`.
    pub(crate) fn check(&mut self, file: &str, actual: &str) {
        let path = folder("golden").join(file);
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if expected == actual {
            return;
        }
        if env::var_os("UPDATE_GOLDEN").is_some() {
            assert!(
                env::var_os("CI").is_none(),
                "UPDATE_GOLDEN is for people, not for CI"
            );
            fs::create_dir_all(path.parent().expect("a file in golden/")).expect("a folder");
            fs::write(&path, actual).expect("a golden file");
            return;
        }
        let diff = TextDiff::from_lines(expected.as_str(), actual);
        let diff = diff.unified_diff().header("golden", "now").to_string();
        self.differences.push(format!("golden/{file}\n{diff}"));
    }

    pub(crate) fn note(&mut self, difference: String) {
        self.differences.push(difference);
    }

    #[track_caller]
    pub(crate) fn finish(self) {
        let all = self.differences.join("\n");
        assert!(
            all.is_empty(),
            "{all}\nUPDATE_GOLDEN=1 accepts what changed; review it as code"
        );
    }
}
