//! Scalars against the grammars.

use super::{At, Walk, shortened};
use crate::diag::Diagnostic;
use crate::diag::code::{Code, e01xx as code, e05xx};
use crate::spec::grammar::{self, Fault};
use crate::spec::path;
use crate::spec::shape::Form;

pub(super) const LONGEST_TEXT: usize = 1_000;
const LONGEST_CODE: usize = 4_000;
const LONGEST_PROSE: usize = 20_000;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Key,
    Value,
}

impl Walk<'_> {
    pub(super) fn text(&mut self, text: &str, form: &'static Form, part: Part) {
        let before = self.bag.all.len();
        match form {
            Form::Text => self.bounded(text, LONGEST_TEXT),
            Form::Code => self.bounded(text, LONGEST_CODE),
            Form::Prose => self.bounded(text, LONGEST_PROSE),
            Form::Literal if text.is_empty() => {}
            Form::Literal | Form::Disposition(_) => self.bounded(text, LONGEST_TEXT),
            Form::Word(words) => self.word(text, words),
            Form::Name | Form::EntityName | Form::Column => self.name(text, form),
            Form::RuleName => {
                self.grammar(
                    code::BAD_RULE_NAME,
                    "the name of a rule",
                    text,
                    grammar::rule_name(text),
                );
            }
            Form::SourceName => {
                self.grammar(
                    code::BAD_SOURCE_NAME,
                    "the name of a relation",
                    text,
                    grammar::source_name(text),
                );
            }
            Form::Duration => {
                self.grammar(
                    code::BAD_DURATION,
                    "a duration",
                    text,
                    grammar::duration(text),
                );
            }
            Form::Type => self.grammar(code::BAD_TYPE, "a type", text, grammar::ty(text)),
            Form::Partition => {
                self.grammar(
                    code::BAD_PARTITION,
                    "a partition",
                    text,
                    grammar::partition(text),
                );
            }
            Form::Path if text.len() > LONGEST_TEXT => self.bounded(text, LONGEST_TEXT),
            Form::Path => self.grammar(code::BAD_PATH, "a path", text, path::parse(text)),
            Form::Percent => {
                self.grammar(code::BAD_PERCENT, "a share", text, grammar::percent(text));
            }
            Form::Bytes => self.grammar(code::BAD_SIZE, "a size", text, grammar::bytes(text)),
            Form::Currency => {
                self.grammar(
                    code::BAD_CURRENCY,
                    "a currency",
                    text,
                    grammar::currency(text),
                );
            }
            Form::Folder => {
                let read = grammar::folder(text);
                self.grammar(e05xx::BAD_FOLDER, "the name of a folder", text, read);
            }
            Form::SchemaName => {
                let read = grammar::schema_name(text);
                self.grammar(e05xx::BAD_SCHEMA_NAME, "the name of a schema", text, read);
            }
            Form::Version
            | Form::Flag
            | Form::Whole { .. }
            | Form::Transform
            | Form::Input
            | Form::Aliases
            | Form::Param(_)
            | Form::List(..)
            | Form::Set(..)
            | Form::Map { .. }
            | Form::Table(_)
            | Form::Anything => {}
        }
        if part == Part::Key {
            for diagnostic in &mut self.bag.all[before..] {
                diagnostic.place = diagnostic.place.at_key();
            }
        }
    }

    fn name(&mut self, text: &str, form: &'static Form) {
        let is_column = matches!(form, Form::Column);
        let read = if is_column {
            grammar::column(text)
        } else {
            grammar::name(text)
        };
        let is_name = read.is_ok();
        let before = self.bag.all.len();
        self.grammar(code::BAD_NAME, "a name", text, read);
        if self.is_field() && text.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let help =
                format!("this is the name on our side; the source's goes in a path: `$[{text:?}]`");
            for diagnostic in &mut self.bag.all[before..] {
                diagnostic.help.push(help.clone());
            }
        }
        if is_name && matches!(form, Form::EntityName) && !grammar::windows_allows(text) {
            let message = format!("`{text}` cannot be the name of a file");
            let fault = Fault::new("reserved by Windows").help("take a longer name");
            self.refuse(code::RESERVED_FILE_NAME, message, fault);
        }
    }

    /// `fields.<name>` of an entity or a mapping, or `key.<name>` of a mapping.
    fn is_field(&self) -> bool {
        matches!(
            self.steps.as_slice(),
            [.., At::Key("fields" | "key"), At::Key(_)]
        )
    }

    fn grammar<T>(&mut self, code: Code, what: &str, text: &str, read: Result<T, Fault>) {
        let Err(fault) = read else { return };
        let message = format!("`{}` is not {what}", shortened(text));
        self.refuse(code, message, fault);
    }

    fn word(&mut self, text: &str, words: &'static [&'static str]) {
        if words.contains(&text) {
            return;
        }
        let message = format!("unknown word `{}` for {}", shortened(text), self.here());
        let diagnostic = Diagnostic::error(code::UNKNOWN_WORD, self.place(), message)
            .label("not one of the words for it")
            .help_nearest_word(text, words.iter().copied());
        self.bag.push(diagnostic);
    }

    pub(super) fn bounded(&mut self, text: &str, longest: usize) {
        if text.is_empty() {
            self.empty_value();
        } else if text.len() > longest {
            let message = format!("text too long for {}", self.here());
            let fault = Fault::new(format!("{} bytes; at most {longest}", text.len()));
            self.refuse(code::TEXT_TOO_LONG, message, fault);
        }
    }
}
