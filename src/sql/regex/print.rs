//! The tree in an engine's own syntax.

use super::{Node, Shorthand};

/// RE2: DuckDB and Trino. `^` and `$` are the ends of the text there, `$` before no newline.
pub(super) fn re2(node: &Node) -> String {
    let mut out = String::new();
    write(&mut out, node);
    out
}

fn write(out: &mut String, node: &Node) {
    match node {
        Node::Literal(character) => literal(out, *character, r"\.+*?()|[]{}^$"),
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
                literal(out, *first, r"\[]^-&~");
                if first != last {
                    out.push('-');
                    literal(out, *last, r"\[]^-&~");
                }
            }
            out.push(']');
        }
        Node::Start => out.push('^'),
        Node::End => out.push('$'),
        Node::Repeat { node, min, max } => {
            write(out, node);
            match (*min, *max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => out.push_str(&format!("{{{min},}}")),
                (min, Some(max)) if min == max => out.push_str(&format!("{{{min}}}")),
                (min, Some(max)) => out.push_str(&format!("{{{min},{max}}}")),
            }
        }
        Node::Sequence(nodes) => nodes.iter().for_each(|node| write(out, node)),
        Node::Alternatives(branches) => {
            for (index, branch) in branches.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(out, branch);
            }
        }
        Node::Group(inner) => {
            out.push_str("(?:");
            write(out, inner);
            out.push(')');
        }
        Node::Capture(inner) => {
            out.push('(');
            write(out, inner);
            out.push(')');
        }
    }
}

fn literal(out: &mut String, character: char, special: &str) {
    match character {
        '\t' => out.push_str(r"\t"),
        '\n' => out.push_str(r"\n"),
        '\r' => out.push_str(r"\r"),
        '\u{b}' => out.push_str(r"\v"),
        '\u{c}' => out.push_str(r"\f"),
        control if control.is_control() => {
            out.push_str(&format!(r"\x{{{:x}}}", u32::from(control)));
        }
        plain => {
            if special.contains(plain) {
                out.push('\\');
            }
            out.push(plain);
        }
    }
}
