//! Why a command could not do its work, and what to do about it.

use std::fmt;
use std::path::PathBuf;

use crate::change::lock::Unreadable;
use crate::io;

#[derive(Debug)]
pub(super) enum Failure {
    /// The reader of our output has gone.
    Closed,
    Unprinted(std::io::Error),
    /// At least one.
    Disk(Vec<io::Error>),
    Lock {
        path: PathBuf,
        why: Unreadable,
    },
    /// What was asked cannot be done here.
    Request {
        message: String,
        help: String,
    },
}

impl Failure {
    pub(super) fn request(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Request {
            message: message.into(),
            help: help.into(),
        }
    }

    pub(super) fn help(&self) -> Vec<String> {
        match self {
            Self::Closed | Self::Unprinted(_) => Vec::new(),
            Self::Disk(errors) => errors
                .iter()
                .filter_map(disk_help)
                .map(str::to_owned)
                .collect(),
            Self::Lock { why, .. } => lock_help(*why),
            Self::Request { help, .. } => vec![help.clone()],
        }
    }
}

fn disk_help(error: &io::Error) -> Option<&'static str> {
    match error {
        io::Error::NotUtf8(..) => Some("save the file as UTF-8"),
        io::Error::Symlink(_) => Some("replace the link with what it points to, or move `out`"),
        io::Error::Busy(_) => Some("wait until the other run has ended"),
        io::Error::Git(..)
        | io::Error::Missing(_)
        | io::Error::NotAFolder(_)
        | io::Error::NotAFile(_)
        | io::Error::Unnamable(_)
        | io::Error::Unreadable(..)
        | io::Error::Unwritable(..)
        | io::Error::NotPortable(_)
        | io::Error::NotRestored { .. } => None,
    }
}

fn lock_help(why: Unreadable) -> Vec<String> {
    let help: &[&str] = match why {
        Unreadable::Conflicted => &[
            "take one side of it (`git checkout --ours assay.lock`) and generate again",
            "files that came from the other side are then named; `--force` rewrites them",
        ],
        Unreadable::Newer => &["use the version of assay that wrote it, or a newer one"],
        Unreadable::Corrupt { .. } => &[
            "restore it from version control: without it, assay cannot tell its files from others",
        ],
    };
    help.iter().map(|help| (*help).to_owned()).collect()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the output was closed"),
            Self::Unprinted(cause) => write!(f, "the output cannot be written: {cause}"),
            Self::Disk(errors) => {
                let errors: Vec<String> = errors.iter().map(io::Error::to_string).collect();
                f.write_str(&errors.join("\nerror: "))
            }
            Self::Lock { path, why } => {
                let path = path.display();
                match why {
                    Unreadable::Conflicted => write!(f, "`{path}` has the markers of a merge"),
                    Unreadable::Newer => {
                        write!(f, "`{path}` was written by a newer version of assay")
                    }
                    Unreadable::Corrupt { line } => {
                        write!(f, "`{path}` is damaged at line {line}")
                    }
                }
            }
            Self::Request { message, .. } => f.write_str(message),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Disk(vec![error])
    }
}

impl From<Vec<io::Error>> for Failure {
    fn from(errors: Vec<io::Error>) -> Self {
        Self::Disk(errors)
    }
}
