//! Reading what a git revision holds, without touching the work tree or the index.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::io::Error;
use crate::tree::Standing;

/// A commit, and a folder in it.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The folder on disk, or the nearest one above it that exists.
    here: PathBuf,
    /// Commit and folder as git names an object: `<hash>:./out/`.
    prefix: String,
}

/// The folder `root` as it is in `revision`: a branch, a tag, a hash.
pub fn revision(root: &Path, revision: &str) -> Result<Revision, Error> {
    let nearest = root.ancestors().find(|folder| folder.is_dir());
    let here = match nearest {
        Some(folder) => folder.to_owned(),
        None => PathBuf::from("."),
    };
    let below = root.strip_prefix(&here).unwrap_or(root);
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    let parts = parts.ok_or_else(|| Error::Unnamable(root.to_owned()))?;
    let folder: String = parts.iter().map(|part| format!("{part}/")).collect();
    let commit = format!("{revision}^{{commit}}");
    let asked = format!("find the revision `{revision}`");
    let arguments = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ];
    let output = git(&here)
        .args(arguments)
        .output()
        .map_err(|cause| Error::Git(asked.clone(), cause.to_string()))?;
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || hash.is_empty() {
        let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let words = match words.is_empty() {
            true => "there is none of this name".to_owned(),
            false => words,
        };
        return Err(Error::Git(asked, words));
    }
    let prefix = format!("{hash}:./{folder}");
    Ok(Revision { here, prefix })
}

/// What stands at each of `paths` below the folder.
pub fn read(
    revision: &Revision,
    paths: &BTreeSet<&str>,
) -> Result<BTreeMap<String, Standing>, Error> {
    let Revision { here, prefix } = revision;
    let failed = |words: String| Error::Git("read the project".to_owned(), words);
    let mut child = git(here)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|cause| failed(cause.to_string()))?;
    let mut asked = String::new();
    for path in paths.iter().filter(|path| !path.contains('\n')) {
        asked += &format!("{prefix}{path}\n");
    }
    let input = child.stdin.take();
    // Both pipes are small: asking and listening go on at the same time.
    let output = thread::scope(|scope| {
        let writer = scope.spawn(move || match input {
            Some(mut input) => input.write_all(asked.as_bytes()),
            None => Ok(()),
        });
        let output = child.wait_with_output();
        _ = writer.join();
        output
    });
    let output = output.map_err(|cause| failed(cause.to_string()))?;
    answers(&output.stdout, paths).ok_or_else(|| failed("its answer is cut off".to_owned()))
}

fn git(here: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(here);
    command
}

/// `<hash> blob <size>` and the bytes, or `<name> missing`, one for each path.
fn answers(mut bytes: &[u8], paths: &BTreeSet<&str>) -> Option<BTreeMap<String, Standing>> {
    let mut found = BTreeMap::new();
    for path in paths {
        let standing = match path.contains('\n') {
            true => Standing::Nothing,
            false => {
                let end = bytes.iter().position(|byte| *byte == b'\n')?;
                let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
                bytes = &bytes[end + 1..];
                match head.rsplit_once(" blob ") {
                    Some((_, size)) => {
                        let size: usize = size.parse().ok()?;
                        let text = bytes.get(..size)?.to_vec();
                        bytes = bytes.get(size + 1..)?;
                        String::from_utf8(text).map_or(Standing::Binary, Standing::Text)
                    }
                    None if head.ends_with(" missing") => Standing::Nothing,
                    None => return None,
                }
            }
        };
        found.insert((*path).to_owned(), standing);
    }
    Some(found)
}
