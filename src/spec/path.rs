//! The grammar of source paths: `$.payload["Price (EUR)"][0]`.

use super::grammar::Fault;
use crate::ir::SourcePath;
use crate::sql::expr::Segment;

pub fn parse(text: &str) -> Result<SourcePath, Fault> {
    let Some(mut rest) = text.strip_prefix('$') else {
        let fault = Fault::new("a path starts with `$`");
        let is_plain = text.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        return Err(if is_plain {
            fault.help(format!("write `$.{text}`"))
        } else {
            fault
        });
    };
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let (segment, behind) = segment(rest)?;
        segments.push(segment);
        rest = behind;
    }
    let mut segments = segments.into_iter();
    match segments.next() {
        Some(Segment::Key(column)) => Ok(SourcePath {
            column,
            inner: segments.collect(),
        }),
        Some(Segment::Index(_)) => Err(Fault::new("the first step is a column, not an index")),
        None => Err(Fault::new("`$` alone names no column")),
    }
}

fn segment(text: &str) -> Result<(Segment, &str), Fault> {
    if let Some(name) = text.strip_prefix('.') {
        return plain(name);
    }
    let Some(inner) = text.strip_prefix('[') else {
        return Err(Fault::new(format!(
            "`.` or `[` is expected before `{text}`"
        )));
    };
    if let Some(quoted) = inner.strip_prefix('"') {
        return in_quotes(quoted);
    }
    let Some((index, rest)) = inner.split_once(']') else {
        return Err(Fault::new("`[` is not closed"));
    };
    match super::grammar::number(index) {
        Some(index) => Ok((Segment::Index(index), rest)),
        None => {
            let fault = Fault::new("in brackets stands a whole number, or a text in double quotes");
            let bare = index.trim_matches('\'');
            let is_text = bare.len() < index.len() || bare.starts_with(char::is_alphabetic);
            Err(match index {
                "*" => Fault::new("a path leads to one value; `*` would be many"),
                _ if is_text => fault.help(format!("write `[\"{bare}\"]`")),
                _ => fault,
            })
        }
    }
}

fn plain(text: &str) -> Result<(Segment, &str), Fault> {
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    if name.is_empty() {
        return Err(Fault::new("a name is expected behind `.`"));
    }
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    match name.chars().find(|c| !is_plain(*c)) {
        None => Ok((Segment::Key(name.to_owned()), rest)),
        Some('*') => Err(Fault::new("a path leads to one value; `*` would be many")),
        Some(_) => Err(
            Fault::new("a name with other characters stands in brackets and quotes")
                .help(format!("write `[{name:?}]` instead of `.{name}`")),
        ),
    }
}

fn in_quotes(text: &str) -> Result<(Segment, &str), Fault> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => name.push(c),
                Some(_) | None => {
                    return Err(Fault::new(
                        "only `\\\"` and `\\\\` stand behind a backslash",
                    ));
                }
            },
            '"' => {
                let Some(rest) = text[at + 1..].strip_prefix(']') else {
                    return Err(Fault::new("`]` is expected behind the closing quote"));
                };
                return match name.chars().find(|c| c.is_control()) {
                    _ if name.is_empty() => Err(Fault::new("a name is not empty")),
                    Some(_) => Err(Fault::new("a name has no control characters")),
                    None => Ok((Segment::Key(name), rest)),
                };
            }
            c => name.push(c),
        }
    }
    Err(Fault::new("the quote is not closed"))
}
