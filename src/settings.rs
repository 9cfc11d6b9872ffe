//! What `assay.yml` and the command line decide about a run, as closed types. Reading either is
//! `spec::config` and `cli`; this is only the result.

use std::collections::BTreeMap;

/// The framework the project is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Dbt,
    Sqlmesh,
}

impl Target {
    pub const ALL: [Self; 2] = [Self::Dbt, Self::Sqlmesh];

    /// As it is written in `assay.yml` and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dbt => "dbt",
            Self::Sqlmesh => "sqlmesh",
        }
    }

    /// As people write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Dbt => "dbt",
            Self::Sqlmesh => "SQLMesh",
        }
    }
}

/// The engine the SQL is written for. `sql::dialect` holds one constant for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    Duckdb,
    Postgres(PostgresRelease),
}

impl Dialect {
    /// One for each name, in its newest form.
    pub const ALL: [Self; 2] = [Self::Duckdb, Self::Postgres(PostgresRelease::From16)];

    /// As it is written in `assay.yml` and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Duckdb => "duckdb",
            Self::Postgres(PostgresRelease::From13 | PostgresRelease::From16) => "postgres",
        }
    }

    /// The same engine in this release; an engine whose releases need no telling apart stays.
    #[must_use]
    pub fn released(self, postgres: PostgresRelease) -> Self {
        match self {
            Self::Duckdb => self,
            Self::Postgres(_) => Self::Postgres(postgres),
        }
    }
}

/// Releases of PostgreSQL as far as the SQL for them differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PostgresRelease {
    /// 13 to 15 cannot be asked whether a text is valid input.
    From13,
    From16,
}

impl PostgresRelease {
    /// Major versions that run what is generated.
    pub const OLDEST: u32 = 13;
    pub const NEWEST: u32 = 18;

    #[must_use]
    pub fn of(major: u32) -> Self {
        if major < 16 {
            Self::From13
        } else {
            Self::From16
        }
    }
}

/// How a dbt project takes the generated files in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A project of its own (or, inside a host, a local package in `<folder>/`).
    Package,
    /// Among the host's own `models/`, `macros/`, … in sub-folders named `<folder>`.
    Inline,
}

impl Layout {
    pub const ALL: [Self; 2] = [Self::Package, Self::Inline];

    /// As it is written in `assay.yml` and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Inline => "inline",
        }
    }
}

/// Whose project the generated files live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// A project of its own: what is needed to run it is scaffolded too.
    Own,
    /// A repository that was there before. With `Layout::Package` the tree is rooted at the
    /// package's folder inside it, else at the repository's root.
    Existing,
}

/// Names of the three schemas (SQLMesh: databases are left to the connection).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schemas {
    pub bronze: String,
    pub silver: String,
    pub gold: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub target: Target,
    pub dialect: Dialect,
    /// Sub-folder under `models/`, `macros/`, … that holds everything generated.
    pub folder: String,
    pub schemas: Schemas,
    pub layout: Layout,
    pub host: Host,
}

/// How much a relation holds, as far as anybody has said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Volume {
    pub rows: Option<u64>,
    pub bytes: Option<u64>,
}

/// What is known of the warehouse, for estimates; nothing that is generated depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By the name of the bronze relation.
    pub sources: BTreeMap<String, Volume>,
    pub entities: BTreeMap<String, Volume>,
}
