//! Whether the branches of an alternation exclude each other. An engine that takes the first branch
//! that fits and one that takes the longest find the same part of a text only if they do.

use super::{Node, Shorthand};

/// Inclusive ranges of code points, sorted.
type Characters = Vec<(u32, u32)>;

const LAST: u32 = char::MAX as u32;

/// What a branch has at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    One(Characters),
    /// The end of the text.
    End,
    /// From here on the branch is not followed.
    Unknown,
}

/// Some text could be matched by two branches of one alternation, or by one and the start of it by
/// the other.
pub(super) fn overlap(node: &Node) -> bool {
    match node {
        Node::Literal(_)
        | Node::Any
        | Node::Shorthand { .. }
        | Node::Class { .. }
        | Node::Start
        | Node::End => false,
        Node::Repeat { node, .. } | Node::Group(node) | Node::Capture(node) => overlap(node),
        Node::Sequence(nodes) => nodes.iter().any(overlap),
        Node::Alternatives(branches) => {
            let items: Vec<Vec<Item>> = branches.iter().map(items).collect();
            let meet = items.iter().enumerate().any(|(at, branch)| {
                let others = &items[at + 1..];
                others.iter().any(|other| can_meet(branch, other))
            });
            meet || branches.iter().any(overlap)
        }
    }
}

fn can_meet(one: &[Item], other: &[Item]) -> bool {
    for (left, right) in one.iter().zip(other) {
        match (left, right) {
            (Item::Unknown, _) | (_, Item::Unknown) => return true,
            (Item::End, Item::End) => return true,
            (Item::End, Item::One(_)) | (Item::One(_), Item::End) => return false,
            (Item::One(left), Item::One(right)) => {
                let share = |(a, b): &(u32, u32)| right.iter().any(|(c, d)| a <= d && c <= b);
                if !left.iter().any(share) {
                    return false;
                }
            }
        }
    }
    true
}

fn items(node: &Node) -> Vec<Item> {
    let mut out = Vec::new();
    follow(node, &mut out);
    out
}

fn follow(node: &Node, out: &mut Vec<Item>) {
    // Far enough to tell any two branches that people write apart.
    const MOST: usize = 64;
    if out.last() == Some(&Item::Unknown) || out.len() >= MOST {
        return;
    }
    match node {
        Node::Literal(character) => {
            let code = u32::from(*character);
            out.push(Item::One(vec![(code, code)]));
        }
        Node::Any => out.push(Item::One(others(vec![(0x0A, 0x0A)]))),
        Node::Shorthand { class, negated } => {
            let own: Characters = match class {
                Shorthand::Digit => vec![(0x30, 0x39)],
                Shorthand::Word => vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
                Shorthand::Space => vec![(0x09, 0x0D), (0x20, 0x20)],
            };
            out.push(Item::One(if *negated { others(own) } else { own }));
        }
        Node::Class { ranges, negated } => {
            let mut own: Characters = ranges
                .iter()
                .map(|(first, last)| (u32::from(*first), u32::from(*last)))
                .collect();
            own.sort_unstable();
            out.push(Item::One(if *negated { others(own) } else { own }));
        }
        Node::Start => {}
        Node::End => out.push(Item::End),
        Node::Group(node) | Node::Capture(node) => follow(node, out),
        Node::Sequence(nodes) => nodes.iter().for_each(|node| follow(node, out)),
        Node::Repeat { node, min, max } => {
            for _ in 0..(*min).min(u32::try_from(MOST).unwrap_or(u32::MAX)) {
                follow(node, out);
            }
            if Some(*min) != *max {
                out.push(Item::Unknown);
            }
        }
        Node::Alternatives(_) => out.push(Item::Unknown),
    }
}

/// All code points but these sorted ranges.
fn others(ranges: Characters) -> Characters {
    let mut out = Vec::new();
    let mut next = 0;
    for (first, last) in ranges {
        if first > next {
            out.push((next, first - 1));
        }
        next = next.max(last + 1);
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}
