//! Paths as they are given and shown: `./specs` and `specs` are one.

use std::path::{Component, Path, PathBuf};

/// `path`, which starts at `folder` unless it is absolute. Never empty: an empty path is no folder.
pub(super) fn below(folder: &Path, path: &Path) -> PathBuf {
    let plain: PathBuf = plain(&folder.join(path)).collect();
    if plain.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        plain
    }
}

pub(super) fn plain(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|part| *part != Component::CurDir)
}
