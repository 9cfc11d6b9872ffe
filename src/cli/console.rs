//! Where a command prints: data to one stream, messages to the other.

use std::io::{ErrorKind, Write};

use clap::ColorChoice;

use crate::cli::failure::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Colour,
}

pub(crate) struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    paint_out: Paint,
    paint_err: Paint,
}

impl<'a> Console<'a> {
    pub(crate) fn new(
        out: &'a mut dyn Write,
        paint_out: Paint,
        err: &'a mut dyn Write,
        paint_err: Paint,
    ) -> Self {
        Self {
            out,
            err,
            paint_out,
            paint_err,
        }
    }

    /// What the user said about colours, over what the terminal can.
    pub(super) fn choose(&mut self, color: ColorChoice) {
        let chosen = match color {
            ColorChoice::Auto => return,
            ColorChoice::Always => Paint::Colour,
            ColorChoice::Never => Paint::Plain,
        };
        (self.paint_out, self.paint_err) = (chosen, chosen);
    }

    pub(super) fn paint_out(&self) -> Paint {
        self.paint_out
    }

    pub(super) fn paint_err(&self) -> Paint {
        self.paint_err
    }

    /// Data.
    pub(super) fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(unprinted)
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(unprinted)
    }

    /// A message. That nobody can read it is no reason to stop.
    pub(super) fn say(&mut self, text: &str) {
        _ = self.err.write_all(text.as_bytes());
    }

    pub(super) fn fail(&mut self, failure: &Failure) {
        let (start, end) = match self.paint_err {
            Paint::Plain => ("", ""),
            Paint::Colour => ("\u{1b}[1;31m", "\u{1b}[0m"),
        };
        self.say(&format!("{start}error{end}: {failure}\n"));
        for help in failure.help() {
            self.say(&format!("  = help: {help}\n"));
        }
    }
}

fn unprinted(error: std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Unprinted(error),
    }
}
