//! What a run is asked to do: `assay.yml` in the current folder, and the flags that win over it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::flags::{Layer, ProjectFlags};
use crate::cli::paths::below;
use crate::diag::Bag;
use crate::io;
use crate::settings::{
    Dialect, Host, Layout, PostgresRelease, Schemas, Settings, Statistics, Target,
};
use crate::spec::config::{self, Config};
use crate::yaml::Sources;

pub(super) const CONFIG: &str = "assay.yml";

/// Settled as far as nothing but the user was asked.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) specs: PathBuf,
    pub(super) out: PathBuf,
    pub(super) target: Option<Target>,
    pub(super) dialect: Dialect,
    pub(super) folder: String,
    pub(super) schemas: Schemas,
    pub(super) layout: Layout,
    /// Fingerprint of a change → why it may be made.
    pub(super) allow: BTreeMap<String, String>,
    pub(super) statistics: Statistics,
}

impl Request {
    pub(super) fn settings(&self, target: Target, host: Host) -> Settings {
        let Self {
            specs: _,
            out: _,
            target: _,
            dialect,
            folder,
            schemas,
            layout,
            allow: _,
            statistics: _,
        } = self;
        Settings {
            target,
            dialect: *dialect,
            folder: folder.clone(),
            schemas: schemas.clone(),
            layout: *layout,
            host,
        }
    }
}

/// What is wrong in `assay.yml`, and its text to show it in.
pub(super) struct Problems {
    pub(super) bag: Bag,
    pub(super) sources: Sources,
}

pub(super) fn read(
    flags: &ProjectFlags,
    here: &Path,
) -> Result<Result<Request, Problems>, Failure> {
    let (config, problems) = read_config(here)?;
    if problems.bag.has_errors() {
        return Ok(Err(problems));
    }
    let Config {
        specs,
        target,
        dialect,
        out,
        folder,
        bronze,
        silver,
        gold,
        layout,
        postgres,
        allow,
        statistics,
    } = config;
    let dialect = flags.dialect.or(dialect).unwrap_or(Dialect::Duckdb);
    let flag = flags.postgres_version.map(PostgresRelease::of);
    let postgres = flag.or(postgres).unwrap_or(PostgresRelease::From16);
    let given = |flag: &Option<PathBuf>, key: Option<String>, default: &str| {
        flag.clone()
            .or(key.map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from(default))
    };
    let schema = |layer: Layer, key: Option<String>, default: &str| {
        let flag = flags
            .schemas
            .iter()
            .rev()
            .find(|(named, _)| *named == layer);
        flag.map(|(_, name)| name.clone())
            .or(key)
            .unwrap_or_else(|| default.to_owned())
    };
    Ok(Ok(Request {
        specs: below(here, &given(&flags.specs, specs, "specs")),
        out: below(here, &given(&flags.out, out, ".")),
        target: flags.target.or(target),
        dialect: dialect.released(postgres),
        folder: flags
            .folder
            .clone()
            .or(folder)
            .unwrap_or_else(|| "assay".to_owned()),
        schemas: Schemas {
            bronze: schema(Layer::Bronze, bronze, "bronze"),
            silver: schema(Layer::Silver, silver, "silver"),
            gold: schema(Layer::Gold, gold, "gold"),
        },
        layout: flags.layout.or(layout).unwrap_or(Layout::Package),
        allow,
        statistics,
    }))
}

fn read_config(here: &Path) -> Result<(Config, Problems), Failure> {
    let mut sources = Sources::default();
    let (config, bag) = match io::specs::text(&below(here, Path::new(CONFIG))) {
        Ok(text) => {
            let read = config::read(&text, CONFIG);
            sources.files.insert(CONFIG.to_owned(), text);
            read
        }
        Err(io::Error::Missing(_)) => (Config::default(), Bag::default()),
        Err(error) => return Err(error.into()),
    };
    Ok((config, Problems { bag, sources }))
}
