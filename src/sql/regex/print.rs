//! The tree in an engine's own syntax.

use super::{Node, Shorthand};

/// What differs between the engines' syntaxes.
struct Syntax {
    /// A control character that has no letter of its own.
    code_point: fn(u32) -> String,
    /// The highest number in a bound.
    most_repeats: u32,
}

const RE2: Syntax = Syntax {
    code_point: |code| format!(r"\x{{{code:x}}}"),
    most_repeats: 1000,
};

const ARE: Syntax = Syntax {
    code_point: |code| format!(r"\u{code:04x}"),
    most_repeats: 255,
};

/// RE2: DuckDB and Trino. `^` and `$` are the ends of the text there, `$` before no newline.
pub(super) fn re2(node: &Node) -> String {
    printed(node, &RE2)
}

/// PostgreSQL without options: `^` and `$` are the ends of the text there too.
pub(super) fn are(node: &Node) -> String {
    printed(node, &ARE)
}

fn printed(node: &Node, syntax: &Syntax) -> String {
    let mut out = String::new();
    write(&mut out, node, syntax);
    out
}

fn write(out: &mut String, node: &Node, syntax: &Syntax) {
    match node {
        Node::Literal(character) => literal(out, *character, syntax, r"\.+*?()|[]{}^$"),
        Node::Any => out.push_str(r"[^\n]"),
        Node::Shorthand { class, negated } => {
            out.push_str(if *negated { "[^" } else { "[" });
            out.push_str(match class {
                Shorthand::Digit => "0-9",
                Shorthand::Word => "A-Za-z0-9_",
                Shorthand::Space => r" \t\n\r\f\v",
            });
            out.push(']');
        }
        Node::Class { ranges, negated } => {
            out.push_str(if *negated { "[^" } else { "[" });
            for (first, last) in ranges {
                literal(out, *first, syntax, r"\[]^-&~");
                if first != last {
                    out.push('-');
                    literal(out, *last, syntax, r"\[]^-&~");
                }
            }
            out.push(']');
        }
        Node::Start => out.push('^'),
        Node::End => out.push('$'),
        Node::Repeat { node, min, max } => {
            for (min, max) in bounds(*min, *max, syntax.most_repeats) {
                write(out, node, syntax);
                quantifier(out, min, max);
            }
        }
        Node::Sequence(nodes) => nodes.iter().for_each(|node| write(out, node, syntax)),
        Node::Alternatives(branches) => {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(out, branch, syntax);
            }
        }
        Node::Group(inner) => {
            out.push_str("(?:");
            write(out, inner, syntax);
            out.push(')');
        }
        Node::Capture(inner) => {
            out.push('(');
            write(out, inner, syntax);
            out.push(')');
        }
    }
}

fn quantifier(out: &mut String, min: u32, max: Option<u32>) {
    match (min, max) {
        (1, Some(1)) => {}
        (0, None) => out.push('*'),
        (1, None) => out.push('+'),
        (0, Some(1)) => out.push('?'),
        (min, None) => out.push_str(&format!("{{{min},}}")),
        (min, Some(max)) if min == max => out.push_str(&format!("{{{min}}}")),
        (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
    }
}

/// The same bounds as a run of bounds that are each within `most`.
fn bounds(mut min: u32, max: Option<u32>, most: u32) -> Vec<(u32, Option<u32>)> {
    let mut out = Vec::new();
    let mut optional = max.map(|max| max - min);
    while min > most {
        out.push((most, Some(most)));
        min -= most;
    }
    match &mut optional {
        None => out.push((min, None)),
        Some(optional) => {
            let here = (*optional).min(most - min);
            out.push((min, Some(min + here)));
            *optional -= here;
            while *optional > 0 {
                let here = (*optional).min(most);
                out.push((0, Some(here)));
                *optional -= here;
            }
        }
    }
    out
}

fn literal(out: &mut String, character: char, syntax: &Syntax, special: &str) {
    match character {
        '\t' => out.push_str(r"\t"),
        '\n' => out.push_str(r"\n"),
        '\r' => out.push_str(r"\r"),
        '\u{b}' => out.push_str(r"\v"),
        '\u{c}' => out.push_str(r"\f"),
        control if control.is_control() => {
            out.push_str(&(syntax.code_point)(u32::from(control)));
        }
        plain => {
            if special.contains(plain) {
                out.push('\\');
            }
            out.push(plain);
        }
    }
}
