//! For people: what changes, what it does to rows, what to run.

use std::fmt::Write as _;

use super::{At, Finding, Report, counts};
use crate::change::kinds::Class;
use crate::diag::render::Colour;

pub(super) fn render(report: &Report<'_>, colour: Colour) -> String {
    let paint = Paint(colour);
    let mut out = String::new();
    let summary = report.summary();
    _ = writeln!(out, "{}", paint.bold(&summary));
    for (owner, findings) in report.by_owner() {
        let counts = counts(findings);
        _ = writeln!(out, "\n{} ({counts})", paint.bold(owner));
        for each in findings {
            finding(&mut out, each, &paint);
        }
    }
    let scopes = &report.scopes;
    let mut lists = String::new();
    for (what, entities) in [
        ("published rows change", &scopes.backfill),
        ("refused rows may come back", &scopes.replay),
        ("filled no longer", &scopes.abandoned),
    ] {
        if !entities.is_empty() {
            _ = writeln!(lists, "{what}: {}", entities.join(", "));
        }
    }
    for note in &report.notes {
        _ = writeln!(lists, "note: {note}");
    }
    if !lists.is_empty() {
        _ = write!(out, "\n{lists}");
    }
    if let Some(cost) = &report.cost {
        _ = writeln!(out, "\nestimated to read:");
        for line in super::cost::lines(cost) {
            _ = writeln!(out, "  {}", line.replace('`', ""));
        }
    }
    if !report.commands.is_empty() {
        _ = writeln!(out, "\nrun:");
        for command in &report.commands {
            _ = writeln!(out, "  {command}");
        }
    }
    out
}

fn finding(out: &mut String, finding: &Finding, paint: &Paint) {
    let class = finding.class.name();
    let pad = 10_usize.saturating_sub(class.len());
    let class = paint.class(finding.class);
    _ = writeln!(out, "  {class}{:pad$} {}", "", finding.title());
    let place = match &finding.at {
        Some(At { file, line, column }) => format!("--> {file}:{line}:{column}"),
        None => String::new(),
    };
    if finding.class == Class::Cosmetic {
        if !place.is_empty() {
            _ = writeln!(out, "             {}", paint.faint(&place));
        }
        return;
    }
    _ = writeln!(out, "             {}", finding.difference.reason);
    let approval = match &finding.allowed {
        Some(reason) => format!("approved: {}", super::plain(reason, super::WIDEST)),
        None => format!("[{}]", finding.fingerprint),
    };
    let line = format!("{place} {approval}");
    _ = writeln!(out, "             {}", paint.faint(line.trim_start()));
}

struct Paint(Colour);

impl Paint {
    fn class(&self, class: Class) -> String {
        let style = match class {
            Class::Breaking => "1;31",
            Class::Restating => "1;33",
            Class::Rename | Class::Widening | Class::Additive => "32",
            Class::Cosmetic => "2",
        };
        self.with(style, class.name())
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn faint(&self, text: &str) -> String {
        self.with("34", text)
    }

    fn with(&self, style: &str, text: &str) -> String {
        match self.0 {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("\x1b[{style}m{text}\x1b[0m"),
        }
    }
}
