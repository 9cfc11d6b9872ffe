//! For GitHub's log: one annotation a change, on the spec line.

use std::fmt::Write as _;

use super::{At, Report};
use crate::change::kinds::Class;

pub(super) fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let level = match (finding.class, &finding.allowed) {
            (Class::Breaking, None) => "error",
            (Class::Restating, None) => "warning",
            (Class::Breaking | Class::Restating, Some(_)) => "notice",
            (Class::Rename | Class::Widening | Class::Additive | Class::Cosmetic, _) => "notice",
        };
        let place = match &finding.at {
            Some(At { file, line, column }) => {
                format!("file={},line={line},col={column},", property(file))
            }
            None => String::new(),
        };
        let title = property(&format!("{}: {}", finding.owner(), finding.class.name()));
        let text = data(&format!(
            "{}\n{}",
            finding.title(),
            finding.difference.reason
        ));
        _ = writeln!(out, "::{level} {place}title={title}::{text}");
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
