//! Where something stands in a text: a path in a document to a line, a column and a length. Only
//! asked when a diagnostic is printed.

use super::{Kind, Node, Parsed, without_bom};
use crate::place::{Focus, Step};

/// 1-based, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A part of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub start: Position,
    /// In characters, at least 1.
    pub width: usize,
}

/// The node at the end of `steps`, or the nearest one above it that is written.
#[must_use]
pub fn locate(text: &str, parsed: &Parsed, steps: &[Step], focus: Focus) -> Option<Span> {
    let text = without_bom(text);
    let root = parsed.root.as_ref()?;
    let mut found = Found {
        node: root,
        key: None,
    };
    let mut outer = None;
    let mut focus = focus;
    for step in steps {
        let next = match step {
            Step::Key(name) => {
                let entry = found
                    .node
                    .entries()
                    .iter()
                    .find(|entry| entry.key == **name);
                entry.map(|entry| Found {
                    node: &entry.value,
                    key: Some(entry.key_at),
                })
            }
            Step::Index(index) => found
                .node
                .items()
                .get(*index)
                .map(|node| Found { node, key: None }),
        };
        let Some(next) = next else {
            // What is missing is shown at what should hold it.
            focus = Focus::Key;
            break;
        };
        outer = found.key.flatten().or(outer);
        found = next;
    }
    let key = found.key.flatten().map(|at| at as usize);
    let value = || start_of(text, found.node).or_else(|| key.and_then(|at| behind_key(text, at)));
    let at = match focus {
        Focus::Key => key.or_else(value),
        Focus::Value => value().or(key),
    };
    let at = at.or_else(|| outer.map(|at| at as usize)).unwrap_or(0);
    Some(span_at(text, at))
}

struct Found<'n> {
    node: &'n Node,
    /// `Some(None)` is a key whose offset is not known.
    key: Option<Option<u32>>,
}

/// The token at a byte offset of the text without BOM.
#[must_use]
pub fn span_at(text: &str, at: usize) -> Span {
    let text = without_bom(text);
    let start = position(text, at);
    let at = floor(text, at);
    let line = text[at..].split(['\n', '\r']).next().unwrap_or("");
    Span {
        start,
        width: line[..token_end(line)].chars().count().max(1),
    }
}

/// Line and column of a byte offset of the text without BOM.
#[must_use]
pub fn position(text: &str, at: usize) -> Position {
    let text = without_bom(text);
    let before = &text[..floor(text, at)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

/// The byte offset of a line and column, in the text without BOM.
#[must_use]
pub fn offset(text: &str, position: Position) -> Option<usize> {
    let text = without_bom(text);
    let line = text.split('\n').nth(position.line.checked_sub(1)?)?;
    let start = (line.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let column = position.column.checked_sub(1)?;
    Some(
        start
            + line
                .char_indices()
                .nth(column)
                .map_or(line.len(), |(at, _)| at),
    )
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where a node starts: its own offset, else that of its first part and the bracket before it.
fn start_of(text: &str, node: &Node) -> Option<usize> {
    let (first, bracket) = match &node.kind {
        Kind::Null(_) | Kind::Scalar(_) => return node.at.map(|at| at as usize),
        Kind::Seq(items) => (start_of(text, items.first()?)?, '['),
        Kind::Map(entries) => {
            let first = entries.iter().find_map(|entry| entry.key_at)?;
            (first as usize, '{')
        }
    };
    let before = text.get(..first)?.trim_end();
    let opened = before.ends_with(bracket).then(|| before.len() - 1);
    Some(opened.unwrap_or(first))
}

/// Where the value of the key at `at` starts.
fn behind_key(text: &str, at: usize) -> Option<usize> {
    let key = &text[at..];
    let behind = at + token_end(key);
    let rest = text.get(behind..)?.trim_start().strip_prefix(':')?;
    let mut rest = rest.trim_start_matches(' ');
    while rest.starts_with(['\n', '\r', '#', ' ']) {
        rest = match rest.strip_prefix('#') {
            Some(comment) => comment.trim_start_matches(|c| c != '\n'),
            None => rest.trim_start(),
        };
    }
    Some(text.len() - rest.len())
}

/// The byte length of the token a line starts with: a quoted text, a key, a plain scalar.
fn token_end(line: &str) -> usize {
    let mut chars = line.char_indices();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    match first {
        '"' => {
            let mut escaped = false;
            for (at, c) in chars {
                match c {
                    '"' if !escaped => return at + 1,
                    '\n' => return at,
                    _ => escaped = c == '\\' && !escaped,
                }
            }
            line.len()
        }
        '\'' => {
            let mut chars = chars.peekable();
            while let Some((at, c)) = chars.next() {
                // `''` stands for one quote inside.
                if c == '\'' && chars.next_if(|(_, next)| *next == '\'').is_none() {
                    return at + 1;
                }
            }
            line.len()
        }
        '{' | '[' | '|' | '>' => 1,
        _ => {
            let mut last = first;
            for (at, c) in line.char_indices() {
                let next = line[at + c.len_utf8()..].chars().next();
                let ends = match c {
                    '\n' | '\r' | ',' | ']' | '}' => true,
                    ':' => next.is_none_or(|next| next.is_whitespace()),
                    '#' => last == ' ',
                    _ => false,
                };
                if ends {
                    return line[..at].trim_end().len();
                }
                last = c;
            }
            line.trim_end().len()
        }
    }
}
