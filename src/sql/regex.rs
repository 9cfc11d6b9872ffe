//! The portable regex subset as a tree: what every engine reads alike, and nothing else.
//! It matches nothing itself; a dialect prints the tree in its engine's own syntax.

mod branches;
mod parse;
mod print;

/// A checked pattern. The tree and the text always belong together, so both are private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regex {
    source: String,
    root: Node,
    groups: u8,
}

/// One piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Literal(char),
    /// Any character but a newline.
    Any,
    Shorthand {
        class: Shorthand,
        negated: bool,
    },
    /// Inclusive ranges in the order written.
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    /// The start of the text, never of a line.
    Start,
    /// The end of the text, never in front of a last newline.
    End,
    /// `max: None` is without bound.
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// Possibly empty.
    Sequence(Vec<Node>),
    /// Two or more branches, the first that fits wins.
    Alternatives(Vec<Node>),
    Group(Box<Node>),
    /// Numbered from 1, in the order of the opening brackets.
    Capture(Box<Node>),
}

/// ASCII on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shorthand {
    Digit,
    Word,
    Space,
}

/// Why a pattern is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The construct by name: "lookahead", "POSIX class".
    pub construct: String,
    /// 0-based, in characters.
    pub offset: usize,
    pub help: String,
}

impl Regex {
    /// A pattern that judges a whole value: no capturing group, every branch anchored.
    pub fn parse(source: &str) -> Result<Self, Refusal> {
        let (root, groups) = parse::parse(source, parse::Groups::Refused)?;
        parse::anchored(source, &root)?;
        Ok(Self {
            source: source.to_owned(),
            root,
            groups,
        })
    }

    /// A pattern that finds a part of a value: capturing groups allowed, anchors not needed. Branches
    /// have to exclude each other, because some engines take the first that fits and some the longest.
    pub fn parse_capturing(source: &str) -> Result<Self, Refusal> {
        let (root, groups) = parse::parse(source, parse::Groups::Numbered)?;
        if branches::overlap(&root) {
            return Err(Refusal {
                construct: "branches that can begin alike".to_owned(),
                offset: source.chars().take_while(|c| *c != '|').count(),
                help: "write what they share once, in front of the branches, as in `J(?:an|un)`; \
                       a shorter branch beside a longer one becomes `ab?`"
                    .to_owned(),
            });
        }
        Ok(Self {
            source: source.to_owned(),
            root,
            groups,
        })
    }

    /// As written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// How many capturing groups it has.
    #[must_use]
    pub fn groups(&self) -> u8 {
        self.groups
    }

    /// The pattern in RE2 syntax, every class explicit.
    #[must_use]
    pub fn re2(&self) -> String {
        print::re2(&self.root)
    }

    /// The pattern as an advanced regular expression of PostgreSQL, every class explicit.
    #[must_use]
    pub fn are(&self) -> String {
        print::are(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::Regex;

    fn prints(source: &str, expected: &str) {
        let regex = Regex::parse(source).unwrap_or_else(|r| panic!("{source}: {r:?}"));
        assert_eq!(regex.re2(), expected, "{source}");
        assert_eq!(regex.source(), source);
    }

    fn refused(source: &str, construct: &str, offset: usize) {
        let Err(refusal) = Regex::parse(source) else {
            panic!("{source} was taken")
        };
        assert_eq!(
            (refusal.construct.as_str(), refusal.offset),
            (construct, offset),
            "{source}"
        );
        assert!(!refusal.help.is_empty(), "{source}");
    }

    #[test]
    fn the_subset_prints_explicit_classes() {
        for (source, expected) in [
            ("^[0-9]{5}$", "^[0-9]{5}$"),
            (r"^\d{4}-[A-Z]{2}$", "^[0-9]{4}-[A-Z]{2}$"),
            (
                r"^\D\W\S\w\s$",
                r"^[^0-9][^A-Za-z0-9_][^ \t\n\r\f\v][A-Za-z0-9_][ \t\n\r\f\v]$",
            ),
            ("^.*$", r"^[^\n]*$"),
            ("^a$|^b$", "^a$|^b$"),
            ("^(?:a|b|)+$", "^(?:a|b|)+$"),
            ("^[^@]+@[^@]+$", "^[^@]+@[^@]+$"),
            (r"^a\.b\\c\-d\/$", r"^a\.b\\c-d/$"),
            (r"^[-a.\]\\^]$", r"^[\-a.\]\\\^]$"),
            ("^[a-]$", r"^[a\-]$"),
            ("^x{2,}y{0,3}z?$", "^x{2,}y{0,3}z?$"),
            ("^é😀$", "^é😀$"),
            (r"^\t$", r"^\t$"),
            ("^$", "^$"),
            ("^{{3}$", ""),
        ] {
            if expected.is_empty() {
                refused(source, "unescaped `{`", 1);
            } else {
                prints(source, expected);
            }
        }
    }

    #[test]
    fn other_constructs_are_refused_by_name() {
        for (source, construct, offset) in [
            ("[0-9]{5}", "pattern without `^` and `$`", 0),
            ("^a|b$", "branch without `$`", 0),
            ("^a$|b$", "branch without `^`", 4),
            ("(?:^a$)", "pattern without `^` and `$`", 0),
            ("", "empty pattern", 0),
            ("^(?=a)b$", "lookahead", 1),
            ("^(?!a)b$", "negative lookahead", 1),
            ("^(?<=a)b$", "lookbehind", 1),
            ("^(?<!a)b$", "negative lookbehind", 1),
            ("^(?<n>a)$", "named group", 1),
            ("^(?P<n>a)$", "named group", 1),
            ("^(?P=n)$", "backreference", 1),
            ("^(?>a)$", "atomic group", 1),
            ("^(?#note)a$", "comment", 1),
            ("(?i)^a$", "inline flags", 0),
            ("^(?i:a)$", "inline flags", 1),
            ("^(?|a)$", "branch reset", 1),
            ("^(?(1)a)$", "conditional", 1),
            ("^(*FAIL)$", "backtracking verb", 1),
            ("^(a)$", "capturing group", 1),
            (r"^\1$", "backreference", 1),
            (r"^\k<n>$", "backreference", 1),
            (r"\Aa\z", "anchor `\\A`", 0),
            (r"^a\Z", "anchor `\\Z`", 2),
            (r"^\bword\b$", "word boundary", 1),
            (r"^\p{L}$", "Unicode property", 1),
            (r"^\x41$", "code point escape", 1),
            (r"^\Qa\E$", "quoted text", 1),
            (r"^\q$", "escape `\\q`", 1),
            ("^a*?$", "lazy quantifier", 3),
            ("^a++$", "possessive quantifier", 3),
            ("^a**$", "doubled quantifier", 3),
            ("^a{2}{3}$", "doubled quantifier", 5),
            ("^*$", "quantifier on an anchor", 1),
            ("*a$", "quantifier without operand", 0),
            ("^(?:+a)$", "quantifier without operand", 4),
            ("^a|+b$", "quantifier without operand", 3),
            ("^a{3,2}$", "bad repetition", 2),
            ("^a{1001}$", "bad repetition", 2),
            ("^a{99999999999999999999}$", "bad repetition", 2),
            ("^a{,3}$", "unescaped `{`", 2),
            ("^(?:a{100}){100}$", "bad repetition", 11),
            ("^[[:alpha:]]$", "POSIX class", 2),
            ("^[[a]]$", "unescaped `[` in a class", 2),
            ("^[]$", "empty class", 1),
            ("^[^]$", "empty class", 1),
            ("^[z-a]$", "bad range", 2),
            (r"^[\d]$", "shorthand in a class", 2),
            ("^[a&&b]$", "class operator", 3),
            ("^[a-c-e]$", "bad range", 5),
            ("^[abc$", "class without `]`", 1),
            ("^(?:a$", "group without `)`", 1),
            ("^a)$", "`)` without group", 2),
            ("^a]$", "unescaped `]`", 2),
            ("^a}$", "unescaped `}`", 2),
            ("^a\\", "trailing backslash", 2),
            ("^a$b$", "anchor that can never match", 2),
            ("^a^b$", "anchor that can never match", 2),
            ("^a\0$", "NUL character", 2),
            (
                &format!("^{}$", ".{1000}".repeat(11)),
                "pattern too large",
                0,
            ),
        ] {
            refused(source, construct, offset);
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let source = format!("^{}a{}$", "(?:".repeat(10_000), ")".repeat(10_000));
        refused(&source, "nesting", 1 + 3 * 50);
    }

    #[test]
    fn an_extracting_pattern_may_capture_and_needs_no_anchor() {
        let regex = Regex::parse_capturing(r"no-(\d+)(?:x|(y))").expect("in the subset");
        assert_eq!(regex.groups(), 2);
        assert_eq!(regex.re2(), "no-([0-9]+)(?:x|(y))");
        assert!(Regex::parse_capturing(r"(a)\1").is_err());
    }

    #[test]
    fn branches_of_an_extracting_pattern_exclude_each_other() {
        for source in [
            "(kg|g|lb)",
            "Jan|Jun",
            "a$|ab",
            "no-([0-9]+|[a-z]+)",
            "x(?:[0-9]{2}-|[0-9]{3}-)",
            r"(?:\d|\D)",
            "^a$|^b$",
        ] {
            assert!(Regex::parse_capturing(source).is_ok(), "{source}");
        }
        for source in [
            "a|ab",
            "(?:a|ab)(c|bcd)?",
            "x(?:[0-9]+|1)",
            "(?:.|a)b",
            "(a|)",
            "(?:a?|b)",
            r"\w|_x",
            "((?:a|b)|a)",
        ] {
            let refusal = Regex::parse_capturing(source).expect_err(source);
            assert_eq!(
                refusal.construct, "branches that can begin alike",
                "{source}"
            );
        }
        // A pattern that judges only says whether it fits.
        assert!(Regex::parse("^a$|^ab$").is_ok());
    }
}
