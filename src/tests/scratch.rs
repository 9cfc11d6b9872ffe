//! A folder that is gone when the test is over.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("assay-test-{}-{number}", process::id()));
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let scratch = Self::new();
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap_or_else(|_| panic!("no file `{path}`"))
    }

    pub(crate) fn holds(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    /// Every file and folder (`""` for a folder's text), hidden ones too.
    pub(crate) fn all(&self) -> BTreeMap<String, String> {
        let walk = walkdir::WalkDir::new(&self.0).min_depth(1);
        let entries = walk.into_iter().map(|entry| entry.expect("readable"));
        entries
            .map(|entry| {
                let path = entry.path().strip_prefix(&self.0).expect("below");
                let text = match entry.file_type().is_file() {
                    true => fs::read_to_string(entry.path()).expect("text"),
                    false => String::new(),
                };
                (path.to_str().expect("UTF-8").to_owned(), text)
            })
            .collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}
