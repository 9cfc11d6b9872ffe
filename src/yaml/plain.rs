//! Reads the YAML that most specs are written in, at a tenth of the parser's cost: ASCII, keys that
//! are words, maps and lists in blocks or brackets, scalars of one line. It is not a second opinion
//! on YAML: it gives up on everything else, mistakes included, and never reads what the parser reads
//! otherwise.

#[cfg(test)]
mod tests;

use memchr::memmem;

use super::merge::repeats;
use super::{Entry, Kind, Node, Scalar};

/// Far below what the parser takes.
const DEEPEST: usize = 32;
const LONGEST_KEY: usize = 100;

/// The root of a document; `None` for one that is for the parser.
pub(super) fn read(text: &str) -> Option<Node> {
    let is_plain = |byte: u8| byte == b'\n' || (b' '..=b'~').contains(&byte);
    if !text.bytes().all(is_plain) || has_marks(text) {
        return None;
    }
    let mut reader = Reader {
        text,
        at: 0,
        line: 0,
    };
    reader.skip_to_content();
    let root = match reader.column() {
        Some(0) => reader.block_map(0, DEEPEST)?,
        Some(_) | None => return None,
    };
    reader.peek().is_none().then_some(root)
}

/// Lines that begin or end documents.
fn has_marks(text: &str) -> bool {
    let marks = ["\n---", "\n...", "\n%"];
    marks.iter().any(|mark| {
        text.starts_with(&mark[1..]) || memmem::find(text.as_bytes(), mark.as_bytes()).is_some()
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Where the line begins.
    line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Block,
    Brackets,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// `None` at the end of the text.
    fn column(&self) -> Option<usize> {
        self.peek().map(|_| self.at - self.line)
    }

    fn skip_blanks(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    fn skip_blanks_and_lines(&mut self) {
        while let Some(byte @ (b' ' | b'\n')) = self.peek() {
            self.at += 1;
            if byte == b'\n' {
                self.line = self.at;
            }
        }
    }

    /// Over comments, too; from where a comment may begin.
    fn skip_to_content(&mut self) {
        self.skip_blanks_and_lines();
        while self.peek() == Some(b'#') {
            let rest = &self.text.as_bytes()[self.at..];
            self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.skip_blanks_and_lines();
        }
    }

    /// Nothing but a comment follows a value on its line.
    fn end_line(&mut self) -> Option<()> {
        let end = self.at;
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => {}
            Some(b'#') if self.at > end => {}
            Some(_) => return None,
        }
        self.skip_to_content();
        Some(())
    }

    /// The length of the word that is a key here.
    fn key_length(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().position(|byte| !is_part(byte))?;
        let is_key = rest[0].is_ascii_alphabetic()
            && length <= LONGEST_KEY
            && rest[length] == b':'
            && matches!(rest.get(length + 1), Some(b' ' | b'\n'));
        is_key.then_some(length)
    }

    /// Up to its colon.
    fn key(&mut self) -> Option<(String, usize)> {
        let (at, length) = (self.at, self.key_length()?);
        self.at += length + 1;
        Some((self.text[at..at + length].to_owned(), at))
    }

    fn is_item(&self) -> bool {
        self.peek() == Some(b'-') && self.byte(self.at + 1) == Some(b' ')
    }

    fn block_map(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let mut entries = Vec::new();
        loop {
            let (key, at) = self.key()?;
            let value = self.block_value(indent, depth.checked_sub(1)?)?;
            entries.push(entry(key, at, value)?);
            match self.column() {
                Some(column) if column > indent => return None,
                Some(column) if column == indent => {}
                Some(_) | None => return map(entries),
            }
        }
    }

    /// What stands behind a key of a map `indent` spaces in.
    fn block_value(&mut self, indent: usize, depth: usize) -> Option<Node> {
        self.skip_blanks();
        if !matches!(self.peek()?, b'\n' | b'#') {
            let value = self.value(Place::Block, depth)?;
            self.end_line()?;
            return Some(value);
        }
        self.skip_to_content();
        let column = self.column()?;
        if self.is_item() && column >= indent {
            self.block_list(column, depth)
        } else if column > indent {
            self.block_map(column, depth)
        } else {
            None
        }
    }

    fn block_list(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let mut items = Vec::new();
        loop {
            self.at += 1;
            self.skip_blanks();
            if self.key_length().is_some() {
                let column = self.column()?;
                items.push(self.block_map(column, depth)?);
            } else {
                items.push(self.value(Place::Block, depth)?);
                self.end_line()?;
            }
            match self.column() {
                Some(column) if column > indent => return None,
                Some(column) if column == indent && self.is_item() => {}
                Some(_) | None => return Some(list(items)),
            }
        }
    }

    fn value(&mut self, place: Place, depth: usize) -> Option<Node> {
        match self.peek()? {
            b'{' => self.map_in_brackets(depth.checked_sub(1)?),
            b'[' => self.list_in_brackets(depth.checked_sub(1)?),
            quote @ (b'"' | b'\'') => self.quoted(quote),
            first => self.plain(first, place),
        }
    }

    fn map_in_brackets(&mut self, depth: usize) -> Option<Node> {
        let mut entries = Vec::new();
        self.at += 1;
        self.skip_blanks_and_lines();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return map(entries);
        }
        loop {
            let (key, at) = self.key()?;
            self.skip_blanks_and_lines();
            let value = self.value(Place::Brackets, depth)?;
            entries.push(entry(key, at, value)?);
            if self.closes(b'}')? {
                return map(entries);
            }
        }
    }

    fn list_in_brackets(&mut self, depth: usize) -> Option<Node> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_blanks_and_lines();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Some(list(items));
        }
        loop {
            items.push(self.value(Place::Brackets, depth)?);
            if self.closes(b']')? {
                return Some(list(items));
            }
        }
    }

    /// Over the comma or the closing bracket.
    fn closes(&mut self, bracket: u8) -> Option<bool> {
        self.skip_blanks_and_lines();
        let byte = self.peek()?;
        self.at += 1;
        if byte == bracket {
            return Some(true);
        }
        self.skip_blanks_and_lines();
        (byte == b',').then_some(false)
    }

    /// Without escapes.
    fn quoted(&mut self, quote: u8) -> Option<Node> {
        let at = self.at;
        let rest = &self.text[at + 1..];
        let length = rest
            .bytes()
            .position(|byte| byte == quote || matches!(byte, b'\\' | b'\n'))?;
        self.at += length + 2;
        if rest.as_bytes()[length] != quote || self.peek() == Some(quote) {
            return None;
        }
        let text = rest[..length].to_owned();
        scalar(at, Kind::Scalar(Scalar { text, quoted: true }))
    }

    fn plain(&mut self, first: u8, place: Place) -> Option<Node> {
        let at = self.at;
        let begins = match first {
            b'_' | b'$' | b'/' | b'.' | b'+' | b'(' | b'~' => true,
            b'-' => self.byte(at + 1).is_some_and(|next| next.is_ascii_digit()),
            _ => first.is_ascii_alphanumeric(),
        };
        if !begins {
            return None;
        }
        while let Some(byte) = self.peek() {
            match (byte, place) {
                (b'\n', _) => break,
                (b'#', _) if self.byte(self.at - 1) == Some(b' ') => break,
                (b',' | b'[' | b']' | b'{' | b'}', Place::Brackets) => break,
                (b':' | b'?', Place::Brackets) => return None,
                (b':', Place::Block)
                    if matches!(self.byte(self.at + 1), None | Some(b' ' | b'\n')) =>
                {
                    return None;
                }
                _ => self.at += 1,
            }
        }
        let token = self.text[at..self.at].trim_end_matches(' ');
        self.at = at + token.len();
        let text = token.to_owned();
        let kind = match token {
            "~" | "null" | "Null" | "NULL" => Kind::Null(text),
            _ => Kind::Scalar(Scalar {
                text,
                quoted: false,
            }),
        };
        scalar(at, kind)
    }
}

fn scalar(at: usize, kind: Kind) -> Option<Node> {
    let at = Some(u32::try_from(at).ok()?);
    Some(Node { at, kind })
}

fn entry(key: String, at: usize, value: Node) -> Option<Entry> {
    let key_at = Some(u32::try_from(at).ok()?);
    Some(Entry { key, key_at, value })
}

fn list(items: Vec<Node>) -> Node {
    let kind = Kind::Seq(items);
    Node { at: None, kind }
}

/// A key that is there twice is for the parser to report.
fn map(entries: Vec<Entry>) -> Option<Node> {
    let kind = Kind::Map(entries);
    let map = Node { at: None, kind };
    repeats(map.entries()).is_empty().then_some(map)
}
