//! The YAML boundary: text to a small tree of our own. Nothing else knows `serde_yaml`, and nothing
//! here knows what the documents mean.

mod locate;
mod merge;
mod parse;
mod plain;
mod source;

use std::collections::BTreeMap;

pub use locate::{Position, Span, locate, offset, position, span_at};
pub use parse::parse;

/// The documents of a spec tree: relative path with `/` on every platform → text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    pub files: BTreeMap<String, String>,
    /// What stands before a file's path when it is shown, as `specs`; empty for nothing.
    pub shown_under: String,
}

impl Sources {
    /// The path of a file as the user knows it.
    #[must_use]
    pub fn shown(&self, file: &str) -> String {
        match self.shown_under.trim_end_matches('/') {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        }
    }
}

/// What could be read of a document, and what was wrong with it as YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// `None` when the text is not YAML at all.
    pub root: Option<Node>,
    pub problems: Vec<Problem>,
}

/// Anchors and merge keys are resolved, no key is twice in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Byte offset in the text without BOM, of scalars only; elsewhere `locate` finds it.
    pub at: Option<u32>,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, `~` or `null`, as written.
    Null(String),
    Scalar(Scalar),
    Seq(Vec<Node>),
    Map(Vec<Entry>),
}

/// Text as written: never a number, a bool or a float.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    pub text: String,
    /// In quotes, as a block, or over several lines: surely text.
    pub quoted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    /// Byte offset of the key; `None` for the rare key that is written with escapes.
    pub key_at: Option<u32>,
    pub value: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Byte offset in the text without BOM.
    pub at: Option<usize>,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// In the words of the parser.
    Syntax(String),
    /// `at` is the second one.
    DuplicateKey {
        key: String,
        first: Option<usize>,
    },
    SeveralDocuments,
    /// Too large, too deep, or too much by aliases; which one is the text.
    Limit(&'static str),
    /// `!name` in front of a value.
    Tag,
    /// A list or a map as a key.
    KeyNotText,
    /// `<<` takes a map or a list of maps.
    MergeNotMap,
}

impl Node {
    /// What an empty document holds.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            at: None,
            kind: Kind::Null(String::new()),
        }
    }

    /// The value behind a key of a map.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// Of a map; nothing for any other node.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => &[],
        }
    }

    /// Of a list; nothing for any other node.
    #[must_use]
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::Seq(items) => items,
            Kind::Null(_) | Kind::Scalar(_) | Kind::Map(_) => &[],
        }
    }

    #[must_use]
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Null(_) | Kind::Seq(_) | Kind::Map(_) => None,
        }
    }

    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.scalar().map(|scalar| scalar.text.as_str())
    }

    #[must_use]
    pub fn is_null(&self) -> bool {
        match self.kind {
            Kind::Null(_) => true,
            Kind::Scalar(_) | Kind::Seq(_) | Kind::Map(_) => false,
        }
    }
}

/// Editors on Windows write it; it is no part of the document.
fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
