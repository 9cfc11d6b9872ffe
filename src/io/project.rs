//! Reading what stands in a project at given paths. It never reads through a link below the root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::io::Error;
use crate::tree::{Standing, is_portable};

/// Fewer files than this are read faster by one thread than threads are started.
const WORTH_A_THREAD: usize = 256;

/// What stands at each of `paths` below `root`; a root that does not exist holds nothing.
pub fn read(root: &Path, paths: &BTreeSet<&str>) -> Result<BTreeMap<String, Standing>, Error> {
    let targets = targets(root, paths.iter().copied())?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = targets.len().div_ceil(workers).max(WORTH_A_THREAD);
    let shares: Vec<Result<Vec<Standing>, Error>> = thread::scope(|scope| {
        let read_all = |share: &[PathBuf]| share.iter().map(|path| standing(path)).collect();
        let readers: Vec<_> = targets
            .chunks(share)
            .map(|share| scope.spawn(move || read_all(share)))
            .collect();
        let joined = readers.into_iter().map(|reader| reader.join());
        joined
            .map(|found| found.expect("a reader returns its errors"))
            .collect()
    });
    let mut found = Vec::with_capacity(paths.len());
    for share in shares {
        found.extend(share?);
    }
    Ok(paths
        .iter()
        .map(|path| (*path).to_owned())
        .zip(found)
        .collect())
}

fn standing(path: &Path) -> Result<Standing, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).map_or(Standing::Binary, Standing::Text)),
        // A file on the way is found again, and refused, when a folder is wanted there.
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Standing::Nothing)
        }
        Err(_) if path.is_dir() => Err(Error::NotAFile(path.to_owned())),
        Err(cause) => Err(Error::Unreadable(path.to_owned(), cause)),
    }
}

/// Where the paths are on this disk; refused when one is not portable or leads through a link below
/// the root, or is one.
pub(super) fn targets<'a>(
    root: &Path,
    paths: impl Iterator<Item = &'a str>,
) -> Result<Vec<PathBuf>, Error> {
    let mut targets = Vec::new();
    let mut plain_folders = BTreeSet::new();
    for path in paths {
        if !is_portable(path) {
            return Err(Error::NotPortable(path.to_owned()));
        }
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if plain_folders.insert(folder) {
                refuse_link(&root.join(folder))?;
            }
        }
        let target = root.join(path);
        refuse_link(&target)?;
        targets.push(target);
    }
    Ok(targets)
}

fn refuse_link(path: &Path) -> Result<(), Error> {
    if path.is_symlink() {
        Err(Error::Symlink(path.to_owned()))
    } else {
        Ok(())
    }
}
