//! The names on a line of generated text: quoted identifiers, texts, bare words, bits of a mask.

use super::Page;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// `"order"`, or the value of `name:` in YAML.
    Name(String),
    /// `'order'`.
    Text(String),
    /// `_fails__order`.
    Bare(String),
}

#[derive(Debug, Default)]
pub struct Words {
    pub words: Vec<Word>,
    /// A mask's column and the bits that are asked for.
    pub bits: Vec<(String, i64)>,
}

pub fn of(line: &str, page: Page) -> Words {
    let mut found = Words::default();
    if page.is_yaml() {
        yaml(line, &mut found);
    } else {
        scan(&line.replace("\\\"", "\""), &mut found);
    }
    found
}

/// The name that an entry of a list or a column bears.
fn yaml(line: &str, found: &mut Words) {
    let entry = line.trim().trim_start_matches("- ");
    let name = match entry.split_once(": ") {
        Some(("name", name)) | Some((name, "unknown")) => name,
        Some(_) | None => return,
    };
    let inside = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let name = inside.map_or_else(|| name.to_owned(), |name| name.replace("\\\"", "\""));
    scan(&name, found);
    found.words.push(Word::Name(name));
}

fn scan(line: &str, found: &mut Words) {
    let mut rest = line;
    let mut before: Option<String> = None;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' | '\'' => {
                let (inside, length) = quoted(rest, first);
                if first == '"' {
                    found.words.push(Word::Name(inside));
                } else {
                    // Names are inside of texts too: paths, and lists of columns.
                    if inside.contains('"') {
                        scan(&inside, found);
                    }
                    found.words.push(Word::Text(inside));
                }
                length
            }
            '&' => {
                let number = rest[1..].trim_start();
                let end = number.find(|c: char| !c.is_ascii_digit());
                let digits = &number[..end.unwrap_or(number.len())];
                if let (Some(column), Ok(bits)) = (before.take(), digits.parse()) {
                    found.bits.push((column, bits));
                }
                1
            }
            _ if is_word(first) => {
                let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let word = rest[..length].to_owned();
                found.words.push(Word::Bare(word.clone()));
                before = Some(word);
                length
            }
            _ => first.len_utf8(),
        };
        rest = &rest[taken..];
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands between the quotes, and how long all of it is; a text may end on another line.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut inside = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            inside.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            inside.push(quote);
        } else {
            return (inside, at + c.len_utf8());
        }
    }
    (inside, text.len())
}
