//! `assay explain`.

use crate::cli::failure::Failure;
use crate::cli::{Console, Outcome};
use crate::diag::code;
use crate::diag::render::nearest_help;

/// Explain a code such as E0203: what is wrong, why it matters, what to do.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    code: String,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let Some(page) = code::explain(&args.code) else {
        let codes = code::all();
        let known = codes.iter().map(|entry| entry.code.0);
        let help = nearest_help(&args.code.to_uppercase(), known);
        return Err(Failure::request(
            format!("there is no code `{}`", args.code),
            help.unwrap_or_else(|| "codes stand in brackets in front of a message".to_owned()),
        ));
    };
    console.print(&page)?;
    Ok(Outcome::Fine)
}
