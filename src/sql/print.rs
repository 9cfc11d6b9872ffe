//! Lays `Sql` out as text: parentheses, quotes, and line breaks where a piece grows wide.
//!
//! The layout is that of SQLGlot's pretty printer (a piece whose parts sum to more than 80
//! characters is broken), so that `sqlmesh format` finds nothing to change in a generated model.

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
    Printer { style }.print(sql, Level::Or)
}

/// A dotted, quoted name.
#[must_use]
pub fn name(parts: &[String]) -> String {
    parts
        .iter()
        .map(|part| quoted(part))
        .collect::<Vec<_>>()
        .join(".")
}

/// Every line but the first moved right by `by` spaces; lines inside a text literal stay.
#[must_use]
pub fn indent(text: &str, by: usize) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let pad = " ".repeat(by);
    let mut out = String::with_capacity(text.len() + 64);
    let mut in_text = false;
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        let quotes = line.bytes().filter(|byte| *byte == b'\'').count();
        in_text ^= quotes % 2 == 1;
        if line.ends_with('\n') && !in_text {
            out.push_str(&pad);
        }
    }
    out
}

/// Our own helper columns start with `_` and are written in lower case; all other names are quoted.
fn quoted(part: &str) -> String {
    let ours = part.starts_with('_')
        && part
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if ours || OURS.binary_search(&part).is_ok() {
        part.to_owned()
    } else {
        let mut name = String::with_capacity(part.len() + 2);
        name.push('"');
        for (index, piece) in part.split('"').enumerate() {
            if index > 0 {
                name.push_str("\"\"");
            }
            name.push_str(piece);
        }
        name.push('"');
        name
    }
}

/// Names of our own CTEs, aliases and columns that are plain on every engine.
const OURS: [&str; 33] = [
    "admitted",
    "coerced",
    "delivered",
    "diverted",
    "ended",
    "entity",
    "failed_rules",
    "first_seen",
    "held",
    "judged",
    "key_values",
    "last_evaluated_at",
    "last_seen",
    "latest",
    "ledger",
    "mapping",
    "mapping_version",
    "newest",
    "passing",
    "raw",
    "redelivered",
    "reject_id",
    "repeated",
    "resolution",
    "resolved_at",
    "rules",
    "settled",
    "source",
    "source_relation",
    "stage",
    "superseded",
    "valid_from",
    "valid_to",
];

struct Printer {
    style: Style,
}

impl Printer {
    fn print(&self, sql: &Sql, at_least: Level) -> String {
        let (level, text) = self.piece(sql);
        if level >= at_least {
            text
        } else {
            self.wrapped(&text)
        }
    }

    fn wrapped(&self, text: &str) -> String {
        match self.style {
            Style::Plain => format!("({text})"),
            Style::Sqlglot => format!("(\n  {}\n)", indent(text, 2)),
        }
    }

    fn piece(&self, sql: &Sql) -> (Level, String) {
        match sql {
            Sql::Word(word) => (Level::Primary, word.clone()),
            Sql::Text(text) => self.text(text),
            Sql::Name(parts) => (Level::Primary, name(parts)),
            Sql::Call(function, arguments) => {
                let arguments = self.list(arguments);
                (
                    Level::Primary,
                    format!("{function}({})", broken_if_wide(&arguments, ",")),
                )
            }
            Sql::CallPairs(function, pairs) => {
                let pairs: Vec<String> = pairs
                    .iter()
                    .map(|(key, value)| {
                        format!(
                            "{}, {}",
                            self.print(key, Level::Or),
                            self.print(value, Level::Or)
                        )
                    })
                    .collect();
                (
                    Level::Primary,
                    format!("{function}({})", broken_if_wide(&pairs, ",")),
                )
            }
            Sql::Cast(value, ty) => self.cast(value, ty),
            Sql::TryCast(value, ty) => (
                Level::Primary,
                format!("TRY_CAST({} AS {ty})", self.print(value, Level::Or)),
            ),
            Sql::Case { arms, otherwise } => {
                (Level::Primary, self.case(arms, otherwise.as_deref()))
            }
            Sql::Chain {
                level,
                operator,
                operands,
            } => self.chain(*level, operator, operands),
            Sql::Not(value) => (
                Level::Not,
                format!("NOT {}", self.print(value, Level::Comparison)),
            ),
            Sql::IsNull(value) => (
                Level::Comparison,
                format!("{} IS NULL", self.print(value, Level::Operator)),
            ),
            Sql::IsNotNull(value) => {
                let value = self.print(value, Level::Operator);
                match self.style {
                    Style::Plain => (Level::Comparison, format!("{value} IS NOT NULL")),
                    Style::Sqlglot => (Level::Not, format!("NOT {value} IS NULL")),
                }
            }
            Sql::In {
                value,
                list,
                negated,
            } => {
                let value = self.print(value, Level::Operator);
                let list = self.list(list);
                let list = broken_if_wide(&list, ",");
                match (negated, self.style) {
                    (false, Style::Plain | Style::Sqlglot) => {
                        (Level::Comparison, format!("{value} IN ({list})"))
                    }
                    (true, Style::Plain) => (Level::Comparison, format!("{value} NOT IN ({list})")),
                    (true, Style::Sqlglot) => (Level::Not, format!("NOT {value} IN ({list})")),
                }
            }
            Sql::Between {
                value,
                low,
                high,
                negated,
            } => {
                let value = self.print(value, Level::Operator);
                let low = self.print(low, Level::Operator);
                let high = self.print(high, Level::Operator);
                match (negated, self.style) {
                    (false, Style::Plain | Style::Sqlglot) => (
                        Level::Comparison,
                        format!("{value} BETWEEN {low} AND {high}"),
                    ),
                    (true, Style::Plain) => (
                        Level::Comparison,
                        format!("{value} NOT BETWEEN {low} AND {high}"),
                    ),
                    (true, Style::Sqlglot) => {
                        (Level::Not, format!("NOT {value} BETWEEN {low} AND {high}"))
                    }
                }
            }
            Sql::Like {
                value,
                pattern,
                negated,
            } => {
                let value = self.print(value, Level::Operator);
                let pattern = self.print(pattern, Level::Operator);
                let not = if *negated { "NOT " } else { "" };
                (Level::Comparison, format!("{value} {not}LIKE {pattern}"))
            }
            Sql::Negate(value) => {
                let value = self.print(value, Level::Unary);
                let space = if value.starts_with('-') { " " } else { "" };
                (Level::Unary, format!("-{space}{value}"))
            }
            Sql::Array(keyword, items) => {
                let items = self.list(items);
                (
                    Level::Primary,
                    format!("{keyword}[{}]", broken_if_wide(&items, ",")),
                )
            }
            Sql::Parenthesised(value) => {
                (Level::Primary, self.wrapped(&self.print(value, Level::Or)))
            }
            Sql::Item(value, index) => (
                Level::Postfix,
                format!("{}[{index}]", self.print(value, Level::Postfix)),
            ),
            Sql::Member(value, member) => (
                Level::Postfix,
                format!("{}.{}", self.print(value, Level::Postfix), quoted(member)),
            ),
            Sql::Lambda(parameter, body) => (
                Level::Or,
                format!("LAMBDA {parameter} : {}", self.print(body, Level::Or)),
            ),
            Sql::AtTimeZone(value, zone) => (
                Level::Postfix,
                format!(
                    "{} AT TIME ZONE {}",
                    self.print(value, Level::Postfix),
                    self.print(&Sql::text(zone), Level::Primary)
                ),
            ),
            // `||` binds tighter for some parsers, looser for others: so it always gets its brackets.
            Sql::Collate(value, collation) => (
                Level::Operator,
                format!(
                    "{} COLLATE \"{collation}\"",
                    self.print(value, Level::Postfix)
                ),
            ),
            Sql::Arrows(document, steps) => {
                let mut out = self.print(document, Level::Postfix);
                for (operator, operand) in steps {
                    out.push_str(&format!(
                        " {operator} {}",
                        self.print(operand, Level::Postfix)
                    ));
                }
                (Level::Operator, out)
            }
            Sql::Interval(amount, unit) => (Level::Primary, format!("INTERVAL '{amount}' {unit}")),
            Sql::Extract(part, value) => (
                Level::Primary,
                format!("EXTRACT({part} FROM {})", self.print(value, Level::Or)),
            ),
            Sql::Substring { text, from, length } => {
                let text = self.print(text, Level::Or);
                let from = self.print(from, Level::Or);
                let length = length
                    .as_ref()
                    .map(|length| format!(" FOR {}", self.print(length, Level::Or)));
                (
                    Level::Primary,
                    format!(
                        "SUBSTRING({text} FROM {from}{})",
                        length.unwrap_or_default()
                    ),
                )
            }
            Sql::RowNumber {
                partition,
                newest_first,
                puts_nulls_last,
            } => {
                let order = self.newest_first(newest_first, *puts_nulls_last);
                (
                    Level::Primary,
                    self.over("ROW_NUMBER()", partition, Some(&order)),
                )
            }
            Sql::CountDistinctOver { value, partition } => {
                let call = format!("COUNT(DISTINCT {})", self.print(value, Level::Or));
                (Level::Primary, self.over(&call, partition, None))
            }
            Sql::CountOver { partition } => {
                (Level::Primary, self.over("COUNT(*)", partition, None))
            }
        }
    }

    fn over(&self, call: &str, partition: &[Sql], order: Option<&str>) -> String {
        let mut parts = vec![format!("PARTITION BY {}", self.list(partition).join(", "))];
        if let Some(order) = order {
            parts.push(format!("ORDER BY {order}"));
        }
        format!("{call} OVER ({})", broken_if_wide(&parts, ""))
    }

    fn newest_first(&self, keys: &[Sql], puts_nulls_last: bool) -> String {
        let suffix = match (self.style, puts_nulls_last) {
            (Style::Plain, _) | (Style::Sqlglot, false) => " DESC NULLS LAST",
            (Style::Sqlglot, true) => " DESC",
        };
        self.list(keys)
            .iter()
            .map(|key| format!("{key}{suffix}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn list(&self, items: &[Sql]) -> Vec<String> {
        items
            .iter()
            .map(|item| self.print(item, Level::Or))
            .collect()
    }

    fn cast(&self, value: &Sql, ty: &str) -> (Level, String) {
        let (level, text) = self.piece(value);
        if level >= Level::Postfix {
            return (Level::Postfix, format!("{text}::{ty}"));
        }
        match (self.style, text.contains('\n')) {
            (Style::Plain, true) => (
                Level::Primary,
                format!("CAST(\n  {}\nAS {ty})", indent(&text, 2)),
            ),
            (Style::Plain, false) | (Style::Sqlglot, _) => {
                (Level::Primary, format!("CAST({text} AS {ty})"))
            }
        }
    }

    fn case(&self, arms: &[(Sql, Sql)], otherwise: Option<&Sql>) -> String {
        let mut parts = vec!["CASE".to_owned()];
        for (condition, value) in arms {
            parts.push(format!("WHEN {}", self.print(condition, Level::Or)));
            parts.push(format!("THEN {}", self.print(value, Level::Or)));
        }
        if let Some(value) = otherwise {
            parts.push(format!("ELSE {}", self.print(value, Level::Or)));
        }
        parts.push("END".to_owned());
        if !too_wide(&parts) {
            return parts.join(" ");
        }
        let inner = parts[1..parts.len() - 1].join("\n");
        format!("CASE\n  {}\nEND", indent(&inner, 2))
    }

    fn chain(&self, level: Level, operator: &str, operands: &[Sql]) -> (Level, String) {
        let inner = match level {
            // Two comparisons never chain, and a left-leaning `-` or `/` needs its right side bound.
            Level::Comparison => Level::Operator,
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Operator | Level::Sum | Level::Product => next(level),
            Level::Not | Level::Unary | Level::Postfix | Level::Primary => Level::Primary,
        };
        let mut parts: Vec<String> = Vec::new();
        for (index, operand) in operands.iter().enumerate() {
            let begin = if index == 0 { "" } else { operator };
            parts.extend(self.links(operand, inner, begin));
        }
        let connector = level <= Level::And;
        let separator = if connector && too_wide(&parts) {
            "\n"
        } else {
            " "
        };
        (level, parts.join(separator))
    }

    /// An operand with the operator in front of it. SQLMesh breaks an AND inside of an OR like the OR.
    fn links(&self, operand: &Sql, outer: Level, operator: &str) -> Vec<String> {
        let joined = |text: String| match operator {
            "" => text,
            operator => format!("{operator} {text}"),
        };
        match (self.style, operand) {
            (
                Style::Sqlglot,
                Sql::Chain {
                    level: Level::And,
                    operator: own,
                    operands,
                },
            ) if outer == Level::And => {
                let mut links = Vec::new();
                for (index, operand) in operands.iter().enumerate() {
                    let begin = if index == 0 { operator } else { own };
                    links.extend(self.links(operand, Level::Not, begin));
                }
                links
            }
            (Style::Plain | Style::Sqlglot, _) => vec![joined(self.print(operand, outer))],
        }
    }

    /// SQLMesh reads `{{`, `{%` and `{#` as templates and turns CR LF into LF, even inside text.
    fn text(&self, text: &str) -> (Level, String) {
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        match self.style {
            Style::Plain => return (Level::Primary, literal(text)),
            Style::Sqlglot => {}
        }
        let mut pieces: Vec<String> = Vec::new();
        let mut plain = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let opens = character == '{'
                && characters
                    .peek()
                    .is_none_or(|next| matches!(next, '{' | '%' | '#'));
            if opens || character == '\r' {
                if !plain.is_empty() {
                    pieces.push(literal(&std::mem::take(&mut plain)));
                }
                pieces.push(format!("CHR({})", u32::from(character)));
            } else {
                plain.push(character);
            }
        }
        if pieces.is_empty() {
            return (Level::Primary, literal(text));
        }
        if !plain.is_empty() {
            pieces.push(literal(&plain));
        }
        let level = if pieces.len() == 1 {
            Level::Primary
        } else {
            Level::Operator
        };
        (level, pieces.join(" || "))
    }
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

fn too_wide(parts: &[String]) -> bool {
    parts.iter().map(|part| part.chars().count()).sum::<usize>() > WIDTH
}

fn broken_if_wide(parts: &[String], separator: &str) -> String {
    if !too_wide(parts) {
        return parts.join(&format!("{separator} "));
    }
    let lines = parts.join(&format!("{separator}\n"));
    format!("\n  {}\n", indent(&lines, 2))
}
