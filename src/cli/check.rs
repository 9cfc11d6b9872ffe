//! `assay check`.

use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::flags::ProjectFlags;
use crate::cli::generate::{say_clashes, say_snippets};
use crate::cli::pipeline::{self, Compiled, FormatFlag, Readers};
use crate::cli::{Console, Outcome, project, settings};
use crate::settings::{Host, Target};

/// Check the specs, and whether the repository has what the generated files need; write nothing.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    project: ProjectFlags,
    /// How problems of the specs are printed.
    #[arg(long, default_value = "text")]
    format: FormatFlag,
}

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let request = match settings::read(&args.project, here)? {
        Ok(request) => request,
        Err(problems) => {
            let settings::Problems { bag, sources } = problems;
            pipeline::print(console, &bag, &sources, args.format, Readers::Data)?;
            return Ok(Outcome::Found);
        }
    };
    let sources = pipeline::read(&request.specs)?;
    let project = project::locate(&request)?;
    // Specs can be checked before anyone has said what they are for.
    let settings = match &project {
        Some(project) => project.settings.clone(),
        None => request.settings(Target::Dbt, Host::Own),
    };
    let (compiled, bag) = pipeline::compile(&sources, &settings);
    pipeline::print(console, &bag, &sources, args.format, Readers::Data)?;
    let Some(Compiled { tree, .. }) = compiled else {
        return Ok(Outcome::Found);
    };
    if bag.all.is_empty() && args.format == FormatFlag::Text {
        let count = sources.files.len();
        let files = if count == 1 { "file" } else { "files" };
        console.say(&format!("no problems in {count} {files}\n"));
    }
    let Some(project) = project else {
        return Ok(Outcome::Fine);
    };
    let is_free = say_clashes(console, &project, &tree);
    let missing = project.missing(&tree);
    say_snippets(console, &missing);
    Ok(if is_free && missing.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Found
    })
}
