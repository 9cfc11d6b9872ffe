//! A review as text: one line a file, or a unified diff.

use std::fmt::Write as _;

use similar::TextDiff;

use crate::change::review::{Change, Review};

/// ` add     models/…`, one line a file, sorted by path.
#[must_use]
pub fn summary(review: &Review<'_>) -> String {
    let mut out = String::new();
    for (path, change) in &review.changes {
        let word = match change {
            Change::Added { .. } => "add",
            Change::Changed { .. } => "change",
            Change::Removed { .. } => "remove",
        };
        _ = writeln!(out, "{word:<7} {path}");
    }
    out
}

/// The whole change in the form that `patch` and `git apply` read.
#[must_use]
pub fn unified(review: &Review<'_>) -> String {
    by_file(review).map(|(_, diff)| diff).collect()
}

/// Path and unified diff, sorted by path.
pub fn by_file<'r>(review: &'r Review<'_>) -> impl Iterator<Item = (&'r str, String)> {
    review.changes.iter().map(|(path, change)| {
        let (before, after) = (format!("a/{path}"), format!("b/{path}"));
        let (old, new, before, after) = match change {
            Change::Added { new } => ("", *new, "/dev/null", after.as_str()),
            Change::Changed { old, new } => (*old, *new, before.as_str(), after.as_str()),
            Change::Removed { old } => (*old, "", before.as_str(), "/dev/null"),
        };
        let diff = TextDiff::from_lines(old, new);
        let mut diff = diff.unified_diff();
        let diff = diff.context_radius(3).header(before, after).to_string();
        (*path, diff)
    })
}
