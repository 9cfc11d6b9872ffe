//! For code hosts: SARIF 2.1.0.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Found, Located, word};
use crate::diag::Diagnostic;
use crate::diag::code::{Code, find};

pub(super) fn render(found: &[Found<'_>]) -> String {
    let mut codes: Vec<Code> = found.iter().map(|found| found.diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let results = found.iter().map(|found| {
        let index = codes.iter().position(|code| *code == found.diagnostic.code);
        result(found, index)
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "assay",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    });
    format!("{document:#}\n")
}

fn rule(code: Code) -> Value {
    match find(code.0) {
        Some(entry) => json!({
            "id": code.0,
            "name": entry.name,
            "help": {"text": entry.page, "markdown": entry.page},
        }),
        None => json!({"id": code.0}),
    }
}

fn result(found: &Found<'_>, index: Option<usize>) -> Value {
    let diagnostic = found.diagnostic;
    let mut result = json!({
        "ruleId": diagnostic.code.0,
        "ruleIndex": index,
        "level": word(diagnostic.severity),
        "message": {"text": message(diagnostic)},
        "locations": [location(&found.at, None)],
    });
    if !found.also.is_empty() {
        let also = found
            .also
            .iter()
            .map(|(at, label)| location(at, Some(label)));
        result["relatedLocations"] = also.collect();
    }
    result
}

/// All there is to say: a code host shows this text only.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    if let Some(label) = &diagnostic.label {
        let _ = write!(text, ": {label}");
    }
    for help in &diagnostic.help {
        let _ = write!(text, "\n{help}");
    }
    text
}

fn location(at: &Located, label: Option<&str>) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(&at.shown)}});
    if let Some(span) = at.span {
        physical["region"] = json!({
            "startLine": span.start.line,
            "startColumn": span.start.column,
            "endColumn": span.start.column + span.width,
        });
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(label) = label {
        location["message"] = json!({"text": label});
    }
    location
}

/// A relative path as a URI reference.
#[must_use]
pub fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
