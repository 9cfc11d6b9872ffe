//! One diagnostic type, one catalogue of codes, one renderer. It collects and prints nothing.

pub mod code;
pub mod render;

use crate::place::Place;
use code::Code;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// Something a spec gets wrong: what, where, why here, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub place: Place,
    /// One phrase, lower case, names the thing in backticks.
    pub message: String,
    /// Why at this place; shown under the source line.
    pub label: Option<String>,
    /// Other places that belong to it ("first declared here").
    pub also: Vec<(Place, String)>,
    /// What to do.
    pub help: Vec<String>,
}

impl Diagnostic {
    #[must_use]
    pub fn error(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            place,
            message: message.into(),
            label: None,
            also: Vec::new(),
            help: Vec::new(),
        }
    }

    #[must_use]
    pub fn warning(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, place, message)
        }
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    #[must_use]
    pub fn also(mut self, place: Place, label: impl Into<String>) -> Self {
        self.also.push((place, label.into()));
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// "did you mean `…`?" when a known name is near, else the known names when there are few.
    #[must_use]
    pub fn help_nearest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match render::nearest_help(name, known) {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// The same of words of the language: all of them when none is near.
    #[must_use]
    pub fn help_nearest_word<'a>(
        self,
        name: &str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        match render::nearest_word(name, words) {
            Some(help) => self.help(help),
            None => self,
        }
    }
}

/// All that a run found, in the order found; the renderer sorts by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag {
    pub all: Vec<Diagnostic>,
}

impl Bag {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.all.push(diagnostic);
    }

    pub fn extend(&mut self, other: Bag) {
        self.all.extend(other.all);
    }

    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|d| d.severity == Severity::Error)
    }
}
