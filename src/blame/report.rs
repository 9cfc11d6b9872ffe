//! What is known of a file's lines, as text for people and as JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Kind;

/// How a file stands to what the specs say now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Current,
    /// It was generated, and the specs have changed since.
    Stale,
    Edited,
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub kind: Kind,
    pub name: String,
    pub entity: String,
    /// As shown.
    pub file: String,
    pub line: usize,
    pub column: usize,
}

#[derive(Debug)]
pub struct Line<'t> {
    /// 1-based, in the file as it stands.
    pub number: usize,
    pub text: &'t str,
    pub sources: Vec<Source>,
    /// What the specs generate now has such a line.
    pub is_generated: bool,
}

#[derive(Debug)]
pub struct Report<'t> {
    pub file: String,
    pub state: State,
    pub lines: Vec<Line<'t>>,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Edited => "edited",
            Self::Missing => "missing",
        }
    }

    fn note(self) -> Option<&'static str> {
        match self {
            Self::Current => None,
            Self::Stale => Some(
                "the specs have changed since it was generated; lines of older specs come from nowhere",
            ),
            Self::Edited => Some(
                "it was edited since it was generated; lines that were edited come from nowhere",
            ),
            Self::Missing => Some("it is not written yet; lines are those that would be"),
        }
    }
}

/// One line with all of its sources.
#[must_use]
pub fn line(report: &Report<'_>, line: &Line<'_>) -> String {
    let mut out = format!("{}:{}\n  {}\n", report.file, line.number, line.text.trim());
    out.push_str("comes from\n");
    out.push_str(&sources(line));
    note(report.state, &mut out);
    out
}

/// Ranges of lines that come from the same places.
#[must_use]
pub fn table(report: &Report<'_>) -> String {
    let mut out = format!("{}\n", report.file);
    for range in ranges(&report.lines) {
        let (Some(first), Some(last)) = (range.first(), range.last()) else {
            continue;
        };
        let numbers = match first.number == last.number {
            true => first.number.to_string(),
            false => format!("{}-{}", first.number, last.number),
        };
        let mut head = format!("{numbers:>9}");
        for source in sources(first).lines() {
            _ = writeln!(out, "{head}{source}");
            head = " ".repeat(9);
        }
    }
    note(report.state, &mut out);
    out
}

fn note(state: State, out: &mut String) {
    if let Some(note) = state.note() {
        _ = writeln!(out, "note: {note}");
    }
}

fn sources(line: &Line<'_>) -> String {
    if !line.is_generated {
        return "  nothing in the specs: no such line is generated\n".to_owned();
    }
    if line.sources.is_empty() {
        return "  the project as a whole: the line is the same for all specs\n".to_owned();
    }
    let mut out = String::new();
    for source in &line.sources {
        let what = format!("{} `{}`", source.kind.word(), source.name);
        let Source {
            file, line, column, ..
        } = source;
        _ = writeln!(out, "  {what:<36} {file}:{line}:{column}");
    }
    out
}

/// Blank lines belong to what stands before them.
fn ranges<'r, 't>(lines: &'r [Line<'t>]) -> Vec<Vec<&'r Line<'t>>> {
    let mut ranges: Vec<Vec<&Line<'_>>> = Vec::new();
    for line in lines {
        let is_blank = line.text.trim().is_empty();
        match ranges.last_mut() {
            Some(range)
                if is_blank
                    || range.first().is_some_and(|first| {
                        first.sources == line.sources && first.is_generated == line.is_generated
                    }) =>
            {
                range.push(line);
            }
            Some(_) | None => ranges.push(vec![line]),
        }
    }
    ranges
}

/// The same document for a line and for a file.
#[must_use]
pub fn json(report: &Report<'_>) -> String {
    let lines: Vec<Value> = ranges(&report.lines)
        .iter()
        .map(|range| entry(range))
        .collect();
    let document = json!({
        "version": 1,
        "file": report.file,
        "state": report.state.word(),
        "lines": lines,
    });
    format!("{document:#}\n")
}

fn entry(range: &[&Line<'_>]) -> Value {
    let (first, last) = (range.first(), range.last());
    let sources = first.into_iter().flat_map(|first| &first.sources);
    let sources: Vec<Value> = sources
        .map(|source| {
            json!({
                "kind": source.kind.word(),
                "name": source.name,
                "entity": source.entity,
                "place": {"file": source.file, "line": source.line, "column": source.column},
            })
        })
        .collect();
    json!({
        "from": first.map(|line| line.number),
        "to": last.map(|line| line.number),
        "generated": first.is_some_and(|line| line.is_generated),
        "sources": sources,
    })
}
