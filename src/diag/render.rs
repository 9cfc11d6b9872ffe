//! Diagnostics as text: for people, for grep, for programs, for code hosts. It looks up lines and
//! columns; it prints nothing.

mod json;
mod nearest;
mod sarif;
mod text;

use std::collections::BTreeMap;

use crate::diag::{Bag, Diagnostic, Severity};
use crate::place::{Place, Spot};
use crate::yaml::{self, Parsed, Position, Sources, Span};

pub use nearest::{nearest_help, nearest_word};
pub use sarif::uri;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// With the source lines.
    Text,
    /// One line each.
    Short,
    Json,
    /// SARIF 2.1.0.
    Sarif,
}

/// Only `Format::Text` and `Format::Short` have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Never,
    Always,
}

/// Everything in the bag, sorted by place, each once.
#[must_use]
pub fn render(bag: &Bag, sources: &Sources, format: Format, colour: Colour) -> String {
    let found = lookup(bag, sources);
    match format {
        Format::Text => text::long(&found, sources, colour),
        Format::Short => text::short(&found, colour),
        Format::Json => json::render(&found),
        Format::Sarif => sarif::render(&found),
    }
}

/// A diagnostic whose places have been looked up.
struct Found<'d> {
    diagnostic: &'d Diagnostic,
    at: Located,
    also: Vec<(Located, &'d str)>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// As in `Sources::files`.
    pub file: String,
    /// As shown.
    pub shown: String,
    /// `None`: the file as a whole.
    pub span: Option<Span>,
}

/// Where each of the places is, in their order.
pub fn locate_all<'p>(
    places: impl IntoIterator<Item = &'p Place>,
    sources: &Sources,
) -> Vec<Located> {
    let mut documents = BTreeMap::new();
    places
        .into_iter()
        .map(|place| located(place, sources, &mut documents))
        .collect()
}

fn lookup<'d>(bag: &'d Bag, sources: &Sources) -> Vec<Found<'d>> {
    let mut documents = BTreeMap::new();
    let mut found: Vec<Found<'d>> = Vec::new();
    for diagnostic in &bag.all {
        let Diagnostic {
            code: _,
            severity: _,
            place,
            message: _,
            label: _,
            also,
            help: _,
        } = diagnostic;
        let at = located(place, sources, &mut documents);
        let also = also
            .iter()
            .map(|(place, label)| (located(place, sources, &mut documents), label.as_str()))
            .collect();
        found.push(Found {
            diagnostic,
            at,
            also,
        });
    }
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    found.dedup_by(|a, b| a.diagnostic == b.diagnostic);
    found
}

fn order<'f>(found: &'f Found<'_>) -> (&'f Located, crate::diag::code::Code, &'f str) {
    (&found.at, found.diagnostic.code, &found.diagnostic.message)
}

fn located<'s>(
    place: &Place,
    sources: &'s Sources,
    documents: &mut BTreeMap<&'s str, Parsed>,
) -> Located {
    let span = match sources.files.get_key_value(&*place.file) {
        None => None,
        Some((file, text)) => match &place.spot {
            Spot::File => None,
            Spot::Position { line, column } => Some(span_at(text, *line, *column)),
            Spot::Path { steps, focus } => {
                let parsed = documents.entry(file).or_insert_with(|| yaml::parse(text));
                yaml::locate(text, parsed, steps, *focus)
            }
        },
    };
    Located {
        file: place.file.to_string(),
        shown: sources.shown(&place.file),
        span,
    }
}

fn span_at(text: &str, line: usize, column: usize) -> Span {
    match yaml::offset(text, Position { line, column }) {
        Some(at) => yaml::span_at(text, at),
        None => Span {
            start: Position { line, column },
            width: 1,
        },
    }
}

fn count(found: &[Found<'_>], severity: Severity) -> usize {
    found
        .iter()
        .filter(|found| found.diagnostic.severity == severity)
        .count()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// `entities.parcel.key[0]`, for programs.
fn path(place: &Place) -> Option<String> {
    match &place.spot {
        Spot::File | Spot::Position { .. } => None,
        Spot::Path { steps, focus: _ } => Some(crate::place::path_text(steps)),
    }
}

/// What users wrote cannot move the cursor or colour the terminal.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c if c.is_control() => out.extend(c.escape_default()),
            // They turn the direction of what follows.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.extend(c.escape_default());
            }
            c => out.push(c),
        }
    }
    out
}
