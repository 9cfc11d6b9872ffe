//! Looking at the text of a document itself, where the parser does not say enough.

/// Numbers, bools, nulls and dates have no other characters.
pub(super) fn plain_token(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_' | '~');
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// Behind the anchor and the tag that a scalar's position includes.
pub(super) fn skip_properties(text: &str, at: usize) -> usize {
    let mut rest = &text[at..];
    while rest.starts_with(['&', '!']) {
        rest = rest
            .trim_start_matches(|c: char| !c.is_whitespace())
            .trim_start();
        while rest.starts_with('#') {
            rest = rest.trim_start_matches(|c| c != '\n').trim_start();
        }
    }
    text.len() - rest.len()
}

pub(super) fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' => starts.push(at + 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => starts.push(at + 1),
            0xC2 if bytes.get(at + 1) == Some(&0x85) => starts.push(at + 2),
            0xE2 if matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])) => {
                starts.push(at + 3);
            }
            _ => {}
        }
    }
    starts
}

/// `control characters are not allowed at position 17` is the one error without line and column.
pub(super) fn position_in(message: &str) -> Option<usize> {
    message.rsplit_once(" at position ")?.1.parse().ok()
}

/// The parser's words without the place that the diagnostic shows anyway.
pub(super) fn without_position(message: &str) -> String {
    let cut = message
        .find(" at line ")
        .or_else(|| message.find(" at position "));
    let Some(start) = cut else {
        return message.to_owned();
    };
    let is_number = |c: char| c.is_ascii_digit() || c.is_ascii_alphabetic() || c == ' ';
    let end = message[start..]
        .find(|c| !is_number(c))
        .map_or(message.len(), |end| start + end);
    format!("{}{}", &message[..start], &message[end..])
}

/// Where a second document starts: `---` at the start of a line behind some content.
pub(super) fn second_document(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut has_content = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") && has_content {
            return Some(at);
        }
        let bare = line.trim();
        has_content |= !bare.is_empty() && !bare.starts_with(['#', '%']);
        at += line.len();
    }
    None
}

/// Where more than `most` brackets are open at once, whatever they stand in.
pub(super) fn too_many_open(text: &str, most: usize) -> Option<usize> {
    let mut open: usize = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > most {
            return Some(at);
        }
    }
    None
}
