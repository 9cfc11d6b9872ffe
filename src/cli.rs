//! The command line: the only layer that prints. What a command does is in its own file.

mod blame;
mod check;
mod completions;
mod console;
mod diff;
mod explain;
mod failure;
mod flags;
mod generate;
mod init;
mod paths;
mod pipeline;
mod project;
mod repository;
mod schema;
mod settings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};

pub(crate) use console::{Console, Paint};
use failure::Failure;

/// Generates dbt and SQLMesh projects in which no wrong row is ever silently lost.
#[derive(Debug, Parser)]
#[command(
    name = "assay",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
struct Cli {
    /// Whether messages are coloured.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Args),
    Check(check::Args),
    Diff(diff::Args),
    Blame(blame::Args),
    Init(init::Args),
    Explain(explain::Args),
    Schema(schema::Args),
    Completions(completions::Args),
}

/// What a command that could do its work has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Fine,
    /// The specs have errors, or something differs that must not.
    Found,
}

pub fn main() -> ExitCode {
    let (out, err) = (std::io::stdout(), std::io::stderr());
    // https://no-color.org: any text turns colours off, and so does a terminal without them.
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    let auto = |is_terminal: bool| match is_terminal && !is_plain {
        true => Paint::Colour,
        false => Paint::Plain,
    };
    let (paint_out, paint_err) = (auto(out.is_terminal()), auto(err.is_terminal()));
    let mut out = std::io::BufWriter::new(out.lock());
    let mut err = err.lock();
    let mut console = Console::new(&mut out, paint_out, &mut err, paint_err);
    ExitCode::from(run(std::env::args_os(), Path::new("."), &mut console))
}

/// Runs one command line; relative paths in it start at `here`. Returns the exit code.
pub(crate) fn run(
    args: impl IntoIterator<Item = OsString>,
    here: &Path,
    console: &mut Console<'_>,
) -> u8 {
    let outcome = match Cli::try_parse_from(args) {
        Ok(Cli { color, command }) => {
            console.choose(color);
            command
                .run(here, console)
                .and_then(|outcome| console.flush().map(|()| outcome))
        }
        // The help and the version are answers, not errors.
        Err(answer) if !answer.use_stderr() => {
            let text = answer.render().to_string();
            console
                .print(&text)
                .and_then(|()| console.flush())
                .map(|()| Outcome::Fine)
        }
        Err(error) => {
            console.say(&error.render().to_string());
            return 2;
        }
    };
    match outcome {
        // Whoever reads has read enough.
        Ok(Outcome::Fine) | Err(Failure::Closed) => 0,
        Ok(Outcome::Found) => 1,
        Err(failure) => {
            // What was found before is still worth reading.
            _ = console.flush();
            console.fail(&failure);
            2
        }
    }
}

impl Command {
    fn run(self, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
        match self {
            Self::Generate(args) => generate::run(&args, here, console),
            Self::Check(args) => check::run(&args, here, console),
            Self::Diff(args) => diff::run(&args, here, console),
            Self::Blame(args) => blame::run(&args, here, console),
            Self::Init(args) => init::run(&args, here, console),
            Self::Explain(args) => explain::run(&args, console),
            Self::Schema(args) => schema::run(&args, here, console),
            Self::Completions(args) => completions::run(&args, console),
        }
    }
}
