//! The folder inside a project where new files wait and replaced ones are kept while a run writes.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::io::Error;

/// On the project's own file system, so that a move is a rename. A run that was killed leaves it
/// behind; the next one clears it.
const NAME: &str = ".assay-staging";

/// Where the old files go that could not be put back.
const RESCUED: &str = ".assay-rescued";

pub(super) struct Staging {
    path: PathBuf,
    rescued: PathBuf,
    /// Held until the end: a second run at the same time is refused.
    lock: File,
    /// Folders made so far below `folders`.
    made: BTreeSet<PathBuf>,
}

impl Staging {
    pub(super) fn open(root: &Path) -> Result<Self, Error> {
        let path = root.join(NAME);
        let unwritable = |cause| Error::Unwritable(path.clone(), cause);
        if path.is_symlink() {
            return Err(Error::Symlink(path));
        }
        fs::create_dir_all(&path).map_err(unwritable)?;
        let lock = File::create(path.join("lock")).map_err(unwritable)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(path)),
            // Some network file systems have no locks; the run is worth more than the guard.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        for part in ["new", "old", "folders", "discarded"] {
            let part = path.join(part);
            if part.exists() {
                fs::remove_dir_all(&part).map_err(unwritable)?;
            }
            fs::create_dir(&part).map_err(unwritable)?;
        }
        let names = (1..).map(|n| {
            if n == 1 {
                RESCUED.into()
            } else {
                format!("{RESCUED}-{n}")
            }
        });
        let mut rescued = names
            .map(|name| root.join(name))
            .filter(|path| !path.exists());
        let rescued = rescued.next().unwrap_or_else(|| root.join(RESCUED));
        Ok(Self {
            path,
            rescued,
            lock,
            made: BTreeSet::new(),
        })
    }

    pub(super) fn rescued(&self) -> &Path {
        &self.rescued
    }

    pub(super) fn new_file(&self, index: usize) -> PathBuf {
        self.path.join("new").join(index.to_string())
    }

    pub(super) fn old_file(&self, index: usize) -> PathBuf {
        self.path.join("old").join(index.to_string())
    }

    pub(super) fn discarded(&self, index: usize) -> PathBuf {
        self.path.join("discarded").join(index.to_string())
    }

    /// Where a folder that the project lacks is built.
    pub(super) fn folder(&self, folder: &str) -> PathBuf {
        self.path.join("folders").join(folder)
    }

    pub(super) fn write_file(&self, index: usize, text: &str) -> Result<(), Error> {
        write(&self.new_file(index), text)
    }

    pub(super) fn write_below_folder(&mut self, path: &str, text: &str) -> Result<(), Error> {
        let target = self.folder(path);
        let parent = target.parent().unwrap_or(&self.path);
        if !self.made.contains(parent) {
            fs::create_dir_all(parent)
                .map_err(|cause| Error::Unwritable(parent.to_owned(), cause))?;
            self.made.insert(parent.to_owned());
        }
        write(&target, text)
    }

    /// Throws away what is left; what stays is cleared by the next run.
    pub(super) fn close(self) {
        drop(self.lock);
        _ = fs::remove_dir_all(self.path);
    }

    /// Leaves the old files where `rescued` says.
    pub(super) fn rescue(self) {
        drop(self.lock);
        _ = fs::rename(self.path, self.rescued);
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|cause| Error::Unwritable(path.to_owned(), cause))
}
