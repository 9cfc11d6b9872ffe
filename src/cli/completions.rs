//! `assay completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::failure::Failure;
use crate::cli::{Cli, Console, Outcome};

/// Print the completion script of a shell.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    shell: Shell,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "assay", &mut script);
    console.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
