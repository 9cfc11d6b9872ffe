//! Whatever is typed, the reader answers with diagnostics: it never panics and never hangs.

use std::collections::BTreeMap;

use super::golden::{folder, names_in};
use crate::diag::render::{Colour, Format, render};
use crate::spec;
use crate::yaml::Sources;

/// What people leave behind while they type.
const STRAY: [&str; 12] = [
    "\"", "'", "[", "{", ": ", "- ", "\t", "&a ", "*a", "!", "\u{e9}", "\r",
];

/// Every fixture, cut off and scribbled upon at places spread over the file.
#[test]
fn a_mangled_document_is_reported() {
    let root = folder("fixtures/rules");
    for name in names_in(&root) {
        let files = crate::io::specs::read(&root.join(&name)).expect("a spec tree");
        for (file, text) in &files {
            if text.len() > 2_000 {
                continue;
            }
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for (turn, at) in boundaries.iter().step_by(41).enumerate() {
                let stray = STRAY[turn % STRAY.len()];
                read(file, text[..*at].to_owned());
                read(file, format!("{}{stray}{}", &text[..*at], &text[*at..]));
            }
        }
    }
}

fn read(file: &str, text: String) {
    let sources = Sources {
        files: BTreeMap::from([(file.to_owned(), text)]),
        shown_under: String::new(),
    };
    let (_, bag) = spec::load(&sources);
    let shown = render(&bag, &sources, Format::Text, Colour::Never);
    assert_eq!(shown.is_empty(), bag.all.is_empty());
}
