//! Whatever is typed, the answer is a project or diagnostics: never a panic, and never a hang.

use std::collections::BTreeMap;

use super::checking::{checked_texts, settings, texts};
use super::golden::{folder, names_in};
use crate::diag::render::{Colour, Format, render};
use crate::lower::lower;
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

/// Values that fit hardly anywhere, and some that fit where they should not.
const ODD: [&str; 26] = [
    "",
    "~",
    "-1",
    "0",
    "99999999999999999999",
    "1e9",
    "true",
    "[]",
    "{}",
    "[a, b]",
    "\"$\"",
    "\"$.a[0].b\"",
    "\"0%\"",
    "\"100%\"",
    "\"decimal(38,38)\"",
    "variant",
    "date",
    "type2",
    "incremental_by_key",
    "fail",
    "unknown_member",
    "\"1 / 0\"",
    "\"a AND\"",
    "\"count(a.b)\"",
    "0d",
    "\"{{ x }}\"",
];

/// Every third value of the example projects, each by another of those.
#[test]
fn a_project_with_an_odd_value_is_refused_or_rendered() {
    let root = folder("fixtures/projects");
    let mut turn = 0;
    for name in names_in(&root) {
        let files = texts(&root.join(&name));
        for (file, text) in &files {
            for (at, _) in text.match_indices(": ") {
                turn += 1;
                let start = at + 2;
                let rest = &text[start..];
                let end = start + rest.find([',', '}', ']', '\n']).unwrap_or(rest.len());
                if turn % 3 > 0 || rest.starts_with(['[', '{', '"', '\'']) {
                    continue;
                }
                let odd = ODD[turn / 3 % ODD.len()];
                let mut mangled = files.clone();
                mangled.insert(file.clone(), [&text[..start], odd, &text[end..]].concat());
                if let Ok(project) = checked_texts(mangled) {
                    let tree = crate::render::render(&lower(&project), &settings());
                    assert!(!tree.files.is_empty());
                }
            }
        }
    }
}
