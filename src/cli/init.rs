//! `assay init`.

use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::repository::Repository;
use crate::cli::settings::CONFIG;
use crate::cli::{Console, Outcome};
use crate::host::Engine;
use crate::io;
use crate::io::write::Edit;
use crate::settings::{Dialect, Target};

/// Write `assay.yml` and a small spec to start from, for the project in the current folder.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Framework to generate for [default: the one found here, else dbt].
    #[arg(long)]
    target: Option<Target>,
    /// Engine to write SQL for [default: the one its connection names, else duckdb].
    #[arg(long)]
    dialect: Option<Dialect>,
}

const SPECS: &str = "specs";
const MODEL_PATH: &str = "specs/customer.yaml";
const MAPPING_PATH: &str = "specs/crm__customers.yaml";
const MODEL: &str = include_str!("../../templates/init/customer.yaml");
const MAPPING: &str = include_str!("../../templates/init/crm__customers.yaml");

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let repository = Repository::read(here)?;
    let (target, found) = match (args.target, &repository.targets()[..]) {
        (Some(target), targets) => (target, targets.contains(&target)),
        (None, [target]) => (*target, true),
        (None, []) => (Target::Dbt, false),
        (None, _) => {
            return Err(Failure::request(
                "this is both a dbt and a SQLMesh project",
                "add `--target dbt` or `--target sqlmesh`",
            ));
        }
    };
    let dialect = match (args.dialect, repository.engine(target, &profiles())) {
        (Some(dialect), _) | (None, Engine::Known(dialect)) => dialect,
        (None, Engine::Untold) => Dialect::Duckdb,
        (None, Engine::Other(name)) => {
            return Err(Failure::request(
                format!("the project runs on `{name}`, which assay writes no SQL for"),
                format!("name one that it does with `--dialect`: {}", dialects()),
            ));
        }
    };
    let config = config(target, dialect);
    let mut files = vec![(CONFIG, config.as_str())];
    // An example is for those who have no specs yet.
    if io::specs::read(&here.join(SPECS)).is_ok_and(|specs| !specs.is_empty()) {
        console.say(&format!("the specs in `{SPECS}` are taken as they are\n"));
    } else {
        files.extend([(MODEL_PATH, MODEL), (MAPPING_PATH, MAPPING)]);
    }
    for (path, _) in &files {
        if here.join(path).exists() {
            return Err(Failure::request(
                format!("`{path}` is already there"),
                "nothing was written; `assay generate` goes on from it",
            ));
        }
    }
    let edits = files.iter().map(|(path, text)| Edit::Write { path, text });
    let edits: Vec<Edit<'_>> = edits.collect();
    io::write::apply(here, &edits)?;
    let kind = match found {
        true => format!("this {} project", target.title()),
        false => format!("a new {} project", target.title()),
    };
    console.say(&format!("for {kind} on {}:\n", dialect.name()));
    for (path, _) in &files {
        console.say(&format!("  wrote {path}\n"));
    }
    console.say("next: assay generate\n");
    Ok(Outcome::Fine)
}

/// Where dbt looks for profiles outside of the project.
fn profiles() -> Vec<PathBuf> {
    let named = std::env::var_os("DBT_PROFILES_DIR").map(PathBuf::from);
    let home = std::env::home_dir().map(|home| home.join(".dbt"));
    named.into_iter().chain(home).collect()
}

fn dialects() -> String {
    Dialect::ALL.map(Dialect::name).join(", ")
}

fn config(target: Target, dialect: Dialect) -> String {
    let (target, dialect) = (target.name(), dialect.name());
    format!(
        "\
# What assay generates here. Flags of the same names win over these keys.
assay_version: 1
specs: {SPECS} # the folder of the specs
target: {target} # dbt or sqlmesh
dialect: {dialect} # the engine that runs it
out: . # root of the {target} project
folder: assay # everything generated lives in folders of this name
schemas: {{bronze: bronze, silver: silver, gold: gold}}
"
    )
}
