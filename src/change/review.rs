//! What a run would do to each file, and the files it must not touch. It compares texts only to tell
//! whose they are; what a change means is read from the lock.

use std::collections::BTreeMap;

use crate::change::lock::{self, Digest, Lock};
use crate::tree::{Ownership, Standing, Tree};

/// What to do with a file of ours that someone edited, or of theirs that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    Refuse,
    Overwrite,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    Added { new: &'a str },
    Changed { old: &'a str, new: &'a str },
    Removed { old: &'a str },
}

/// Why a file is left alone and the run refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Ours, but no longer what was written.
    Edited,
    /// Ours, with the markers of an unfinished merge.
    Conflicted,
    /// Not ours, where one of ours belongs.
    Foreign,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review<'a> {
    /// Files that a run touches.
    pub changes: BTreeMap<&'a str, Change<'a>>,
    /// Files that it must not touch; when there is one, nothing is written.
    pub obstacles: BTreeMap<&'a str, Obstacle>,
    /// How many files stay as they are.
    pub unchanged: usize,
}

/// Paths that a review wants to see, with the text that it expects there.
#[must_use]
pub fn paths<'a>(tree: &'a Tree, lock: Option<&'a Lock>) -> BTreeMap<&'a str, Option<&'a str>> {
    let locked = lock.into_iter().flat_map(|lock| lock.files.keys());
    let mut paths: BTreeMap<&str, Option<&str>> =
        locked.map(|path| (path.as_str(), None)).collect();
    let files = tree.files.iter();
    paths.extend(files.map(|(path, file)| (path.as_str(), Some(file.text.as_str()))));
    paths
}

#[must_use]
pub fn review<'a>(
    tree: &'a Tree,
    lock: Option<&'a Lock>,
    standing: &'a BTreeMap<String, Standing>,
    foreign: Foreign,
) -> Review<'a> {
    let mut review = Review {
        changes: BTreeMap::new(),
        obstacles: BTreeMap::new(),
        unchanged: 0,
    };
    for (path, _) in paths(tree, lock) {
        let written = lock.and_then(|lock| lock.files.get(path));
        let stands = standing.get(path).unwrap_or(&Standing::Nothing);
        let (change, obstacle) = match tree.files.get(path) {
            Some(file) => match file.ownership {
                Ownership::Generated => generated(&file.text, written, stands),
                Ownership::Scaffold => {
                    let is_theirs = lock.is_some_and(|lock| lock.scaffold.contains(path));
                    (scaffold(&file.text, is_theirs, stands, foreign), None)
                }
            },
            None => stale(written, stands),
        };
        match (change, obstacle, foreign) {
            (None, _, _) => review.unchanged += usize::from(tree.files.contains_key(path)),
            (Some(_), Some(obstacle), Foreign::Refuse) => {
                review.obstacles.insert(path, obstacle);
            }
            (Some(change), None, _) | (Some(change), Some(_), Foreign::Overwrite) => {
                review.changes.insert(path, change);
            }
        }
    }
    review
}

type Verdict<'a> = (Option<Change<'a>>, Option<Obstacle>);

fn generated<'a>(new: &'a str, written: Option<&Digest>, stands: &'a Standing) -> Verdict<'a> {
    match stands {
        Standing::Expected => (None, None),
        Standing::Nothing => (Some(Change::Added { new }), None),
        Standing::Binary => (
            Some(Change::Changed { old: "", new }),
            Some(obstacle(written, "")),
        ),
        Standing::Text(old) if lock::is_same(old, new) => (None, None),
        Standing::Text(old) => {
            let is_ours = written.is_some_and(|written| *written == Digest::of(old));
            let obstacle = if is_ours {
                None
            } else {
                Some(obstacle(written, old))
            };
            (Some(Change::Changed { old, new }), obstacle)
        }
    }
}

fn stale<'a>(written: Option<&Digest>, stands: &'a Standing) -> Verdict<'a> {
    match stands {
        // Nothing is expected of a stale file.
        Standing::Nothing | Standing::Expected => (None, None),
        Standing::Binary => (
            Some(Change::Removed { old: "" }),
            Some(obstacle(written, "")),
        ),
        Standing::Text(old) => {
            let is_ours = written.is_some_and(|written| *written == Digest::of(old));
            let obstacle = if is_ours {
                None
            } else {
                Some(obstacle(written, old))
            };
            (Some(Change::Removed { old }), obstacle)
        }
    }
}

/// A scaffolded file is written once; one that its user deleted comes back only when forced.
fn scaffold<'a>(
    new: &'a str,
    is_theirs: bool,
    stands: &Standing,
    foreign: Foreign,
) -> Option<Change<'a>> {
    match (stands, is_theirs, foreign) {
        (Standing::Expected | Standing::Text(_) | Standing::Binary, _, _)
        | (_, true, Foreign::Refuse) => None,
        (Standing::Nothing, false, _) | (Standing::Nothing, true, Foreign::Overwrite) => {
            Some(Change::Added { new })
        }
    }
}

fn obstacle(written: Option<&Digest>, old: &str) -> Obstacle {
    match written {
        Some(_) if old.lines().any(|line| line.starts_with("<<<<<<<")) => Obstacle::Conflicted,
        Some(_) => Obstacle::Edited,
        None => Obstacle::Foreign,
    }
}
