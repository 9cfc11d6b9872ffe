//! A fact as one line: words between blanks, any text in quotes where it is not a plain word.

use std::borrow::Cow;

use memchr::memchr;

/// One word of a line, and whether it stood in quotes: `min:` is a parameter, `"min:"` a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'l> {
    pub text: Cow<'l, str>,
    pub is_quoted: bool,
}

/// The words as a line.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for (index, word) in words.into_iter().enumerate() {
        out.push_str(if index == 0 { "" } else { " " });
        push(word, &mut out);
    }
    out
}

/// Writes a text as a word of a line; it never breaks one.
pub fn push(text: &str, out: &mut String) {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'.' | b'$' | b'(' | b')' | b',' | b'+' | b'-' | b'/'
            )
    };
    if !text.is_empty() && text.bytes().all(is_plain) {
        out.push_str(text);
        return;
    }
    let quoted = serde_json::Value::from(text).to_string();
    for c in quoted.chars() {
        match c {
            // Some tools end a line here, or turn its direction.
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
}

/// The words of a line; `None` when it is not one that `line` writes.
#[must_use]
pub fn split(line: &str) -> Option<Vec<Word<'_>>> {
    let mut words = Vec::with_capacity(8);
    let mut rest = line;
    loop {
        let end = match rest.strip_prefix('"') {
            Some(inner) => closing_quote(inner)? + 2,
            None => memchr(b' ', rest.as_bytes()).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        let is_quoted = word.starts_with('"');
        let text = match word.strip_prefix('"') {
            Some(quoted) => unquoted(word, quoted)?,
            None => Cow::Borrowed(word),
        };
        words.push(Word { text, is_quoted });
        match behind.strip_prefix(' ') {
            Some(next) => rest = next,
            None if behind.is_empty() => return Some(words),
            None => return None,
        }
    }
}

/// Most texts have no escapes.
fn unquoted<'l>(word: &'l str, quoted: &'l str) -> Option<Cow<'l, str>> {
    let is_verbatim = |byte: u8| byte != b'\\' && !byte.is_ascii_control();
    match quoted.strip_suffix('"') {
        Some(inner) if inner.bytes().all(is_verbatim) => Some(Cow::Borrowed(inner)),
        Some(_) | None => Some(Cow::Owned(serde_json::from_str(word).ok()?)),
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some(at),
            b'\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{line, split};

    #[test]
    fn any_text_is_one_line_and_comes_back() {
        for text in [
            "plain",
            "",
            " ",
            "two words",
            "min:",
            "a\"b\\",
            "a\nb\r\n\tc\0",
            "<<<<<<< HEAD",
            "\u{85}\u{2028}\u{202e}\u{feff}é😀",
            "[files]",
            "|",
        ] {
            let line = line(["rule", text, "end"]);
            assert_eq!(line.lines().count(), 1, "{line}");
            assert!(!line.contains(['\u{85}', '\u{2028}', '\u{202e}']), "{line}");
            let words = split(&line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(words.len(), 3, "{line}");
            assert_eq!(words[1].text, text);
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for line in ["", " a", "a  b", "a ", "\"a", "\"a\"b", "\"\\x\""] {
            assert_eq!(split(line), None, "{line:?}");
        }
    }
}
