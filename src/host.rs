//! A repository that was there before: which framework and engine it uses, the names it has taken,
//! and what it must add for our files to run in it. It reads texts that others found on the disk.

pub mod catalog;
pub mod dbt;
pub mod names;
pub mod sqlmesh;

use crate::settings::Dialect;

/// Lines that the owner of the repository adds by hand; we never write in their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    pub file: &'static str,
    pub text: String,
}

/// The engine behind a connection, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    Known(Dialect),
    /// One that this tool writes no SQL for, in the framework's word.
    Other(String),
    /// Nothing says.
    Untold,
}

impl Engine {
    fn named(name: Option<&str>) -> Self {
        match name {
            Some("motherduck") => Self::Known(Dialect::Duckdb),
            Some(name) => match Dialect::ALL
                .into_iter()
                .find(|dialect| dialect.name() == name)
            {
                Some(dialect) => Self::Known(dialect),
                None => Self::Other(name.to_owned()),
            },
            None => Self::Untold,
        }
    }
}
