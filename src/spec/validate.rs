//! A document against its shape. It finds everything that can be seen without any other document;
//! what it lets pass, the readers take without asking again.

mod text;

use std::collections::BTreeMap;

use super::grammar::{self, Fault};
use super::shape::{Form, Key, Least, Others, Presence, Shape};
use crate::diag::code::{Code, e01xx as code};
use crate::diag::{Bag, Diagnostic};
use crate::place::Place;
use crate::yaml::{Entry, Kind, Node};
use text::{LONGEST_TEXT, Part};

/// Everything about `root` that does not fit.
pub(super) fn validate(file: &str, root: &Node, shape: &'static Shape) -> Bag {
    let mut walk = Walk {
        file,
        steps: Vec::new(),
        bag: Bag::default(),
    };
    walk.table(root, shape);
    walk.bag
}

#[derive(Clone, Copy)]
enum At<'n> {
    Key(&'n str),
    Index(usize),
}

struct Walk<'n> {
    file: &'n str,
    steps: Vec<At<'n>>,
    bag: Bag,
}

impl<'n> Walk<'n> {
    fn place(&self) -> Place {
        let mut place = Place::root(self.file);
        for step in &self.steps {
            place = match step {
                At::Key(key) => place.key(key),
                At::Index(index) => place.index(*index),
            };
        }
        place
    }

    /// The key in whose value we are, as the message names it.
    fn here(&self) -> String {
        let mut place = "the document".to_owned();
        for step in &self.steps {
            place = match step {
                At::Key(key) => format!("`{key}`"),
                At::Index(_) if place.starts_with("an item") => place,
                At::Index(_) => format!("an item of {place}"),
            };
        }
        place
    }

    fn refuse(&mut self, code: Code, message: String, fault: Fault) {
        let Fault { why, help } = fault;
        let diagnostic = Diagnostic::error(code, self.place(), message).label(why);
        self.bag.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    fn within(&mut self, step: At<'n>, node: &'n Node, form: &'static Form) {
        self.steps.push(step);
        self.value(node, form);
        self.steps.pop();
    }

    fn table(&mut self, node: &'n Node, shape: &'static Shape) {
        let entries = match &node.kind {
            Kind::Map(entries) => entries,
            Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => return self.no_table(node, shape),
        };
        for entry in entries {
            match shape.key(&entry.key) {
                Some(key) => self.within(At::Key(&entry.key), &entry.value, &key.form),
                None => self.unknown_key(entry, shape),
            }
        }
        for key in shape.keys {
            let is_missing = node.get(key.name).is_none();
            match key.presence {
                Presence::Required if is_missing => self.missing_key(key, shape),
                Presence::Required | Presence::Optional => {}
            }
        }
    }

    fn no_table(&mut self, node: &'n Node, shape: &'static Shape) {
        let before = self.bag.all.len();
        self.wrong_shape(node, "a map");
        let mut required = shape
            .keys
            .iter()
            .filter(|key| key.presence == Presence::Required);
        let (Some(text), Some(key), None) = (node.text(), required.next(), required.next()) else {
            return;
        };
        for diagnostic in &mut self.bag.all[before..] {
            diagnostic
                .help
                .push(format!("write `{{{}: \"{}\"}}`", key.name, shortened(text)));
        }
    }

    fn unknown_key(&mut self, entry: &Entry, shape: &'static Shape) {
        match shape.others {
            Others::Parameters => return,
            Others::AnchorsOnly if entry.key.starts_with("x-") => return,
            Others::AnchorsOnly | Others::Refused => {}
        }
        let place = self.place().key(&entry.key).at_key();
        let message = format!("unknown key `{}`", entry.key);
        self.bag.push(
            Diagnostic::error(code::UNKNOWN_KEY, place, message)
                .label(format!("not a key of {}", shape.what))
                .help_nearest_word(&entry.key, shape.names()),
        );
    }

    fn missing_key(&mut self, key: &Key, shape: &'static Shape) {
        let message = format!("missing key `{}`", key.name);
        let label = format!("{} has `{}`: {}", shape.what, key.name, key.about);
        let place = self.place().at_key();
        self.bag
            .push(Diagnostic::error(code::MISSING_KEY, place, message).label(label));
    }

    fn value(&mut self, node: &'n Node, form: &'static Form) {
        match form {
            Form::Anything | Form::Param(_) => {}
            Form::Table(shape) => self.table(node, shape),
            Form::List(item, least) => self.list(node, item, *least),
            Form::Set(item, least) => {
                self.list(node, item, *least);
                self.repeats(node);
            }
            Form::Map { key, value, least } => {
                let Some(entries) = self.map(node) else {
                    return;
                };
                self.at_least(entries.len(), *least);
                for entry in entries {
                    self.steps.push(At::Key(&entry.key));
                    self.text(&entry.key, key, Part::Key);
                    self.value(&entry.value, value);
                    self.steps.pop();
                }
            }
            Form::Transform => self.transform(node),
            Form::Input => match node.kind {
                Kind::Map(_) => {
                    const ALIASES: Form = Form::Map {
                        key: &Form::Name,
                        value: &Form::Path,
                        least: Least::One,
                    };
                    self.value(node, &ALIASES);
                }
                Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => self.value(node, &Form::Path),
            },
            Form::Aliases => match node.kind {
                Kind::Map(_) => {
                    const TYPES: Form = Form::Map {
                        key: &Form::Name,
                        value: &Form::Type,
                        least: Least::One,
                    };
                    self.value(node, &TYPES);
                }
                Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => {
                    self.value(node, &Form::Set(&Form::Name, Least::One));
                }
            },
            Form::Version => self.version(node),
            Form::Flag => match &node.kind {
                Kind::Scalar(scalar) if is_flag(&scalar.text) && !scalar.quoted => {}
                _ => self.wrong_shape(node, "`true` or `false`"),
            },
            Form::Whole { min, max } => match node.scalar() {
                Some(scalar) => match grammar::number::<u64>(&scalar.text) {
                    Some(number) if (*min..=*max).contains(&number) => {}
                    Some(_) | None => {
                        let message =
                            format!("`{}` is not a number for {}", scalar.text, self.here());
                        let fault = Fault::new(format!("a whole number from {min} to {max}"));
                        self.refuse(code::BAD_NUMBER, message, fault);
                    }
                },
                None => self.wrong_shape(node, "a whole number"),
            },
            Form::Text
            | Form::Prose
            | Form::Code
            | Form::Literal
            | Form::Word(_)
            | Form::Disposition(_)
            | Form::Name
            | Form::EntityName
            | Form::Column
            | Form::RuleName
            | Form::SourceName
            | Form::Duration
            | Form::Type
            | Form::Partition
            | Form::Path
            | Form::Percent
            | Form::Bytes
            | Form::Currency
            | Form::Folder
            | Form::SchemaName => match node.scalar() {
                Some(scalar) => self.text(&scalar.text, form, Part::Value),
                None => self.wrong_shape(node, "a text"),
            },
        }
    }

    fn version(&mut self, node: &Node) {
        let (text, is_one) = match node.scalar() {
            Some(scalar) => (scalar.text.as_str(), scalar.text == "1" && !scalar.quoted),
            None => ("", false),
        };
        if !is_one {
            let message = match text {
                "" | "1" => format!("{} is not the integer `1`", self.here()),
                _ => format!("version `{}` is not known", shortened(text)),
            };
            let fault = Fault::new("the integer `1` is the only version there is");
            self.refuse(code::WRONG_VERSION, message, fault);
        }
    }

    /// `trim` or `{split_part: ["-", 1]}`.
    fn transform(&mut self, node: &'n Node) {
        let fault = match &node.kind {
            Kind::Scalar(scalar) if scalar.text.is_empty() => Fault::new("empty"),
            Kind::Scalar(scalar) => return self.bounded(&scalar.text, LONGEST_TEXT),
            Kind::Map(entries) => match entries.as_slice() {
                [entry] => return self.arguments(entry),
                [] => Fault::new("no name"),
                _ => Fault::new("two steps in one; a list keeps their order")
                    .help("start each step with `- ` or give it braces of its own"),
            },
            Kind::Null(_) => return self.empty_value(),
            Kind::Seq(_) => Fault::new("a list stands in the list of steps"),
        };
        let message = "a step of a chain is a name, or a name with its arguments".to_owned();
        self.refuse(code::BAD_TRANSFORM, message, fault);
    }

    fn arguments(&mut self, entry: &'n Entry) {
        const PAIRS: Form = Form::Map {
            key: &Form::Literal,
            value: &Form::Literal,
            least: Least::One,
        };
        const LIST: Form = Form::List(&Form::Literal, Least::One);
        let form = match entry.value.kind {
            Kind::Map(_) => &PAIRS,
            Kind::Seq(_) => &LIST,
            Kind::Null(_) | Kind::Scalar(_) => &Form::Literal,
        };
        self.within(At::Key(&entry.key), &entry.value, form);
    }

    fn map(&mut self, node: &'n Node) -> Option<&'n [Entry]> {
        match &node.kind {
            Kind::Map(entries) => Some(entries),
            Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => {
                self.wrong_shape(node, "a map");
                None
            }
        }
    }

    fn list(&mut self, node: &'n Node, item: &'static Form, least: Least) {
        let Kind::Seq(items) = &node.kind else {
            return self.wrong_shape(node, "a list");
        };
        self.at_least(items.len(), least);
        for (index, node) in items.iter().enumerate() {
            self.within(At::Index(index), node, item);
        }
    }

    fn at_least(&mut self, length: usize, least: Least) {
        match least {
            Least::One if length == 0 => {
                let message = format!("{} is empty", self.here());
                self.refuse(
                    code::EMPTY_LIST,
                    message,
                    Fault::new("at least one is needed"),
                );
            }
            Least::One | Least::None => {}
        }
    }

    fn repeats(&mut self, node: &Node) {
        let mut first = BTreeMap::new();
        for (index, item) in node.items().iter().enumerate() {
            let Some(text) = item.text() else { continue };
            let Some(earlier) = first.insert(text, index) else {
                continue;
            };
            let place = self.place();
            let message = format!("`{text}` stands twice in {}", self.here());
            self.bag.push(
                Diagnostic::error(code::LISTED_TWICE, place.index(index), message)
                    .also(place.index(earlier), "first here"),
            );
        }
    }

    fn wrong_shape(&mut self, node: &Node, expected: &str) {
        let found = match &node.kind {
            Kind::Null(_) => return self.empty_value(),
            Kind::Scalar(scalar) if scalar.quoted => "a text",
            Kind::Scalar(scalar) if is_flag(&scalar.text) => "a truth value",
            Kind::Scalar(_) => "a text",
            Kind::Seq(_) => "a list",
            Kind::Map(_) => "a map",
        };
        let fault = Fault::new(format!("{expected} is expected"));
        let fault = match (node.text(), expected) {
            (Some(text), "a list") => fault.help(format!("write `[{}]`", shortened(text))),
            (None, "a list") => fault.help("start each item with `- `, or put brackets around it"),
            (Some("yes" | "on" | "Yes" | "True" | "TRUE" | "true"), "`true` or `false`") => {
                fault.help("write `true` without quotes")
            }
            (Some("no" | "off" | "No" | "False" | "FALSE" | "false"), "`true` or `false`") => {
                fault.help("write `false` without quotes")
            }
            _ => fault,
        };
        let message = format!("{} takes {expected}, not {found}", self.here());
        self.refuse(code::WRONG_SHAPE, message, fault);
    }

    fn empty_value(&mut self) {
        let message = format!("{} has no value", self.here());
        let place = self.place().at_key();
        let help = "write the value, or delete the key; a text goes in quotes where it is `null`";
        self.bag.push(
            Diagnostic::error(code::EMPTY_VALUE, place, message)
                .label("nothing stands here")
                .help(help),
        );
    }
}

fn is_flag(text: &str) -> bool {
    matches!(text, "true" | "false")
}

/// A message is one line.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
