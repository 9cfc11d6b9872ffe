//! Reading a spec tree: every document, by its path relative to the tree. It does not look inside.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::io::Error;

/// Path relative to the tree, `/` on every platform → text. All problems are reported, not the first.
pub fn read(tree: &Path) -> Result<BTreeMap<String, String>, Vec<Error>> {
    if !tree.exists() {
        return Err(vec![Error::Missing(tree.to_owned())]);
    }
    if !tree.is_dir() {
        return Err(vec![Error::NotAFolder(tree.to_owned())]);
    }
    let mut texts = BTreeMap::new();
    let mut errors = Vec::new();
    let visible = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry);
    for entry in WalkDir::new(tree)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(visible)
    {
        match entry {
            Ok(entry) if is_document(&entry) => match document(tree, entry.path()) {
                Ok((name, text)) => {
                    texts.insert(name, text);
                }
                Err(error) => errors.push(error),
            },
            Ok(_) => {}
            Err(error) => errors.push(unreadable(tree, error)),
        }
    }
    if errors.is_empty() {
        Ok(texts)
    } else {
        Err(errors)
    }
}

/// Links are neither followed nor read: `file_type` is the link's own.
fn is_document(entry: &DirEntry) -> bool {
    let extension = entry.path().extension().and_then(|e| e.to_str());
    entry.file_type().is_file() && matches!(extension, Some("yaml" | "yml"))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn document(tree: &Path, path: &Path) -> Result<(String, String), Error> {
    Ok((relative(tree, path)?, text(path)?))
}

/// The text of one file that the user named or that was found in a tree.
pub fn text(path: &Path) -> Result<String, Error> {
    let bytes = fs::read(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => Error::Missing(path.to_owned()),
        _ if path.is_dir() => Error::NotAFile(path.to_owned()),
        _ => Error::Unreadable(path.to_owned(), cause),
    })?;
    String::from_utf8(bytes)
        .map_err(|error| Error::NotUtf8(path.to_owned(), error.utf8_error().valid_up_to()))
}

pub(super) fn relative(root: &Path, path: &Path) -> Result<String, Error> {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    Ok(parts
        .ok_or_else(|| Error::Unnamable(path.to_owned()))?
        .join("/"))
}

pub(super) fn unreadable(root: &Path, error: walkdir::Error) -> Error {
    let path: PathBuf = error.path().unwrap_or(root).to_owned();
    let cause = error
        .into_io_error()
        .unwrap_or_else(|| std::io::Error::other("links in a circle"));
    Error::Unreadable(path, cause)
}
