//! Looking around in a repository that was there before: which files, and their texts for a search.
//! It is lenient: what cannot be read is nobody's name.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use crate::io::Error;
use crate::io::specs::relative;

/// Names of what lies directly in a folder, sorted; nothing for a folder that does not exist.
pub fn entries(folder: &Path) -> Result<Vec<String>, Error> {
    let unreadable = |cause| Error::Unreadable(folder.to_owned(), cause);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    if !folder.is_dir() {
        return Err(Error::NotAFolder(folder.to_owned()));
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        names.push(
            entry
                .map_err(unreadable)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    names.sort();
    Ok(names)
}

/// Paths, relative to `root`, of all files below `root/folder`, sorted. Links are followed, as the
/// frameworks do.
pub fn files(root: &Path, folder: &str) -> Vec<String> {
    let walk = WalkDir::new(root.join(folder))
        .follow_links(true)
        .sort_by_file_name();
    walk.into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| relative(root, entry.path()).ok())
        .collect()
}

/// The text of a file to search in; what is not UTF-8 in it is replaced.
pub fn text(path: &Path) -> Option<String> {
    fs::read(path)
        .ok()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
