//! Writing a project: everything is staged inside it first, then moved into place, and moved back
//! when anything fails. It decides nothing about whose file is whose (see `change::review`).

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::io::Error;
use crate::io::project::{Target, targets};
use crate::io::staging::Staging;

/// One thing to do to one file of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    Write { path: &'a str, text: &'a str },
    Remove { path: &'a str },
}

impl<'a> Edit<'a> {
    fn path(&self) -> &'a str {
        match self {
            Self::Write { path, .. } | Self::Remove { path } => path,
        }
    }
}

/// Does all edits, in their order, or none. Folders are made as needed; folders that a removal left
/// empty go too.
pub fn apply(root: &Path, edits: &[Edit<'_>]) -> Result<(), Error> {
    if edits.is_empty() {
        return Ok(());
    }
    let targets = targets(root, edits.iter().map(Edit::path))?;
    let made = make_folder(root)?;
    let outcome = Staging::open(root).and_then(|mut staging| {
        let outcome = move_all(root, &mut staging, edits, &targets);
        match outcome {
            // The old texts are worth more than a tidy folder.
            Err(Error::NotRestored { .. }) => staging.rescue(),
            Ok(()) | Err(_) => staging.close(),
        }
        outcome
    });
    match &outcome {
        Ok(()) => remove_empty_folders(root, edits),
        Err(_) => made
            .iter()
            .rev()
            .for_each(|folder| _ = fs::remove_dir(folder)),
    }
    outcome
}

/// A step that was taken and how to take it back.
enum Done {
    /// Nothing stood there: a file, or a whole folder of new files.
    Appeared(PathBuf),
    /// The old file is in the staging folder.
    Replaced { target: PathBuf, old: PathBuf },
}

fn move_all(
    root: &Path,
    staging: &mut Staging,
    edits: &[Edit<'_>],
    targets: &[Target],
) -> Result<(), Error> {
    let mut folders = Folders {
        root,
        present: BTreeSet::new(),
        missing: BTreeSet::new(),
    };
    let mut staged_folders = BTreeSet::new();
    let mut moves = Vec::with_capacity(edits.len());
    for (index, (edit, target)) in edits.iter().zip(targets).enumerate() {
        let target = target.path.as_path();
        match edit {
            Edit::Remove { .. } => moves.push(Move::Out { target, index }),
            Edit::Write { path, text } => match folders.topmost_missing(path)? {
                // A folder that is not there yet is staged whole and moved with all that is in it.
                Some(folder) => {
                    staging.write_below_folder(path, text)?;
                    if staged_folders.insert(folder) {
                        moves.push(Move::FolderIn { folder });
                    }
                }
                None => {
                    staging.write_file(index, text)?;
                    moves.push(Move::FileIn { target, index });
                }
            },
        }
    }
    let mut done = Vec::with_capacity(moves.len());
    for step in moves {
        if let Err(cause) = step.take(root, staging, &mut done) {
            return Err(take_back(done, staging, cause));
        }
    }
    Ok(())
}

/// A step from the staging folder into the project, or the other way.
enum Move<'a> {
    FolderIn { folder: &'a str },
    FileIn { target: &'a Path, index: usize },
    Out { target: &'a Path, index: usize },
}

impl Move<'_> {
    fn take(&self, root: &Path, staging: &Staging, done: &mut Vec<Done>) -> Result<(), Error> {
        match self {
            Self::FolderIn { folder } => {
                let target = root.join(folder);
                rename(&staging.folder(folder), &target)?;
                done.push(Done::Appeared(target));
            }
            Self::FileIn { target, index } => {
                let old = staging.old_file(*index);
                // A link keeps the file in its place until the new one takes it over.
                if is_file(target)? {
                    fs::hard_link(target, &old)
                        .or_else(|_| fs::rename(target, &old))
                        .map_err(|cause| Error::Unwritable((*target).to_owned(), cause))?;
                    done.push(Done::Replaced {
                        target: (*target).to_owned(),
                        old,
                    });
                } else {
                    done.push(Done::Appeared((*target).to_owned()));
                }
                rename(&staging.new_file(*index), target)?;
            }
            Self::Out { target, index } => {
                if is_file(target)? {
                    let old = staging.old_file(*index);
                    rename(target, &old)?;
                    done.push(Done::Replaced {
                        target: (*target).to_owned(),
                        old,
                    });
                }
            }
        }
        Ok(())
    }
}

fn is_file(target: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(found) if found.is_symlink() => Err(Error::Symlink(target.to_owned())),
        Ok(_) => Err(Error::NotAFile(target.to_owned())),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(Error::Unreadable(target.to_owned(), cause)),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|cause| Error::Unwritable(to.to_owned(), cause))
}

/// Newest first. What appeared goes back to staging, which is thrown away.
fn take_back(done: Vec<Done>, staging: &Staging, cause: Error) -> Error {
    let mut cause = cause;
    for (index, step) in done.into_iter().enumerate().rev() {
        let (target, taken_back) = match step {
            Done::Appeared(target) => match fs::rename(&target, staging.discarded(index)) {
                // The step failed before its file was there.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                taken_back => (target, taken_back),
            },
            Done::Replaced { target, old } => {
                let taken_back = fs::rename(&old, &target);
                (target, taken_back)
            }
        };
        if taken_back.is_err() {
            let kept_in = staging.rescued().to_owned();
            cause = Error::NotRestored {
                file: target,
                kept_in,
                cause: Box::new(cause),
            };
        }
    }
    cause
}

/// Which folders of the project are there, asked once each.
struct Folders<'a> {
    root: &'a Path,
    present: BTreeSet<&'a str>,
    missing: BTreeSet<&'a str>,
}

impl<'a> Folders<'a> {
    /// The first folder on the way to `path` that does not exist.
    fn topmost_missing(&mut self, path: &'a str) -> Result<Option<&'a str>, Error> {
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if self.present.contains(folder) {
                continue;
            }
            if self.missing.contains(folder) {
                return Ok(Some(folder));
            }
            let place = self.root.join(folder);
            match fs::symlink_metadata(&place) {
                Ok(found) if found.is_dir() => self.present.insert(folder),
                Ok(found) if found.is_symlink() => return Err(Error::Symlink(place)),
                Ok(_) => return Err(Error::NotAFolder(place)),
                Err(cause) if cause.kind() == ErrorKind::NotFound => {
                    self.missing.insert(folder);
                    return Ok(Some(folder));
                }
                Err(cause) => return Err(Error::Unreadable(place, cause)),
            };
        }
        Ok(None)
    }
}

/// Makes the folder; returns those that were missing, outermost first.
fn make_folder(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unwritable = |cause| Error::Unwritable(folder.to_owned(), cause);
    if folder.exists() && !folder.is_dir() {
        return Err(Error::NotAFolder(folder.to_owned()));
    }
    let missing = folder
        .ancestors()
        .filter(|f| !f.as_os_str().is_empty() && !f.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(unwritable)?;
    Ok(missing)
}

/// Never fails a run that succeeded: a folder that stays is only untidy.
fn remove_empty_folders(root: &Path, edits: &[Edit<'_>]) {
    let mut folders = BTreeSet::new();
    for edit in edits {
        match edit {
            Edit::Remove { path } => {
                folders.extend(path.match_indices('/').map(|(end, _)| &path[..end]));
            }
            Edit::Write { .. } => {}
        }
    }
    // Inner folders sort behind the ones that hold them.
    for folder in folders.iter().rev() {
        _ = fs::remove_dir(root.join(folder));
    }
}
