//! Lays `Sql` out as text: parentheses, quotes, and line breaks where a piece grows wide.
//!
//! The layout is that of SQLGlot's pretty printer (a piece whose parts sum to more than 80
//! characters is broken), so that `sqlmesh format` finds nothing to change in a generated model.

use std::iter::repeat_n;

use memchr::{memchr_iter, memchr2_iter};

use super::text::{Level, Sql};

/// Small differences between what people write by hand and what SQLGlot prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `x IS NOT NULL`, `x NOT IN (…)`, `DESC NULLS LAST`.
    Plain,
    /// `NOT x IS NULL`, `NOT x IN (…)`, and no `NULLS LAST` where it is the engine's default; text
    /// that SQLMesh would read as a template is built from pieces.
    Sqlglot,
}

const WIDTH: usize = 80;

#[must_use]
pub fn print(sql: &Sql, style: Style) -> String {
    let mut out = String::new();
    write(sql, style, &mut out);
    out
}

/// Behind what `out` holds.
pub fn write(sql: &Sql, style: Style, out: &mut String) {
    let blanks = Vec::new();
    Printer { style, out, blanks }.print(sql, Level::Or);
}

/// A dotted, quoted name.
#[must_use]
pub fn name(parts: &[String]) -> String {
    let mut out = String::new();
    write_name(parts, &mut out);
    out
}

/// The same, behind what `out` holds.
pub fn write_name<'n>(parts: impl IntoIterator<Item = &'n String>, out: &mut String) {
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push('.');
        }
        write_quoted(part, out);
    }
}

/// Every line but the first moved right by `by` spaces; lines inside a text literal stay.
#[must_use]
pub fn indent(text: &str, by: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    write_indented(text, by, &mut out);
    out
}

fn write_indented(text: &str, by: usize, out: &mut String) {
    let mut in_text = false;
    let mut written = 0;
    for at in memchr2_iter(b'\'', b'\n', text.as_bytes()) {
        if text.as_bytes()[at] == b'\'' {
            in_text = !in_text;
        } else if !in_text {
            out.push_str(&text[written..=at]);
            out.extend(repeat_n(' ', by));
            written = at + 1;
        }
    }
    out.push_str(&text[written..]);
}

/// Our own helper columns start with `_` and are written in lower case; all other names are quoted.
fn write_quoted(part: &str, out: &mut String) {
    let ours = part.starts_with('_')
        && part
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if ours || is_plain(part) {
        out.push_str(part);
    } else {
        out.push('"');
        write_doubled(part, b'"', out);
        out.push('"');
    }
}

/// The text with each of these quotes written twice.
fn write_doubled(text: &str, quote: u8, out: &mut String) {
    let mut written = 0;
    for at in memchr_iter(quote, text.as_bytes()) {
        out.push_str(&text[written..=at]);
        written = at;
    }
    out.push_str(&text[written..]);
}

/// Names of our own CTEs, aliases and columns that are plain on every engine.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "admitted"
            | "coerced"
            | "delivered"
            | "diverted"
            | "ended"
            | "entity"
            | "failed_rules"
            | "first_seen"
            | "held"
            | "judged"
            | "key_values"
            | "last_evaluated_at"
            | "last_seen"
            | "latest"
            | "ledger"
            | "mapping"
            | "mapping_version"
            | "newest"
            | "passing"
            | "raw"
            | "redelivered"
            | "reject_id"
            | "repeated"
            | "resolution"
            | "resolved_at"
            | "rules"
            | "settled"
            | "source"
            | "source_relation"
            | "stage"
            | "superseded"
            | "valid_from"
            | "valid_to"
    )
}

/// Writes piece behind piece into one text. A piece that turns out to be wide, or to need
/// parentheses, is mended in its place.
struct Printer<'o> {
    style: Style,
    out: &'o mut String,
    /// Where the blanks between the parts of every open row are, those of the innermost row last.
    blanks: Vec<usize>,
}

/// Parts beside each other that become lines when they are wide together.
struct Row {
    start: usize,
    first_blank: usize,
    is_empty: bool,
    /// Between two parts, in front of the blank.
    separator: &'static str,
}

impl Printer<'_> {
    fn print(&mut self, sql: &Sql, at_least: Level) {
        let start = self.out.len();
        if self.piece(sql) < at_least {
            self.wrap(start);
        }
    }

    /// Puts what was written since `start` in parentheses.
    fn wrap(&mut self, start: usize) {
        match self.style {
            Style::Plain => self.out.insert(start, '('),
            Style::Sqlglot => {
                self.out.insert(start, '(');
                self.move_to_own_lines(start + 1);
            }
        }
        self.out.push(')');
    }

    /// Writes the piece and says how tightly it binds.
    fn piece(&mut self, sql: &Sql) -> Level {
        match sql {
            Sql::Word(word) => {
                self.out.push_str(word);
                Level::Primary
            }
            Sql::Text(text) => self.text(text),
            Sql::Name(parts) => {
                write_name(parts, self.out);
                Level::Primary
            }
            Sql::Call(function, arguments) => {
                self.out.push_str(function);
                self.bracketed("(", arguments, ")");
                Level::Primary
            }
            Sql::CallPairs(function, pairs) => {
                self.out.push_str(function);
                self.out.push('(');
                let mut row = self.row(",");
                for (key, value) in pairs {
                    self.part(&mut row);
                    self.print(key, Level::Or);
                    self.out.push_str(", ");
                    self.print(value, Level::Or);
                }
                self.break_if_wide(row);
                self.out.push(')');
                Level::Primary
            }
            Sql::Cast(value, ty) => self.cast(value, ty),
            Sql::TryCast(value, ty) => {
                self.out.push_str("TRY_CAST(");
                self.print(value, Level::Or);
                self.out.extend([" AS ", ty, ")"]);
                Level::Primary
            }
            Sql::Case { arms, otherwise } => {
                self.case(arms, otherwise.as_deref());
                Level::Primary
            }
            Sql::Chain {
                level,
                operator,
                operands,
            } => {
                self.chain(*level, operator, operands);
                *level
            }
            Sql::Not(value) => {
                self.out.push_str("NOT ");
                self.print(value, Level::Comparison);
                Level::Not
            }
            Sql::IsNull(value) => {
                self.print(value, Level::Operator);
                self.out.push_str(" IS NULL");
                Level::Comparison
            }
            Sql::IsNotNull(value) => {
                let (level, not) = self.negation(true);
                self.out.push_str(not.in_front);
                self.print(value, Level::Operator);
                self.out.extend([" IS ", not.inside, "NULL"]);
                level
            }
            Sql::In {
                value,
                list,
                negated,
            } => {
                let (level, not) = self.negation(*negated);
                self.out.push_str(not.in_front);
                self.print(value, Level::Operator);
                self.out.extend([" ", not.inside, "IN "]);
                self.bracketed("(", list, ")");
                level
            }
            Sql::Between {
                value,
                low,
                high,
                negated,
            } => {
                let (level, not) = self.negation(*negated);
                self.out.push_str(not.in_front);
                self.print(value, Level::Operator);
                self.out.extend([" ", not.inside, "BETWEEN "]);
                self.print(low, Level::Operator);
                self.out.push_str(" AND ");
                self.print(high, Level::Operator);
                level
            }
            Sql::Like {
                value,
                pattern,
                negated,
            } => {
                self.print(value, Level::Operator);
                self.out
                    .push_str(if *negated { " NOT LIKE " } else { " LIKE " });
                self.print(pattern, Level::Operator);
                Level::Comparison
            }
            Sql::Negate(value) => {
                self.out.push('-');
                let start = self.out.len();
                self.print(value, Level::Unary);
                if self.out[start..].starts_with('-') {
                    self.out.insert(start, ' ');
                }
                Level::Unary
            }
            Sql::Array(keyword, items) => {
                self.out.push_str(keyword);
                self.bracketed("[", items, "]");
                Level::Primary
            }
            Sql::Parenthesised(value) => {
                let start = self.out.len();
                self.print(value, Level::Or);
                self.wrap(start);
                Level::Primary
            }
            Sql::Item(value, index) => {
                self.print(value, Level::Postfix);
                self.out.extend(["[", &index.to_string(), "]"]);
                Level::Postfix
            }
            Sql::Member(value, member) => {
                self.print(value, Level::Postfix);
                self.out.push('.');
                write_quoted(member, self.out);
                Level::Postfix
            }
            Sql::Lambda(parameter, body) => {
                self.out.extend(["LAMBDA ", parameter, " : "]);
                self.print(body, Level::Or);
                Level::Or
            }
            Sql::AtTimeZone(value, zone) => {
                self.print(value, Level::Postfix);
                self.out.push_str(" AT TIME ZONE ");
                self.print(&Sql::text(zone), Level::Primary);
                Level::Postfix
            }
            // `||` binds tighter for some parsers, looser for others: so it always gets its brackets.
            Sql::Collate(value, collation) => {
                self.print(value, Level::Postfix);
                self.out.extend([" COLLATE \"", collation, "\""]);
                Level::Operator
            }
            Sql::Arrows(document, steps) => {
                self.print(document, Level::Postfix);
                for (operator, operand) in steps {
                    self.out.extend([" ", operator, " "]);
                    self.print(operand, Level::Postfix);
                }
                Level::Operator
            }
            Sql::Interval(amount, unit) => {
                self.out
                    .extend(["INTERVAL '", &amount.to_string(), "' ", unit]);
                Level::Primary
            }
            Sql::Extract(part, value) => {
                self.out.extend(["EXTRACT(", part, " FROM "]);
                self.print(value, Level::Or);
                self.out.push(')');
                Level::Primary
            }
            Sql::Substring { text, from, length } => {
                self.out.push_str("SUBSTRING(");
                self.print(text, Level::Or);
                self.out.push_str(" FROM ");
                self.print(from, Level::Or);
                if let Some(length) = length {
                    self.out.push_str(" FOR ");
                    self.print(length, Level::Or);
                }
                self.out.push(')');
                Level::Primary
            }
            Sql::RowNumber {
                partition,
                newest_first,
                puts_nulls_last,
            } => {
                self.out.push_str("ROW_NUMBER()");
                self.over(partition, Some((newest_first, *puts_nulls_last)));
                Level::Primary
            }
            Sql::CountDistinctOver { value, partition } => {
                self.out.push_str("COUNT(DISTINCT ");
                self.print(value, Level::Or);
                self.out.push(')');
                self.over(partition, None);
                Level::Primary
            }
            Sql::CountOver { partition } => {
                self.out.push_str("COUNT(*)");
                self.over(partition, None);
                Level::Primary
            }
        }
    }

    /// Where the NOT of a comparison goes, and how tightly the comparison binds with it.
    fn negation(&self, is_negated: bool) -> (Level, Negation) {
        let (level, in_front, inside) = match (is_negated, self.style) {
            (false, Style::Plain | Style::Sqlglot) => (Level::Comparison, "", ""),
            (true, Style::Plain) => (Level::Comparison, "", "NOT "),
            (true, Style::Sqlglot) => (Level::Not, "NOT ", ""),
        };
        (level, Negation { in_front, inside })
    }

    fn over(&mut self, partition: &[Sql], newest_first: Option<(&[Sql], bool)>) {
        self.out.push_str(" OVER (");
        let mut row = self.row("");
        self.part(&mut row);
        self.out.push_str("PARTITION BY ");
        for (index, key) in partition.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.print(key, Level::Or);
        }
        if let Some((keys, puts_nulls_last)) = newest_first {
            self.part(&mut row);
            self.out.push_str("ORDER BY ");
            self.newest_first(keys, puts_nulls_last);
        }
        self.break_if_wide(row);
        self.out.push(')');
    }

    fn newest_first(&mut self, keys: &[Sql], puts_nulls_last: bool) {
        let suffix = match (self.style, puts_nulls_last) {
            (Style::Plain, _) | (Style::Sqlglot, false) => " DESC NULLS LAST",
            (Style::Sqlglot, true) => " DESC",
        };
        for (index, key) in keys.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.print(key, Level::Or);
            self.out.push_str(suffix);
        }
    }

    fn bracketed(&mut self, open: &str, items: &[Sql], close: &str) {
        self.out.push_str(open);
        let mut row = self.row(",");
        for item in items {
            self.part(&mut row);
            self.print(item, Level::Or);
        }
        self.break_if_wide(row);
        self.out.push_str(close);
    }

    fn cast(&mut self, value: &Sql, ty: &str) -> Level {
        let start = self.out.len();
        if self.piece(value) >= Level::Postfix {
            self.out.extend(["::", ty]);
            return Level::Postfix;
        }
        self.out.insert_str(start, "CAST(");
        let inner = start + "CAST(".len();
        match (self.style, self.out[inner..].contains('\n')) {
            (Style::Plain, true) => self.move_to_own_lines(inner),
            (Style::Plain, false) | (Style::Sqlglot, _) => self.out.push(' '),
        }
        self.out.extend(["AS ", ty, ")"]);
        Level::Primary
    }

    fn case(&mut self, arms: &[(Sql, Sql)], otherwise: Option<&Sql>) {
        let mut row = self.row("");
        self.part(&mut row);
        self.out.push_str("CASE");
        let inner = self.out.len();
        for (condition, value) in arms {
            self.part(&mut row);
            self.out.push_str("WHEN ");
            self.print(condition, Level::Or);
            self.part(&mut row);
            self.out.push_str("THEN ");
            self.print(value, Level::Or);
        }
        if let Some(value) = otherwise {
            self.part(&mut row);
            self.out.push_str("ELSE ");
            self.print(value, Level::Or);
        }
        self.part(&mut row);
        let end = self.out.len();
        self.out.push_str("END");
        if self.is_wide(&row) {
            self.out.truncate(end);
            self.break_blanks(&row);
            // The blanks at both ends of the arms become the lines' own.
            self.out.truncate(end - 1);
            self.out.remove(inner);
            self.move_to_own_lines(inner);
            self.out.push_str("END");
        }
        self.close(row);
    }

    fn chain(&mut self, level: Level, operator: &str, operands: &[Sql]) {
        let inner = match level {
            // Two comparisons never chain, and a left-leaning `-` or `/` needs its right side bound.
            Level::Comparison => Level::Operator,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Operator | Level::Sum | Level::Product => next(level),
            Level::Not | Level::Unary | Level::Postfix | Level::Primary => Level::Primary,
        };
        let mut row = self.row("");
        for (index, operand) in operands.iter().enumerate() {
            let begin = if index == 0 { "" } else { operator };
            self.link(&mut row, operand, inner, begin);
        }
        let connects = level <= Level::And;
        if connects && self.is_wide(&row) {
            self.break_blanks(&row);
        }
        self.close(row);
    }

    /// An operand with the operator in front of it. SQLMesh breaks an AND inside of an OR like the OR.
    fn link(&mut self, row: &mut Row, operand: &Sql, outer: Level, operator: &str) {
        match (self.style, operand) {
            (
                Style::Sqlglot,
                Sql::Chain {
                    level: Level::And,
                    operator: own,
                    operands,
                },
            ) if outer == Level::And => {
                for (index, operand) in operands.iter().enumerate() {
                    let begin = if index == 0 { operator } else { own };
                    self.link(row, operand, Level::Not, begin);
                }
            }
            (Style::Plain | Style::Sqlglot, _) => {
                self.part(row);
                if !operator.is_empty() {
                    self.out.extend([operator, " "]);
                }
                self.print(operand, outer);
            }
        }
    }

    /// SQLMesh reads `{{`, `{%` and `{#` as templates and turns CR LF into LF, even inside text.
    fn text(&mut self, text: &str) -> Level {
        let needs_pieces = match self.style {
            Style::Plain => false,
            Style::Sqlglot => text.contains(['{', '\r']),
        };
        if !needs_pieces {
            self.literal(text);
            return Level::Primary;
        }
        let mut pieces = 0;
        let mut plain = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let opens = character == '{'
                && characters
                    .peek()
                    .is_none_or(|next| matches!(next, '{' | '%' | '#'));
            if opens || character == '\r' {
                if !plain.is_empty() {
                    self.joined(&mut pieces);
                    self.literal(&std::mem::take(&mut plain));
                }
                self.joined(&mut pieces);
                let code = u32::from(character).to_string();
                self.out.extend(["CHR(", &code, ")"]);
            } else {
                plain.push(character);
            }
        }
        if pieces == 0 || !plain.is_empty() {
            self.joined(&mut pieces);
            self.literal(&plain);
        }
        match pieces {
            1 => Level::Primary,
            _ => Level::Operator,
        }
    }

    fn joined(&mut self, pieces: &mut usize) {
        self.out.push_str(if *pieces == 0 { "" } else { " || " });
        *pieces += 1;
    }

    fn literal(&mut self, text: &str) {
        self.out.push('\'');
        write_doubled(text, b'\'', self.out);
        self.out.push('\'');
    }

    fn row(&self, separator: &'static str) -> Row {
        Row {
            start: self.out.len(),
            first_blank: self.blanks.len(),
            is_empty: true,
            separator,
        }
    }

    /// Opens the next part of the row.
    fn part(&mut self, row: &mut Row) {
        if !row.is_empty {
            self.out.push_str(row.separator);
            self.blanks.push(self.out.len());
            self.out.push(' ');
        }
        row.is_empty = false;
    }

    fn close(&mut self, row: Row) {
        self.blanks.truncate(row.first_blank);
    }

    fn break_if_wide(&mut self, row: Row) {
        if self.is_wide(&row) {
            self.break_blanks(&row);
            self.move_to_own_lines(row.start);
        }
        self.close(row);
    }

    /// What stands between the parts does not count.
    fn is_wide(&self, row: &Row) -> bool {
        let between = (self.blanks.len() - row.first_blank) * (row.separator.len() + 1);
        let parts = &self.out[row.start..];
        // There are no more characters than bytes, which need no counting.
        parts.len() - between > WIDTH && parts.chars().count() - between > WIDTH
    }

    fn break_blanks(&mut self, row: &Row) {
        for blank in &self.blanks[row.first_blank..] {
            self.out.replace_range(*blank..=*blank, "\n");
        }
    }

    /// What was written since `start`, on lines of its own two spaces further in.
    fn move_to_own_lines(&mut self, start: usize) {
        let inner = self.out.split_off(start);
        self.out.push_str("\n  ");
        write_indented(&inner, 2, self.out);
        self.out.push('\n');
    }
}

struct Negation {
    in_front: &'static str,
    inside: &'static str,
}

fn next(level: Level) -> Level {
    match level {
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Not => Level::Comparison,
        Level::Comparison => Level::Operator,
        Level::Operator => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Unary,
        Level::Unary => Level::Postfix,
        Level::Postfix | Level::Primary => Level::Primary,
    }
}

/// Parts of a statement that is no expression stand on lines of their own when they are wide together.
#[must_use]
pub fn too_wide(parts: &[String]) -> bool {
    parts.iter().map(|part| part.chars().count()).sum::<usize>() > WIDTH
}
