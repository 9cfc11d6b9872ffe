//! Flags that several commands share. Each has the name of its key in `assay.yml` and wins over it.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::settings::{Dialect, Layout, PostgresRelease, Target};

#[derive(Debug, Default, clap::Args)]
pub(super) struct ProjectFlags {
    /// Folder of the spec tree [default: specs].
    #[arg(long, value_name = "DIR")]
    pub(super) specs: Option<PathBuf>,
    /// Framework to generate for [default: the one found in `out`].
    #[arg(long)]
    pub(super) target: Option<Target>,
    /// Engine to write SQL for [default: duckdb].
    #[arg(long)]
    pub(super) dialect: Option<Dialect>,
    /// Root of the dbt or SQLMesh project; a new one is made where there is none [default: .].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Folder inside the project that holds everything generated [default: assay].
    #[arg(long, value_name = "NAME", value_parser = identifier)]
    pub(super) folder: Option<String>,
    /// How an existing dbt project takes the files in [default: package].
    #[arg(long)]
    pub(super) layout: Option<Layout>,
    /// Oldest major version of PostgreSQL that runs the project [default: 16].
    #[arg(long, value_name = "MAJOR", value_parser = postgres_versions())]
    pub(super) postgres_version: Option<u32>,
    /// Names of the schemas, as in `bronze=raw,silver=clean`.
    #[arg(long, value_name = "LAYER=NAME", value_delimiter = ',', value_parser = schema)]
    pub(super) schemas: Vec<(Layer, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    Bronze,
    Silver,
    Gold,
}

fn postgres_versions() -> clap::builder::RangedI64ValueParser<u32> {
    let range = i64::from(PostgresRelease::OLDEST)..=i64::from(PostgresRelease::NEWEST);
    clap::value_parser!(u32).range(range)
}

fn identifier(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("lower-case letters, digits and `_`, a letter first".to_owned()),
    }
}

fn schema(text: &str) -> Result<(Layer, String), String> {
    let Some((layer, name)) = text.split_once('=') else {
        return Err("written as `bronze=NAME`, `silver=NAME` or `gold=NAME`".to_owned());
    };
    let layer = match layer {
        "bronze" => Layer::Bronze,
        "silver" => Layer::Silver,
        "gold" => Layer::Gold,
        _ => return Err(format!("`{layer}` is none of `bronze`, `silver`, `gold`")),
    };
    if name.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok((layer, name.to_owned()))
    }
}

impl ValueEnum for Target {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Dialect {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Layout {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
