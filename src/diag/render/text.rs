//! For people: the message, the source lines with what is wrong underlined, and what to do.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Colour, Found, Located, count, printable, word};
use crate::diag::Severity;
use crate::yaml::{Sources, Span};

/// Characters of a source line that are shown.
const WIDEST: usize = 140;
/// How many of them stand before what is underlined when the line is longer.
const BEFORE: usize = 60;

pub(super) fn long(found: &[Found<'_>], sources: &Sources, colour: Colour) -> String {
    let mut out = String::new();
    for each in found {
        head(&mut out, each, colour);
        let paint = Paint {
            colour,
            severity: each.diagnostic.severity,
        };
        frames(&mut out, each, sources, &paint);
        out.push('\n');
    }
    summary(&mut out, found, colour);
    out
}

/// `file:line:column: error[E0203]: message`, one line each.
pub(super) fn short(found: &[Found<'_>], colour: Colour) -> String {
    let mut out = String::new();
    for each in found {
        let _ = write!(out, "{}: ", where_is(&each.at));
        head(&mut out, each, colour);
    }
    out
}

fn head(out: &mut String, found: &Found<'_>, colour: Colour) {
    let diagnostic = found.diagnostic;
    let paint = Paint {
        colour,
        severity: diagnostic.severity,
    };
    let kind = format!("{}[{}]", word(diagnostic.severity), diagnostic.code.0);
    let message = format!(": {}", printable(&diagnostic.message));
    let _ = writeln!(out, "{}{}", paint.strong(&kind), paint.bold(&message));
}

fn where_is(at: &Located) -> String {
    let shown = printable(&at.shown);
    match at.span {
        Some(Span { start, width: _ }) => format!("{shown}:{}:{}", start.line, start.column),
        None => shown,
    }
}

/// The last line: how many problems in how many files.
fn summary(out: &mut String, found: &[Found<'_>], colour: Colour) {
    if found.is_empty() {
        return;
    }
    let mut files: Vec<&str> = found.iter().map(|found| found.at.file.as_str()).collect();
    files.dedup();
    let errors = count(found, Severity::Error);
    let severity = if errors > 0 {
        Severity::Error
    } else {
        Severity::Warning
    };
    let paint = Paint { colour, severity };
    let text = format!(
        ": {} in {}",
        many(found.len(), "problem"),
        many(files.len(), "file")
    );
    let _ = writeln!(out, "{}{}", paint.strong(word(severity)), paint.bold(&text));
}

fn many(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// One marked part of a line.
struct Mark<'f> {
    span: Span,
    label: &'f str,
    is_main: bool,
}

/// The file of the diagnostic, then the other files it names; each with its marked lines.
fn frames(out: &mut String, found: &Found<'_>, sources: &Sources, paint: &Paint) {
    let label = found.diagnostic.label.as_deref().unwrap_or("");
    let mut files: Vec<(&Located, Vec<Mark<'_>>)> = vec![(&found.at, Vec::new())];
    let main = (&found.at, label, true);
    let others = found.also.iter().map(|(at, label)| (at, *label, false));
    let mut unplaced = Vec::new();
    for (at, label, is_main) in std::iter::once(main).chain(others) {
        let index = files.iter().position(|(known, _)| known.file == at.file);
        let index = index.unwrap_or_else(|| {
            files.push((at, Vec::new()));
            files.len() - 1
        });
        match at.span {
            Some(span) => files[index].1.push(Mark {
                span,
                label,
                is_main,
            }),
            None if is_main => unplaced.extend((!label.is_empty()).then_some((None, label))),
            None => unplaced.push((Some(&at.shown), label)),
        }
    }
    let last_line = files
        .iter()
        .flat_map(|(_, marks)| marks)
        .map(|mark| mark.span.start.line)
        .max();
    let gutter = last_line.unwrap_or(1).to_string().len();
    for (index, (at, marks)) in files.iter().enumerate() {
        let arrow = if index == 0 { "-->" } else { ":::" };
        let place = where_is(at);
        let _ = writeln!(out, "{:gutter$}{} {place}", "", paint.faint(arrow));
        if let Some(text) = sources.files.get(&at.file) {
            lines(
                out,
                text.trim_start_matches('\u{feff}'),
                marks,
                gutter,
                paint,
            );
        }
    }
    for (shown, label) in unplaced {
        let text = match shown {
            Some(shown) => format!("{}: {}", printable(shown), printable(label)),
            None => printable(label),
        };
        let _ = writeln!(out, "{:gutter$} {} {text}", "", paint.faint("= note:"));
    }
    for help in &found.diagnostic.help {
        let _ = writeln!(
            out,
            "{:gutter$} {} {}",
            "",
            paint.faint("= help:"),
            printable(help)
        );
    }
}

fn lines(out: &mut String, text: &str, marks: &[Mark<'_>], gutter: usize, paint: &Paint) {
    if marks.is_empty() {
        return;
    }
    let mut by_line: BTreeMap<usize, Vec<&Mark<'_>>> = BTreeMap::new();
    for mark in marks {
        by_line.entry(mark.span.start.line).or_default().push(mark);
    }
    let source: Vec<&str> = text.split('\n').collect();
    let bar = paint.faint("|");
    let _ = writeln!(out, "{:gutter$} {bar}", "");
    let mut last = None;
    for (line, marks) in by_line {
        if last.is_some_and(|last| last + 1 < line) {
            let _ = writeln!(out, "{}", paint.faint("..."));
        }
        last = Some(line);
        let whole = source
            .get(line - 1)
            .copied()
            .unwrap_or("")
            .trim_end_matches('\r');
        let window = Window::around(whole, &marks);
        let number = paint.faint(&format!("{line:gutter$}"));
        let _ = writeln!(out, "{number} {bar} {}", window.text);
        for mark in marks {
            let (before, width) = window.under(mark.span);
            let sign = if mark.is_main { "^" } else { "-" };
            let mut under = sign.repeat(width);
            if !mark.label.is_empty() {
                let _ = write!(under, " {}", printable(mark.label));
            }
            let under = if mark.is_main {
                paint.strong(&under)
            } else {
                paint.faint(&under)
            };
            let _ = writeln!(out, "{:gutter$} {bar} {:before$}{under}", "", "");
        }
    }
}

/// The part of a source line that is shown.
struct Window {
    text: String,
    /// For each character of the line, the column at which it is shown; one more for the end.
    columns: Vec<usize>,
    width: usize,
}

impl Window {
    fn around(line: &str, marks: &[&Mark<'_>]) -> Self {
        let length = line.chars().count();
        let first = marks
            .iter()
            .map(|mark| mark.span.start.column - 1)
            .min()
            .unwrap_or(0);
        let skipped = if length <= WIDEST {
            0
        } else {
            first.saturating_sub(BEFORE)
        };
        let mut text = String::new();
        if skipped > 0 {
            text.push('…');
        }
        let mut columns = vec![0; skipped];
        for c in line.chars().skip(skipped).take(WIDEST) {
            columns.push(text.chars().count());
            text += &printable(c.encode_utf8(&mut [0; 4]));
        }
        columns.push(text.chars().count());
        if length > skipped + WIDEST {
            text.push('…');
        }
        Self {
            width: text.chars().count(),
            text,
            columns,
        }
    }

    /// Where a mark starts and how wide it is.
    fn under(&self, span: Span) -> (usize, usize) {
        let shown_at = |column: usize| self.columns.get(column).copied().unwrap_or(self.width);
        let start = shown_at(span.start.column - 1);
        let end = shown_at(span.start.column - 1 + span.width);
        (start, end.saturating_sub(start).max(1))
    }
}

struct Paint {
    colour: Colour,
    severity: Severity,
}

impl Paint {
    /// Red or yellow, as bad as it is.
    fn strong(&self, text: &str) -> String {
        match self.severity {
            Severity::Error => self.with("1;31", text),
            Severity::Warning => self.with("1;33", text),
        }
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn faint(&self, text: &str) -> String {
        self.with("1;34", text)
    }

    fn with(&self, style: &str, text: &str) -> String {
        match self.colour {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("\x1b[{style}m{text}\x1b[0m"),
        }
    }
}
