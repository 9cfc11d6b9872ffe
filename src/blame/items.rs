//! Lines that belong together: an expression and its continuation, an entry of a YAML list. The
//! layout of generated text says it, one item a line and its parts further in.

use std::collections::BTreeSet;

use super::{Origin, Page};

pub struct Items {
    /// The item of each line; `None` for blank ones.
    of_line: Vec<Option<usize>>,
    /// The item that each item is a part of.
    outer: Vec<Option<usize>>,
    indent: Vec<usize>,
    indent_of_line: Vec<usize>,
}

impl Items {
    pub fn of(lines: &[&str], page: Page) -> Self {
        let mut items = Self {
            of_line: Vec::with_capacity(lines.len()),
            outer: Vec::new(),
            indent: Vec::new(),
            indent_of_line: Vec::with_capacity(lines.len()),
        };
        // The open items, outermost first, and whether the next line beside one begins another.
        let mut open: Vec<(usize, bool)> = Vec::new();
        let mut scanner = Inside::Nothing;
        for line in lines {
            let is_in_text = scanner != Inside::Nothing;
            if !page.is_yaml() {
                scanner = scanner.behind(line);
            }
            // What is inside of a text is no layout.
            if is_in_text {
                items.indent_of_line.push(usize::MAX);
                items.of_line.push(open.last().map(|(id, _)| *id));
                if let Some((_, is_closed)) = open.last_mut() {
                    *is_closed = line.ends_with(',');
                }
                continue;
            }
            let text = line.trim();
            let indent = line.len() - line.trim_start().len();
            items.indent_of_line.push(indent);
            if text.is_empty() {
                items.of_line.push(None);
                continue;
            }
            while open
                .last()
                .is_some_and(|(id, _)| items.indent[*id] > indent)
            {
                open.pop();
            }
            let goes_on = open.last().is_some_and(|(id, is_closed)| {
                items.indent[*id] == indent && !is_closed && !begins(text, page)
            });
            if !goes_on {
                if open
                    .last()
                    .is_some_and(|(id, _)| items.indent[*id] == indent)
                {
                    open.pop();
                }
                items.outer.push(open.last().map(|(id, _)| *id));
                items.indent.push(indent);
                open.push((items.indent.len() - 1, false));
            }
            if let Some((id, is_closed)) = open.last_mut() {
                *is_closed = text.ends_with(',');
                items.of_line.push(Some(*id));
            }
        }
        items
    }

    /// For each line what the items around it are about: what is named on their outermost lines.
    pub fn reasons(&self, own: &[Vec<Origin>]) -> Vec<BTreeSet<Origin>> {
        let mut named: Vec<BTreeSet<Origin>> = vec![BTreeSet::new(); self.indent.len()];
        for (at, item) in self.of_line.iter().enumerate() {
            if let Some(item) = item
                && self.indent_of_line[at] == self.indent[*item]
            {
                named[*item].extend(own[at].iter().cloned());
            }
        }
        let around = |item: &Option<usize>| {
            let mut found = BTreeSet::new();
            let mut at = *item;
            while let Some(item) = at {
                found.extend(named[item].iter().cloned());
                at = self.outer[item];
            }
            found
        };
        self.of_line.iter().map(around).collect()
    }
}

/// What a line ends inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Quotes(char),
}

impl Inside {
    fn behind(self, line: &str) -> Self {
        let mut inside = self;
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let mut taken = first.len_utf8();
            inside = match (inside, first) {
                (Self::Nothing, '\'' | '"') => Self::Quotes(first),
                (Self::Quotes(quote), _) if quote == first => Self::Nothing,
                (Self::Nothing, _) if rest.starts_with("--") => return inside,
                (Self::Nothing, _) if rest.starts_with("/*") || rest.starts_with("{#") => {
                    let end = rest.find("*/").or_else(|| rest.find("#}"));
                    taken = end.map_or(rest.len(), |end| end + 2);
                    inside
                }
                (Self::Nothing | Self::Quotes(_), _) => inside,
            };
            rest = &rest[taken..];
        }
        inside
    }
}

/// Words that begin a clause; in YAML every line does.
fn begins(text: &str, page: Page) -> bool {
    const CLAUSES: [&str; 16] = [
        "SELECT",
        "FROM ",
        "WHERE",
        "GROUP BY",
        "HAVING",
        "QUALIFY",
        "ORDER BY",
        "JOIN ",
        "LEFT JOIN",
        "CROSS JOIN",
        "UNION ALL",
        "WITH ",
        "), ",
        "{%",
        "{{",
        "{#",
    ];
    page.is_yaml() || CLAUSES.iter().any(|clause| text.starts_with(clause))
}
