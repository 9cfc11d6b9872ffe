//! Reading a pattern: what the subset names is taken, everything else is refused by its name.

use super::{Node, Refusal, Shorthand};

/// RE2 takes no more, alone or multiplied through nested repetitions.
const MOST_REPEATS: u32 = 1000;
const DEEPEST: usize = 50;
/// Characters of the pattern with every repetition written out; RE2 gives up at a few times that.
const LARGEST: u32 = 10_000;

/// What a plain bracket means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Groups {
    Refused,
    Numbered,
}

/// The tree and the number of capturing groups.
pub(super) fn parse(source: &str, groups: Groups) -> Result<(Node, u8), Refusal> {
    let chars: Vec<char> = source.chars().collect();
    if chars.is_empty() {
        return refuse(
            "empty pattern",
            0,
            "to accept only the empty text, write `^$`",
        );
    }
    if let Some(offset) = chars.iter().position(|c| *c == '\0') {
        return refuse(
            "NUL character",
            offset,
            "no text of a warehouse holds one; leave it out",
        );
    }
    let mut reader = Reader {
        chars: &chars,
        at: 0,
        groups,
        captures: 0,
        depth: 0,
    };
    let root = reader.alternatives()?;
    if reader.peek() == Some(')') {
        return refuse(
            "`)` without group",
            reader.at,
            r"to match the character, write `\)`",
        );
    }
    if written_out(&root) > LARGEST {
        let help = "repetitions multiply; use a `length` rule for long texts";
        return refuse("pattern too large", 0, help);
    }
    Ok((root, reader.captures))
}

/// Every top-level branch starts with `^` and ends with `$`.
pub(super) fn anchored(source: &str, root: &Node) -> Result<(), Refusal> {
    let help = if source.contains(['^', '$']) {
        "a pattern judges the whole value; start the branch with `^` and end it with `$`".to_owned()
    } else {
        format!("a pattern judges the whole value; write `^(?:{source})$`")
    };
    let branches = match root {
        Node::Alternatives(branches) => branches.as_slice(),
        other => std::slice::from_ref(other),
    };
    let offsets = branch_offsets(source);
    for (branch, offset) in branches.iter().zip(offsets) {
        let nodes = match branch {
            Node::Sequence(nodes) => nodes.as_slice(),
            other => std::slice::from_ref(other),
        };
        let starts = nodes.first() == Some(&Node::Start);
        let ends = nodes.last() == Some(&Node::End);
        let construct = match (starts, ends) {
            (true, true) => continue,
            (false, false) if branches.len() == 1 => "pattern without `^` and `$`",
            (false, _) => "branch without `^`",
            (true, false) => "branch without `$`",
        };
        return refuse(construct, offset, &help);
    }
    Ok(())
}

/// Where the top-level branches start, in characters. The source has parsed already.
fn branch_offsets(source: &str) -> Vec<usize> {
    let mut offsets = vec![0];
    let (mut depth, mut in_class, mut escaped) = (0_usize, false, false);
    for (index, character) in source.chars().enumerate() {
        if escaped {
            escaped = false;
            continue;
        }
        match character {
            '\\' => escaped = true,
            ']' => in_class = false,
            '[' => in_class = true,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => offsets.push(index + 1),
            _ => {}
        }
    }
    offsets
}

fn refuse<T>(construct: &str, offset: usize, help: &str) -> Result<T, Refusal> {
    Err(Refusal {
        construct: construct.to_owned(),
        offset,
        help: help.to_owned(),
    })
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    groups: Groups,
    captures: u8,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn alternatives(&mut self) -> Result<Node, Refusal> {
        let mut branches = vec![self.sequence()?];
        while self.peek() == Some('|') {
            self.at += 1;
            branches.push(self.sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.remove(0),
            _ => Node::Alternatives(branches),
        })
    }

    fn sequence(&mut self) -> Result<Node, Refusal> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut needed = 0_u32;
        let mut last_end = None;
        while let Some(character) = self.peek() {
            if matches!(character, '|' | ')') {
                break;
            }
            let offset = self.at;
            let node = self.atom()?;
            let node = self.quantified(node)?;
            let least = least_length(&node);
            if let (Some(end), true) = (last_end, least > 0) {
                return never_matches(end);
            }
            if node == Node::Start && needed > 0 {
                return never_matches(offset);
            }
            if node == Node::End {
                last_end = Some(offset);
            }
            needed = needed.saturating_add(least);
            nodes.push(node);
        }
        Ok(match nodes.len() {
            1 => nodes.remove(0),
            _ => Node::Sequence(nodes),
        })
    }

    fn atom(&mut self) -> Result<Node, Refusal> {
        let offset = self.at;
        let Some(character) = self.peek() else {
            return Ok(Node::Sequence(Vec::new()));
        };
        match character {
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape(),
            '*' | '+' | '?' => refuse(
                "quantifier without operand",
                offset,
                &format!("to match the character, write `\\{character}`"),
            ),
            '{' | '}' | ']' => refuse(
                &format!("unescaped `{character}`"),
                offset,
                &format!(
                    "engines read it differently; to match the character, write `\\{character}`"
                ),
            ),
            '.' => self.one(Node::Any),
            '^' => self.one(Node::Start),
            '$' => self.one(Node::End),
            plain => self.one(Node::Literal(plain)),
        }
    }

    fn one(&mut self, node: Node) -> Result<Node, Refusal> {
        self.at += 1;
        Ok(node)
    }

    fn quantified(&mut self, node: Node) -> Result<Node, Refusal> {
        let offset = self.at;
        let Some((min, max)) = self.quantifier()? else {
            return Ok(node);
        };
        if matches!(node, Node::Start | Node::End) {
            return refuse(
                "quantifier on an anchor",
                offset,
                "an anchor holds once; drop it",
            );
        }
        let behind = self.at;
        match self.peek() {
            Some('?') => {
                return refuse(
                    "lazy quantifier",
                    behind,
                    "engines disagree about it; say with a class what may stand there",
                );
            }
            Some('+') => {
                return refuse("possessive quantifier", behind, "drop the `+` behind it");
            }
            Some('*' | '{') if self.peek() == Some('*') || self.repetition_ahead() => {
                return refuse(
                    "doubled quantifier",
                    behind,
                    "put the inner part in a group: `(?:a{2}){3}`",
                );
            }
            _ => {}
        }
        let node = Node::Repeat {
            node: Box::new(node),
            min,
            max,
        };
        if repeats(&node) > MOST_REPEATS {
            return refuse(
                "bad repetition",
                offset,
                &format!("repetitions multiply; {MOST_REPEATS} in all is the most"),
            );
        }
        Ok(node)
    }

    /// A well-formed `{n}`, `{n,}` or `{n,m}` starts here.
    fn repetition_ahead(&self) -> bool {
        let rest = &self.chars[self.at.min(self.chars.len())..];
        let Some(close) = rest.iter().position(|c| *c == '}') else {
            return false;
        };
        rest[0] == '{'
            && close > 1
            && rest[1].is_ascii_digit()
            && rest[1..close]
                .iter()
                .all(|c| c.is_ascii_digit() || *c == ',')
            && rest[1..close].iter().filter(|c| **c == ',').count() < 2
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Refusal> {
        let simple = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') if self.repetition_ahead() => return self.repetition().map(Some),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(simple))
    }

    fn repetition(&mut self) -> Result<(u32, Option<u32>), Refusal> {
        let offset = self.at;
        let digits: String = self.chars[self.at + 1..]
            .iter()
            .take_while(|c| **c != '}')
            .collect();
        self.at += digits.chars().count() + 2;
        let bound = |text: &str| match text.parse::<u32>() {
            Ok(count) if count <= MOST_REPEATS => Ok(count),
            _ => refuse(
                "bad repetition",
                offset,
                &format!("{MOST_REPEATS} is the most"),
            ),
        };
        match digits.split_once(',') {
            None => {
                let count = bound(&digits)?;
                Ok((count, Some(count)))
            }
            Some((min, "")) => Ok((bound(min)?, None)),
            Some((min, max)) => {
                let (min, max) = (bound(min)?, bound(max)?);
                if max < min {
                    return refuse("bad repetition", offset, "put the smaller number first");
                }
                Ok((min, Some(max)))
            }
        }
    }

    fn group(&mut self) -> Result<Node, Refusal> {
        let offset = self.at;
        let capturing = if self.starts_with("(?:") {
            self.at += 3;
            false
        } else if self.starts_with("(?") {
            let (construct, help) = self.special_group();
            return refuse(construct, offset, help);
        } else if self.starts_with("(*") {
            return refuse("backtracking verb", offset, "write the pattern without it");
        } else {
            match self.groups {
                Groups::Refused => {
                    return refuse(
                        "capturing group",
                        offset,
                        "a rule captures nothing; write `(?:…)`",
                    );
                }
                Groups::Numbered => {}
            }
            self.at += 1;
            self.captures = match self.captures {
                9 => return refuse("capturing group", offset, "nine groups are the most"),
                fewer => fewer + 1,
            };
            true
        };
        if self.depth == DEEPEST {
            return refuse(
                "nesting",
                offset,
                &format!("{DEEPEST} groups deep is the most"),
            );
        }
        self.depth += 1;
        let inner = Box::new(self.alternatives()?);
        self.depth -= 1;
        if self.peek() != Some(')') {
            return refuse("group without `)`", offset, r"close it, or write `\(`");
        }
        self.at += 1;
        Ok(if capturing {
            Node::Capture(inner)
        } else {
            Node::Group(inner)
        })
    }

    /// What stands behind `(?`, by name, and what to do instead.
    fn special_group(&self) -> (&'static str, &'static str) {
        const RULES: &str = "say it with two rules, or with an `expression` rule";
        const PLAIN: &str = "write `(?:…)`";
        for (start, construct, help) in [
            ("(?=", "lookahead", RULES),
            ("(?!", "negative lookahead", RULES),
            ("(?<=", "lookbehind", RULES),
            ("(?<!", "negative lookbehind", RULES),
            ("(?<", "named group", PLAIN),
            ("(?'", "named group", PLAIN),
            ("(?P<", "named group", PLAIN),
            ("(?P=", "backreference", "write the repeated part out"),
            ("(?P>", "recursion", "write the repeated part out"),
            ("(?R", "recursion", "write the repeated part out"),
            ("(?>", "atomic group", PLAIN),
            ("(?#", "comment", "put it in the rule's `description`"),
            ("(?|", "branch reset", PLAIN),
            ("(?(", "conditional", "write both cases with `|`"),
        ] {
            if self.starts_with(start) {
                return (construct, help);
            }
        }
        (
            "inline flags",
            "write both cases of a letter as a class: `[Aa]`",
        )
    }

    /// An escape outside a class.
    fn escape(&mut self) -> Result<Node, Refusal> {
        let shorthand = |class, negated| Node::Shorthand { class, negated };
        let node = match self.chars.get(self.at + 1) {
            Some('d') => shorthand(Shorthand::Digit, false),
            Some('D') => shorthand(Shorthand::Digit, true),
            Some('w') => shorthand(Shorthand::Word, false),
            Some('W') => shorthand(Shorthand::Word, true),
            Some('s') => shorthand(Shorthand::Space, false),
            Some('S') => shorthand(Shorthand::Space, true),
            _ => return self.escaped_literal().map(Node::Literal),
        };
        self.at += 2;
        Ok(node)
    }

    /// An escaped character, inside or outside a class.
    fn escaped_literal(&mut self) -> Result<char, Refusal> {
        let offset = self.at;
        let Some(escaped) = self.chars.get(offset + 1).copied() else {
            return refuse(
                "trailing backslash",
                offset,
                r"to match the character, write `\\`",
            );
        };
        let literal = match escaped {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            punctuation if punctuation.is_ascii_punctuation() => punctuation,
            other => {
                let (construct, help) = other_escape(other);
                return refuse(&construct, offset, help);
            }
        };
        self.at += 2;
        Ok(literal)
    }

    fn class(&mut self) -> Result<Node, Refusal> {
        let offset = self.at;
        self.at += 1;
        let negated = self.peek() == Some('^');
        if negated {
            self.at += 1;
        }
        let mut ranges = Vec::new();
        let mut behind_range = false;
        loop {
            let start = self.at;
            let Some(character) = self.peek() else {
                return refuse("class without `]`", offset, r"close it, or write `\[`");
            };
            if character == ']' {
                break;
            }
            let closes = self.chars.get(start + 1) == Some(&']');
            if character == '-' && !ranges.is_empty() && (behind_range || !closes) {
                let help = r"to match the character, put `-` first or last, or write `\-`";
                if !closes {
                    return refuse("bad range", start, help);
                }
            }
            let first = self.class_character()?;
            let has_last = self.peek() == Some('-')
                && self.chars.get(self.at + 1).is_some_and(|next| *next != ']');
            let last = if has_last {
                self.at += 1;
                self.class_character()?
            } else {
                first
            };
            if last < first {
                return refuse("bad range", start, "put the smaller character first");
            }
            behind_range = has_last;
            ranges.push((first, last));
        }
        self.at += 1;
        if ranges.is_empty() {
            return refuse(
                "empty class",
                offset,
                r"name its characters; `\]` matches a bracket",
            );
        }
        Ok(Node::Class { ranges, negated })
    }

    fn class_character(&mut self) -> Result<char, Refusal> {
        let offset = self.at;
        let Some(character) = self.peek() else {
            return refuse("class without `]`", offset, r"close it, or write `\[`");
        };
        match character {
            '[' => match self.chars.get(offset + 1) {
                Some(':') => refuse("POSIX class", offset, "write its characters: `A-Za-z`"),
                Some('.' | '=') => refuse("collating element", offset, "write its characters"),
                _ => refuse(
                    "unescaped `[` in a class",
                    offset,
                    r"to match the character, write `\[`",
                ),
            },
            '&' | '~' if self.chars.get(offset + 1) == Some(&character) => refuse(
                "class operator",
                offset,
                "write the resulting characters, or escape one of the pair",
            ),
            '\\' => match self.chars.get(offset + 1) {
                Some('d' | 'D' | 'w' | 'W' | 's' | 'S') => refuse(
                    "shorthand in a class",
                    offset,
                    "write its characters: `0-9`, `A-Za-z0-9_`",
                ),
                _ => self.escaped_literal(),
            },
            plain => {
                self.at += 1;
                Ok(plain)
            }
        }
    }
}

fn never_matches<T>(offset: usize) -> Result<T, Refusal> {
    refuse(
        "anchor that can never match",
        offset,
        r"to match the character, escape it: `\^`, `\$`",
    )
}

fn other_escape(escaped: char) -> (String, &'static str) {
    const WRITE: &str = "write the character itself";
    let (construct, help) = match escaped {
        '1'..='9' | 'k' | 'g' => ("backreference", "write the repeated part out"),
        'A' | 'Z' | 'z' | 'G' => {
            return (
                format!("anchor `\\{escaped}`"),
                "write `^` and `$`; they mean the whole text",
            );
        }
        'b' | 'B' | 'm' | 'M' | 'y' | 'Y' => (
            "word boundary",
            "say with classes what may stand on either side",
        ),
        'p' | 'P' | 'X' => (
            "Unicode property",
            "write the characters, or use a `charset` rule",
        ),
        'x' | 'u' | 'U' | '0' | 'N' | 'o' => ("code point escape", WRITE),
        'c' | 'a' | 'e' => ("control character escape", WRITE),
        'Q' | 'E' => ("quoted text", "escape each character with a backslash"),
        'K' => ("match reset", "write the pattern without it"),
        'h' | 'H' | 'R' => ("space shorthand", "write the characters as a class"),
        _ => return (format!("escape `\\{escaped}`"), WRITE),
    };
    (construct.to_owned(), help)
}

/// The fewest characters a text must have to match.
fn least_length(node: &Node) -> u32 {
    match node {
        Node::Literal(_) | Node::Any | Node::Shorthand { .. } | Node::Class { .. } => 1,
        Node::Start | Node::End => 0,
        Node::Repeat { node, min, max: _ } => least_length(node).saturating_mul(*min),
        Node::Sequence(nodes) => nodes.iter().map(least_length).fold(0, u32::saturating_add),
        Node::Alternatives(branches) => branches.iter().map(least_length).min().unwrap_or(0),
        Node::Group(inner) | Node::Capture(inner) => least_length(inner),
    }
}

/// How many characters and classes the pattern has with every repetition written out.
fn written_out(node: &Node) -> u32 {
    match node {
        Node::Literal(_)
        | Node::Any
        | Node::Shorthand { .. }
        | Node::Class { .. }
        | Node::Start
        | Node::End => 1,
        Node::Repeat { node, min, max } => {
            written_out(node).saturating_mul(max.unwrap_or(*min).max(1))
        }
        Node::Sequence(nodes) | Node::Alternatives(nodes) => {
            nodes.iter().map(written_out).fold(0, u32::saturating_add)
        }
        Node::Group(inner) | Node::Capture(inner) => written_out(inner),
    }
}

/// The largest product of nested repetition counts.
fn repeats(node: &Node) -> u32 {
    match node {
        Node::Literal(_)
        | Node::Any
        | Node::Shorthand { .. }
        | Node::Class { .. }
        | Node::Start
        | Node::End => 1,
        Node::Repeat { node, min, max } => repeats(node).saturating_mul(max.unwrap_or(*min).max(1)),
        Node::Sequence(nodes) | Node::Alternatives(nodes) => {
            nodes.iter().map(repeats).max().unwrap_or(1)
        }
        Node::Group(inner) | Node::Capture(inner) => repeats(inner),
    }
}
