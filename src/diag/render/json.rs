//! For programs. The shape is stable: keys may be added, none goes away or changes its meaning.
//!
//! `{"version": 1, "errors": n, "warnings": n, "diagnostics": [{"code", "name", "severity",
//! "message", "label", "file", "line", "column", "end_column", "path", "help": [text],
//! "also": [{"file", "line", "column", "end_column", "label"}]}]}`. Lines and columns count from 1,
//! columns in characters, `end_column` is behind the last one; they and `label`, `path` may be null.

use serde_json::{Value, json};

use super::{Found, Located, count, path, word};
use crate::diag::Severity;
use crate::diag::code::find;

pub(super) fn render(found: &[Found<'_>]) -> String {
    let document = json!({
        "version": 1,
        "errors": count(found, Severity::Error),
        "warnings": count(found, Severity::Warning),
        "diagnostics": found.iter().map(diagnostic).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

fn diagnostic(found: &Found<'_>) -> Value {
    let diagnostic = found.diagnostic;
    let mut value = json!({
        "code": diagnostic.code.0,
        "name": find(diagnostic.code.0).map(|entry| entry.name),
        "severity": word(diagnostic.severity),
        "message": diagnostic.message,
        "label": diagnostic.label,
    });
    place(&mut value, &found.at);
    value["path"] = json!(path(&diagnostic.place));
    value["help"] = json!(diagnostic.help);
    let also = found.also.iter().map(|(at, label)| {
        let mut value = json!({});
        place(&mut value, at);
        value["label"] = json!(label);
        value
    });
    value["also"] = also.collect();
    value
}

fn place(value: &mut Value, at: &Located) {
    value["file"] = json!(at.shown);
    value["line"] = json!(at.span.map(|span| span.start.line));
    value["column"] = json!(at.span.map(|span| span.start.column));
    value["end_column"] = json!(at.span.map(|span| span.start.column + span.width));
}
