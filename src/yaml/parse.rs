//! Text to nodes, through `serde_yaml`.
//!
//! `serde_yaml` hands out strings as they stand in the text, but resolves a plain `1.10`, `NO` or
//! `~` before we see it, and tells positions only in errors. So such a scalar is answered with an
//! error on purpose: the position in it is where the text is read from. The parser goes on behind
//! the scalar, so this costs little; and where the scalar follows its key or its neighbour directly
//! we read it there without the detour.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::merge::{merge, without_duplicates};
use super::plain;
use super::source::{
    line_starts, plain_token, position_in, second_document, skip_properties, too_many_open,
    without_position,
};
use super::{Entry, Kind, Node, Parsed, Problem, ProblemKind, Scalar, without_bom};

const LARGEST_TEXT: usize = 64 << 20;
/// Brackets opened and not closed. The parser's time grows with their square, and it would refuse
/// far fewer; brackets in texts count too, so this is no bound on nesting.
const MOST_OPEN: usize = 2_000;
const TOO_DEEP: &str = "lists and maps are nested more than 128 deep";
/// Nodes that aliases may add to those that are written out.
const LARGEST_EXPANSION: usize = 200_000;

/// Reads one document. Never fails: what is wrong is among the problems.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let text = without_bom(text);
    if text.len() > LARGEST_TEXT {
        let kind = ProblemKind::Limit("the file is larger than 64 MiB");
        return Parsed {
            root: None,
            problems: vec![Problem { at: None, kind }],
        };
    }
    if let Some(at) = too_many_open(text, MOST_OPEN) {
        let kind = ProblemKind::Limit(TOO_DEEP);
        return Parsed {
            root: None,
            problems: vec![Problem { at: Some(at), kind }],
        };
    }
    match plain::read(text) {
        Some(root) => Parsed {
            root: Some(root),
            problems: Vec::new(),
        },
        None => parse_any(text),
    }
}

/// With the parser, whatever it is.
pub(super) fn parse_any(text: &str) -> Parsed {
    let context = Context {
        text,
        cursor: Cell::new(None),
        unread: Cell::new(false),
        unplaced: RefCell::new(None),
        budget: Cell::new(text.len() + LARGEST_EXPANSION),
        stopped: Cell::new(None),
        problems: RefCell::default(),
        lines: OnceCell::new(),
    };
    let read = Seed(&context).deserialize(serde_yaml::Deserializer::from_str(text));
    let root = match read {
        Ok(node) => Some(node),
        Err(error) => match context.scalar_of(&error) {
            Some(node) => Some(node),
            None => {
                let problem = context.problem_of(&error);
                context.problems.borrow_mut().push(problem);
                None
            }
        },
    };
    let mut problems = context.problems.into_inner();
    problems.sort_by_key(|problem| problem.at);
    // An alias to a map brings the map's problems with it.
    problems.dedup();
    Parsed { root, problems }
}

pub(super) struct Context<'t> {
    pub(super) text: &'t str,
    /// Byte offset behind the last key or scalar, where it is known.
    cursor: Cell<Option<usize>>,
    /// The error under way is a scalar whose text we still have to read.
    unread: Cell<bool>,
    /// The error under way is a text whose position we still have to learn.
    unplaced: RefCell<Option<String>>,
    budget: Cell<usize>,
    /// Why we gave up, when it was not the parser.
    stopped: Cell<Option<Stop>>,
    pub(super) problems: RefCell<Vec<Problem>>,
    /// Byte offsets at which lines start, as the parser counts lines.
    lines: OnceCell<Vec<usize>>,
}

#[derive(Clone, Copy)]
enum Stop {
    Tag,
    Budget,
}

impl Context<'_> {
    fn offset_of(&self, part: &str) -> Option<usize> {
        let at = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (at + part.len() <= self.text.len()).then_some(at)
    }

    fn is_behind_quote(&self, at: usize) -> bool {
        matches!(
            self.text.as_bytes().get(at.wrapping_sub(1)),
            Some(b'"' | b'\'')
        )
    }

    /// The plain scalar right behind the cursor, if `is_it` agrees.
    fn plain_behind_cursor(&self, is_it: impl Fn(&str) -> bool) -> Option<Node> {
        let from = self.cursor.get()?;
        let rest = self.text.get(from..)?;
        let skipped = rest.len()
            - rest
                .trim_start_matches([' ', '"', '\'', ',', ':', '['])
                .len();
        let token = plain_token(&rest[skipped..]);
        let behind = rest[skipped + token.len()..].chars().next();
        let ends = matches!(behind, None | Some(' ' | ',' | ']' | '}' | '\n' | '\r'));
        if token.is_empty() || !ends || !is_it(token) {
            return None;
        }
        let at = from + skipped;
        self.cursor.set(Some(at + token.len()));
        Some(plain(token, at))
    }

    /// Called for every node.
    fn spend<E: Error>(&self) -> Result<(), E> {
        match self.budget.get().checked_sub(1) {
            Some(rest) => {
                self.budget.set(rest);
                Ok(())
            }
            None => {
                self.stopped.set(Some(Stop::Budget));
                Err(E::custom(""))
            }
        }
    }

    /// The scalar that an error stands for.
    fn scalar_of(&self, error: &impl fmt::Display) -> Option<Node> {
        let text = self.unplaced.take();
        let unread = self.unread.take();
        if text.is_none() && !unread {
            return None;
        }
        let at = self.offset_in(&error.to_string());
        let at = skip_properties(self.text, at);
        let node = match text {
            Some(text) => {
                self.cursor.set(None);
                Node {
                    at: offset(at),
                    kind: Kind::Scalar(Scalar { text, quoted: true }),
                }
            }
            None => {
                let token = plain_token(&self.text[at..]);
                self.cursor.set(Some(at + token.len()));
                plain(token, at)
            }
        };
        Some(node)
    }

    /// The byte offset named at the end of an error; the very start is not named.
    fn offset_in(&self, message: &str) -> usize {
        let numbers = message.rsplit_once(" at line ").and_then(|(_, tail)| {
            let (line, column) = tail.split_once(" column ")?;
            Some((line.parse::<usize>().ok()?, column.parse::<usize>().ok()?))
        });
        let Some((line, column)) = numbers else {
            return 0;
        };
        let lines = self.lines.get_or_init(|| line_starts(self.text));
        let start = lines.get(line - 1).copied().unwrap_or(self.text.len());
        let in_line = self.text[start..].char_indices().nth(column - 1);
        in_line.map_or(self.text.len(), |(at, _)| start + at)
    }

    fn problem_of(&self, error: &serde_yaml::Error) -> Problem {
        let message = error.to_string();
        let at = error.location().map(|location| location.index());
        let kind = match self.stopped.get() {
            Some(Stop::Tag) => ProblemKind::Tag,
            Some(Stop::Budget) => ProblemKind::Limit("aliases repeat too much"),
            None if message.contains("repetition limit exceeded") => {
                ProblemKind::Limit("aliases repeat too much")
            }
            None if message.contains("recursion limit exceeded") => ProblemKind::Limit(TOO_DEEP),
            None if message.contains("more than one document") => {
                let at = second_document(self.text);
                return Problem {
                    at,
                    kind: ProblemKind::SeveralDocuments,
                };
            }
            None if message.contains("expected a key that is text") => ProblemKind::KeyNotText,
            None => ProblemKind::Syntax(without_position(&message)),
        };
        let at = match position_in(&message) {
            Some(named) => Some(named),
            None => at,
        };
        Problem { at, kind }
    }

    pub(super) fn report_duplicate(&self, key: &str, first: Option<u32>, second: Option<u32>) {
        let first = first.map(|at| at as usize);
        let kind = ProblemKind::DuplicateKey {
            key: key.to_owned(),
            first,
        };
        let problem = Problem {
            at: second.map(|at| at as usize),
            kind,
        };
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

struct Seed<'c, 't>(&'c Context<'t>);

impl<'de> DeserializeSeed<'de> for Seed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_> {
    type Value = Node;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Node, E> {
        let Some(at) = self.0.offset_of(text) else {
            return self.visit_str(text);
        };
        self.0.spend()?;
        self.0.cursor.set(Some(at + text.len()));
        let quoted = self.0.is_behind_quote(at);
        let at = if quoted { at - 1 } else { at };
        let kind = Kind::Scalar(Scalar {
            text: text.to_owned(),
            quoted,
        });
        Ok(Node {
            at: offset(at),
            kind,
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        self.0.spend()?;
        self.0.unplaced.replace(Some(text.to_owned()));
        Err(E::custom(""))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        let word = if value { "true" } else { "false" };
        self.resolved(|token| token.eq_ignore_ascii_case(word))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        self.resolved(|token| token.parse() == Ok(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        self.resolved(|token| token.parse() == Ok(value))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Node, E> {
        self.resolved(|token| token.parse() == Ok(value))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Node, E> {
        self.resolved(|token| token.parse() == Ok(value))
    }

    fn visit_f64<E: Error>(self, _value: f64) -> Result<Node, E> {
        self.resolved(|_| false)
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        self.resolved(|token| matches!(token, "~" | "null" | "Null" | "NULL"))
    }

    /// An empty document.
    fn visit_none<E: Error>(self) -> Result<Node, E> {
        Ok(Node {
            at: Some(0),
            kind: Kind::Null(String::new()),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        self.0.spend()?;
        let mut items = Vec::new();
        loop {
            match list.next_element_seed(Seed(self.0)) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {
                    return Ok(Node {
                        at: None,
                        kind: Kind::Seq(items),
                    });
                }
                Err(error) => items.push(self.0.scalar_of(&error).ok_or(error)?),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        self.0.spend()?;
        let mut entries = Vec::new();
        while let Some(Key {
            text: key,
            at: key_at,
        }) = map.next_key_seed(KeySeed(self.0))?
        {
            let value = match map.next_value_seed(Seed(self.0)) {
                Ok(value) => value,
                Err(error) => self.0.scalar_of(&error).ok_or(error)?,
            };
            entries.push(Entry { key, key_at, value });
        }
        let entries = merge(self.0, without_duplicates(self.0, entries));
        Ok(Node {
            at: None,
            kind: Kind::Map(entries),
        })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _tagged: A) -> Result<Node, A::Error> {
        self.0.stopped.set(Some(Stop::Tag));
        Err(A::Error::custom(""))
    }
}

impl Seed<'_, '_> {
    fn resolved<E: Error>(self, is_it: impl Fn(&str) -> bool) -> Result<Node, E> {
        self.0.spend()?;
        match self.0.plain_behind_cursor(is_it) {
            Some(node) => Ok(node),
            None => {
                self.0.unread.set(true);
                Err(E::custom(""))
            }
        }
    }
}

struct Key {
    text: String,
    at: Option<u32>,
}

struct KeySeed<'c, 't>(&'c Context<'t>);

impl<'de> DeserializeSeed<'de> for KeySeed<'_, '_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed<'_, '_> {
    type Value = Key;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key that is text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Key, E> {
        let Some(at) = self.0.offset_of(text) else {
            return self.visit_str(text);
        };
        self.0.cursor.set(Some(at + text.len()));
        let at = if self.0.is_behind_quote(at) {
            at - 1
        } else {
            at
        };
        Ok(Key {
            text: text.to_owned(),
            at: offset(at),
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Key, E> {
        self.0.cursor.set(None);
        Ok(Key {
            text: text.to_owned(),
            at: None,
        })
    }
}

fn plain(token: &str, at: usize) -> Node {
    let text = token.to_owned();
    let kind = match token {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null(text),
        _ => Kind::Scalar(Scalar {
            text,
            quoted: false,
        }),
    };
    Node {
        at: offset(at),
        kind,
    }
}

fn offset(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}
