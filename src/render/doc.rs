//! Words and texts of the documents around the models; any text comes back byte for byte.

use crate::ir::Classification;

/// As written in a spec.
#[must_use]
pub fn classification_name(classification: Classification) -> &'static str {
    match classification {
        Classification::Public => "public",
        Classification::Internal => "internal",
        Classification::Pii => "pii",
        Classification::Secret => "secret",
    }
}

/// A scalar: plain where that is safe and reads well, else in double quotes.
#[must_use]
pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// JSON strings are YAML strings; only what YAML counts as a line break or cannot print is escaped
/// on top.
#[must_use]
pub fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.chars()
        .map(|character| match character {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                format!("\\u{:04x}", u32::from(character))
            }
            other => other.to_string(),
        })
        .collect()
}

fn is_plain(text: &str) -> bool {
    let starts = text
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let body = text.chars().all(|c| {
        c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ',' | '(' | ')' | '/')
    });
    let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    starts
        && body
        && !text.ends_with(' ')
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}
