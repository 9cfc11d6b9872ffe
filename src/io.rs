//! The only layer that touches a disk: it reads spec trees and projects, and writes projects so
//! that a run which fails leaves everything as it was. It knows neither YAML nor frameworks.

pub mod folder;
pub mod git;
pub mod project;
pub mod specs;
mod staging;
pub mod write;

use std::fmt;
use std::path::PathBuf;

/// What a disk can do to a run. Each names the path it happened at.
#[derive(Debug)]
pub enum Error {
    Missing(PathBuf),
    NotAFolder(PathBuf),
    /// A folder, or something stranger, where a file belongs.
    NotAFile(PathBuf),
    /// The byte at which the text stops being UTF-8.
    NotUtf8(PathBuf, usize),
    /// A file whose name is not UTF-8.
    Unnamable(PathBuf),
    Unreadable(PathBuf, std::io::Error),
    Unwritable(PathBuf, std::io::Error),
    /// A link below the project: what stands behind it is not ours to write.
    Symlink(PathBuf),
    /// A path that leaves the project or that some platform cannot hold.
    NotPortable(String),
    /// `git` cannot be run, or says no: what it was asked, and its words.
    Git(String, String),
    /// Another run is writing to this project.
    Busy(PathBuf),
    /// A run failed, and so did the attempt to put this file back; its old text is in the folder.
    NotRestored {
        file: PathBuf,
        kept_in: PathBuf,
        cause: Box<Error>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "`{}` does not exist", path.display()),
            Self::NotAFolder(path) => write!(f, "`{}` is not a folder", path.display()),
            Self::NotAFile(path) => write!(f, "`{}` is not a file", path.display()),
            Self::NotUtf8(path, byte) => {
                write!(f, "`{}` is not UTF-8 text (byte {byte})", path.display())
            }
            Self::Unnamable(path) => {
                write!(f, "the file name `{}` is not UTF-8", path.display())
            }
            Self::Unreadable(path, cause) => {
                write!(f, "`{}` cannot be read: {cause}", path.display())
            }
            Self::Unwritable(path, cause) => {
                write!(f, "`{}` cannot be written: {cause}", path.display())
            }
            Self::Symlink(path) => {
                write!(
                    f,
                    "`{}` is a symbolic link; nothing is written through it",
                    path.display()
                )
            }
            Self::NotPortable(path) => {
                write!(
                    f,
                    "`{path}` is not a path inside the project on every platform"
                )
            }
            Self::Git(asked, words) => write!(f, "git cannot {asked}: {words}"),
            Self::Busy(path) => {
                write!(
                    f,
                    "another run is writing to this project (it holds `{}`)",
                    path.display()
                )
            }
            Self::NotRestored {
                file,
                kept_in,
                cause,
            } => write!(
                f,
                "{cause}; and `{}` could not be put back, its old text is kept in `{}`",
                file.display(),
                kept_in.display()
            ),
        }
    }
}
