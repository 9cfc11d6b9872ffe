//! JSON on DuckDB: parsed once for all paths of a column, numbers kept as delivered.
//!
//! Reading a number out of a JSON document passes through DOUBLE (`1.10` becomes `1.1`, the 17th
//! digit is lost), so numbers are put in quotes first, where a document holds one that could change.
//! Its parser takes more than JSON, and texts that other engines cannot hold: those are found first.

use std::collections::BTreeMap;

use crate::sql::expr::Segment;
use crate::sql::text::{Level, Sql};

/// A number that DOUBLE would not give back: a point, an exponent, a leading minus zero.
const FRAGILE_NUMBER: &str = r"[0-9][.eE][0-9+-]|-0";
/// Outside of strings `NaN`, an infinity or a comma before a closing bracket; inside of one U+0000.
const NOT_JSON: &str = concat!(
    r#"^(?:[^"]|"(?:[^"\\]|\\.)*")*?"#,
    r#"(?:[iI]|[nN][aA]|,[ \t\n\r]*[\]}]|"(?:[^"\\]|\\.)*?\\u0000)"#
);
/// What is no number (strings as a whole), then a number or the end of the document.
const NUMBERS: &str = r#"((?:[^"0-9-]|"(?:[^"\\]|\\.)*")*)(-?[0-9][0-9.eE+-]*|$)"#;

pub(super) fn parse(text: Sql) -> Sql {
    Sql::when(
        Sql::Not(Box::new(is_not_json(&text))),
        text.try_cast("JSON"),
    )
}

fn is_not_json(text: &Sql) -> Sql {
    Sql::Call("REGEXP_MATCHES", vec![text.clone(), Sql::text(NOT_JSON)])
}

pub(super) fn text(document: Sql, path: &[Segment]) -> Sql {
    Sql::chain(
        Level::Operator,
        "->>",
        vec![exact(document), Sql::Text(json_path(path))],
    )
}

/// One parse for all paths: a STRUCT whose leaves are texts.
pub(super) fn document(text: Sql, paths: &[Vec<Segment>]) -> Sql {
    match Shape::of(paths) {
        Some(shape) => {
            let mut spec = String::new();
            shape.write(&mut spec);
            Sql::Call("FROM_JSON", vec![exact(text), Sql::Text(spec)])
        }
        None => exact(text),
    }
}

pub(super) fn member(document: Sql, all: &[Vec<Segment>], path: &[Segment]) -> Sql {
    match Shape::of(all) {
        Some(_) => path.iter().fold(document, |value, segment| match segment {
            Segment::Key(key) => Sql::Member(Box::new(value), key.clone()),
            Segment::Index(index) => Sql::Item(Box::new(value), index + 1),
        }),
        None => Sql::chain(
            Level::Operator,
            "->>",
            vec![document, Sql::Text(json_path(path))],
        ),
    }
}

/// A merge patch reaches through objects only: where a list stands in the way, the whole document
/// is withheld rather than kept with what had to go.
pub(super) fn redacted(document: Sql, paths: &[Vec<Segment>]) -> Sql {
    paths.iter().fold(exact(document), |value, path| {
        let types = (0..path.len())
            .map(|depth| {
                let prefix = Sql::Text(json_path(&path[..depth]));
                Sql::Call("JSON_TYPE", vec![value.clone(), prefix])
            })
            .collect();
        let through_list = Sql::In {
            value: Box::new(Sql::text("ARRAY")),
            list: types,
            negated: false,
        };
        let here = Sql::Call(
            "JSON_EXISTS",
            vec![value.clone(), Sql::Text(json_path(path))],
        );
        let patch = Sql::Call(
            "JSON_MERGE_PATCH",
            vec![value.clone(), Sql::Text(removal(path))],
        );
        Sql::Case {
            arms: vec![(through_list, Sql::word("NULL")), (here, patch)],
            otherwise: Some(Box::new(value)),
        }
    })
}

/// The document as JSON with its numbers as strings where they are fragile; NULL when malformed.
fn exact(text: Sql) -> Sql {
    // The blank ends a number that is the whole document; `""` and the blank come off again.
    let padded = Sql::concat(vec![text.clone(), Sql::text(" ")]);
    let quoted = Sql::Call(
        "REGEXP_REPLACE",
        vec![
            padded,
            Sql::text(NUMBERS),
            Sql::text(r#"\1"\2""#),
            Sql::text("g"),
        ],
    );
    let quoted = Sql::Call("LEFT", vec![quoted, Sql::Negate(Box::new(Sql::word("3")))]);
    let is_fragile = Sql::Call(
        "REGEXP_MATCHES",
        vec![text.clone(), Sql::text(FRAGILE_NUMBER)],
    );
    Sql::Case {
        arms: vec![
            (is_not_json(&text), Sql::word("NULL")),
            (is_fragile, quoted),
        ],
        otherwise: Some(Box::new(text)),
    }
    .try_cast("JSON")
}

/// `$."weight"."kg"`, `$."items"[0]`.
fn json_path(path: &[Segment]) -> String {
    let mut out = String::from("$");
    for segment in path {
        match segment {
            Segment::Key(key) => {
                out.push_str(".\"");
                out.push_str(&key.replace('\\', "\\\\").replace('"', "\\\""));
                out.push('"');
            }
            Segment::Index(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

/// `{"weight":{"kg":null}}`: a merge patch that takes the member away.
fn removal(path: &[Segment]) -> String {
    path.iter()
        .rev()
        .fold("null".to_owned(), |inner, segment| match segment {
            Segment::Key(key) => format!("{{{}:{inner}}}", json_string(key)),
            Segment::Index(_) => inner,
        })
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The paths of one column as a tree; `None` where a STRUCT cannot hold them all.
enum Shape {
    Text,
    Object(BTreeMap<String, Shape>),
    List(Box<Shape>),
}

impl Shape {
    fn of(paths: &[Vec<Segment>]) -> Option<Self> {
        let mut root = None;
        for path in paths {
            root = Some(Self::with(root, path)?);
        }
        root.filter(|shape| !matches!(shape, Self::Text))
    }

    /// `None` where one path ends inside another, where names differ only by case (DuckDB 2.0
    /// refuses them in one STRUCT), or where a name is one that STRUCT access cannot spell.
    fn with(shape: Option<Self>, path: &[Segment]) -> Option<Self> {
        match (shape, path) {
            (None | Some(Self::Text), []) => Some(Self::Text),
            (None, [Segment::Index(_), rest @ ..]) => {
                Some(Self::List(Box::new(Self::with(None, rest)?)))
            }
            (Some(Self::List(inner)), [Segment::Index(_), rest @ ..]) => {
                Some(Self::List(Box::new(Self::with(Some(*inner), rest)?)))
            }
            (None, [Segment::Key(_), ..]) => Self::with(Some(Self::Object(BTreeMap::new())), path),
            (Some(Self::Object(mut members)), [Segment::Key(key), rest @ ..]) => {
                let lower = key.to_lowercase();
                let clash = members
                    .keys()
                    .any(|other| other != key && other.to_lowercase() == lower);
                // SQLMesh takes `"list"[1]` for a call of LIST.
                let is_call = matches!(lower.as_str(), "array" | "list")
                    && matches!(rest, [Segment::Index(_), ..]);
                if clash || is_call || key.is_empty() || key == "*" {
                    return None;
                }
                let inner = Self::with(members.remove(key), rest)?;
                members.insert(key.clone(), inner);
                Some(Self::Object(members))
            }
            (Some(Self::Text), [_, ..])
            | (Some(Self::Object(_) | Self::List(_)), [])
            | (Some(Self::Object(_)), [Segment::Index(_), ..])
            | (Some(Self::List(_)), [Segment::Key(_), ..]) => None,
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text => out.push_str("\"VARCHAR\""),
            Self::List(inner) => {
                out.push('[');
                inner.write(out);
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, inner)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(&json_string(key));
                    out.push_str(": ");
                    inner.write(out);
                }
                out.push('}');
            }
        }
    }
}
