//! Reading what stands in a project at given paths. It never reads through a link below the root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;

use crate::io::Error;
use crate::tree::{Standing, is_portable};

/// Fewer files than this are read faster by one thread than threads are started.
const WORTH_A_THREAD: usize = 256;

/// What is read of a file at a time.
const CHUNK: usize = 64 << 10;

/// What stands at each of `paths` below `root`; a root that does not exist holds nothing.
pub fn read(root: &Path, paths: &BTreeSet<&str>) -> Result<BTreeMap<String, Standing>, Error> {
    compare(root, &paths.iter().map(|path| (*path, None)).collect())
}

/// The same; a text that is the expected one is not kept.
pub fn compare(
    root: &Path,
    wanted: &BTreeMap<&str, Option<&str>>,
) -> Result<BTreeMap<String, Standing>, Error> {
    let targets = targets(root, wanted.keys().copied())?;
    let wants: Vec<(&Target, Option<&str>)> =
        targets.iter().zip(wanted.values().copied()).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = wants.len().div_ceil(workers).max(WORTH_A_THREAD);
    let shares: Vec<Result<Vec<Standing>, Error>> = thread::scope(|scope| {
        let read_all = |share: &[(&Target, Option<&str>)]| {
            let mut reader = Reader::new();
            share
                .iter()
                .map(|(target, expected)| reader.standing(target, *expected))
                .collect()
        };
        let readers: Vec<_> = wants
            .chunks(share)
            .map(|share| scope.spawn(move || read_all(share)))
            .collect();
        let joined = readers.into_iter().map(|reader| reader.join());
        joined
            .map(|found| found.expect("a reader returns its errors"))
            .collect()
    });
    let mut found = Vec::with_capacity(wanted.len());
    for share in shares {
        found.extend(share?);
    }
    Ok(wanted
        .keys()
        .map(|path| (*path).to_owned())
        .zip(found)
        .collect())
}

/// Whether files of a project hold what they should, asked one after the other.
pub struct Holding<'r> {
    root: &'r Path,
    folders: BTreeMap<String, Reach>,
    reader: Reader,
}

impl<'r> Holding<'r> {
    #[must_use]
    pub fn below(root: &'r Path) -> Self {
        Self {
            root,
            folders: BTreeMap::new(),
            reader: Reader::new(),
        }
    }

    /// Byte for byte. A file that cannot be read does not; `compare` says why.
    pub fn is(&mut self, path: &str, text: &str) -> bool {
        let Ok(target) = target(self.root, path, &mut self.folders) else {
            return false;
        };
        match self.reader.standing(&target, Some(text)) {
            Ok(Standing::Expected) => true,
            Ok(Standing::Nothing | Standing::Text(_) | Standing::Binary) | Err(_) => false,
        }
    }
}

/// Its memory serves one file after the other.
struct Reader {
    chunk: Vec<u8>,
    text: Vec<u8>,
}

impl Reader {
    fn new() -> Self {
        Self {
            chunk: vec![0; CHUNK],
            text: Vec::new(),
        }
    }

    fn standing(&mut self, target: &Target, expected: Option<&str>) -> Result<Standing, Error> {
        let Target { path, reach } = target;
        match reach {
            Reach::Folder | Reach::FolderWithoutLinks => {}
            Reach::Nothing => return Ok(Standing::Nothing),
        }
        match self.read(path) {
            Ok(()) if expected.is_some_and(|text| text.as_bytes() == self.text) => {
                Ok(Standing::Expected)
            }
            Ok(()) => Ok(match str::from_utf8(&self.text) {
                Ok(text) => Standing::Text(text.to_owned()),
                Err(_) => Standing::Binary,
            }),
            // A file on the way is found again, and refused, when a folder is wanted there.
            Err(cause)
                if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(Standing::Nothing)
            }
            Err(_) if path.is_dir() => Err(Error::NotAFile(path.to_owned())),
            Err(cause) => Err(Error::Unreadable(path.to_owned(), cause)),
        }
    }

    /// Without asking for the size, which would be a third of the work for a small file.
    fn read(&mut self, path: &Path) -> std::io::Result<()> {
        let mut file = File::open(path)?;
        self.text.clear();
        loop {
            match file.read(&mut self.chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => self.text.extend_from_slice(&self.chunk[..count]),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
    }
}

/// A path on this disk.
pub(super) struct Target {
    pub(super) path: PathBuf,
    reach: Reach,
}

/// Whether anything can stand at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Its folder is there.
    Folder,
    /// And no link is in it.
    FolderWithoutLinks,
    Nothing,
}

/// Where the paths are on this disk; refused when one is not portable or leads through a link below
/// the root, or is one.
pub(super) fn targets<'a>(
    root: &Path,
    paths: impl Iterator<Item = &'a str>,
) -> Result<Vec<Target>, Error> {
    let mut folders = BTreeMap::new();
    paths.map(|path| target(root, path, &mut folders)).collect()
}

/// `folders` are those that were looked at so far.
fn target(root: &Path, path: &str, folders: &mut BTreeMap<String, Reach>) -> Result<Target, Error> {
    if !is_portable(path) {
        return Err(Error::NotPortable(path.to_owned()));
    }
    let mut reach = Reach::Folder;
    for (end, _) in path.match_indices('/') {
        let folder = &path[..end];
        reach = match folders.get(folder) {
            Some(known) => *known,
            None => {
                let found = look_into(&root.join(folder))?;
                folders.insert(folder.to_owned(), found);
                found
            }
        };
        match reach {
            Reach::Folder | Reach::FolderWithoutLinks => {}
            Reach::Nothing => break,
        }
    }
    let path = root.join(path);
    match reach {
        Reach::Folder => _ = refuse_link(&path)?,
        Reach::FolderWithoutLinks | Reach::Nothing => {}
    }
    Ok(Target { path, reach })
}

/// Listing a folder once costs less than asking for each of its files. Where it holds a link, under
/// whatever name, each is asked for.
fn look_into(folder: &Path) -> Result<Reach, Error> {
    let is_no_link = |entry: std::io::Result<fs::DirEntry>| {
        let kind = entry.and_then(|entry| entry.file_type());
        kind.is_ok_and(|kind| !kind.is_symlink())
    };
    let reach = refuse_link(folder)?;
    let has_none = fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_no_link));
    match reach {
        Reach::Folder if has_none => Ok(Reach::FolderWithoutLinks),
        Reach::Folder | Reach::FolderWithoutLinks | Reach::Nothing => Ok(reach),
    }
}

fn refuse_link(path: &Path) -> Result<Reach, Error> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(Error::Symlink(path.to_owned())),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Reach::Nothing),
        // What else is wrong with it shows when it is opened.
        Ok(_) | Err(_) => Ok(Reach::Folder),
    }
}
