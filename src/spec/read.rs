//! Picking values out of a document. What does not fit has been reported by `validate`, so it is
//! passed over here without a word.

use super::grammar::Fault;
use super::{Placed, Scalar};
use crate::place::Trail;
use crate::yaml::{Kind, Node};

pub(super) fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.text().map(str::to_owned)
}

pub(super) fn flag(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::text) == Some("true")
}

pub(super) fn parsed<T>(
    node: &Node,
    key: &str,
    parse: impl Fn(&str) -> Result<T, Fault>,
) -> Option<T> {
    parse(node.get(key)?.text()?).ok()
}

/// One of a few words.
pub(super) fn word<T: Copy>(node: &Node, key: &str, words: &[(&str, T)]) -> Option<T> {
    let text = node.get(key)?.text()?;
    words
        .iter()
        .find(|(word, _)| *word == text)
        .map(|(_, value)| *value)
}

pub(super) fn number<T: std::str::FromStr>(node: &Node, key: &str) -> Option<T> {
    super::grammar::number(node.get(key)?.text()?)
}

pub(super) fn literal(node: &Node, key: &str) -> Option<Scalar> {
    scalar(node.get(key)?)
}

pub(super) fn literals(node: &Node, key: &str) -> Option<Vec<Scalar>> {
    match &node.get(key)?.kind {
        Kind::Seq(items) => Some(items.iter().filter_map(scalar).collect()),
        Kind::Null(_) | Kind::Scalar(_) | Kind::Map(_) => None,
    }
}

/// The items of a list that can be read, each with its place.
pub(super) fn placed<T>(
    node: &Node,
    at: &Trail,
    key: &str,
    parse: impl Fn(&str) -> Result<T, Fault>,
) -> Vec<Placed<T>> {
    let Some(list) = node.get(key) else {
        return Vec::new();
    };
    let list_at = at.down(key);
    let mut values = Vec::new();
    for (index, item) in list.items().iter().enumerate() {
        if let Some(Ok(value)) = item.text().map(&parse) {
            values.push(Placed {
                value,
                at: list_at.item(index),
            });
        }
    }
    values
}

/// Name → what `read` makes of it, in authored order.
pub(super) fn named<T>(
    node: &Node,
    at: &Trail,
    key: &str,
    read: impl Fn(&str, &Node, Trail) -> Option<T>,
) -> Vec<T> {
    let Some(map) = node.get(key) else {
        return Vec::new();
    };
    let map_at = at.down(key);
    let entries = map.entries().iter();
    entries
        .filter_map(|entry| read(&entry.key, &entry.value, map_at.down(&entry.key)))
        .collect()
}

/// The items of a list that `read` can read; `None` when there is no list.
pub(super) fn items<T>(
    node: &Node,
    at: &Trail,
    key: &str,
    read: impl Fn(&Node, Trail) -> Option<T>,
) -> Option<Vec<T>> {
    match &node.get(key)?.kind {
        Kind::Seq(items) => {
            let list_at = at.down(key);
            let items = items.iter().enumerate();
            Some(
                items
                    .filter_map(|(index, item)| read(item, list_at.item(index)))
                    .collect(),
            )
        }
        Kind::Null(_) | Kind::Scalar(_) | Kind::Map(_) => None,
    }
}

/// As written, whatever it is: for names that are kept although they have been refused.
pub(super) fn verbatim(text: &str) -> Result<String, Fault> {
    Ok(text.to_owned())
}

pub(super) fn scalar(node: &Node) -> Option<Scalar> {
    node.scalar().map(|scalar| Scalar {
        text: scalar.text.clone(),
        quoted: scalar.quoted,
    })
}

pub(super) fn is_map(node: &Node) -> bool {
    match node.kind {
        Kind::Map(_) => true,
        Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => false,
    }
}
