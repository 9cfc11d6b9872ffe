//! What is read plainly is what the parser reads.

use super::read;
use crate::tests::golden::{folder, names_in};
use crate::yaml::Parsed;
use crate::yaml::parse::parse_any;

/// What people leave behind while they type, and what YAML gives a meaning.
const STRAY: [&str; 30] = [
    "\"", "'", "[", "]", "{", "}", ": ", ":", ",", "- ", "-", "\n", "\n  ", "\n- ", " ", "  ",
    " #", "#", "&a ", "*a", "!", "? ", "|\n", ">\n", "~", "null", "x: ", "\\", "''", "---\n",
];

/// True where it was not left to the parser.
fn check(text: &str) -> bool {
    let Some(root) = read(text) else {
        return false;
    };
    let plain = Parsed {
        root: Some(root),
        problems: Vec::new(),
    };
    assert_eq!(plain, parse_any(text), "{text}");
    true
}

/// Every example, and each with something put in, taken out and cut off, at places spread over it.
#[test]
fn what_is_read_is_what_the_parser_reads() {
    let root = folder("fixtures/projects");
    let (mut whole, mut all, mut mangled) = (0, 0, 0);
    let mut turn = 0;
    for name in names_in(&root) {
        let files = crate::io::specs::read(&root.join(&name)).expect("a spec tree");
        for text in files.values().filter(|text| text.is_ascii()) {
            all += 1;
            whole += usize::from(check(text));
            for at in (turn % 29..text.len()).step_by(STEP) {
                let (before, after) = text.split_at(at);
                turn += 1;
                let stray = STRAY[turn % STRAY.len()];
                mangled += usize::from(check(&[before, stray, after].concat()));
                mangled += usize::from(check(&[before, stray, &after[1..]].concat()));
                mangled += usize::from(check(&[before, &after[1..]].concat()));
                mangled += usize::from(check(before));
            }
        }
    }
    assert!(whole * 10 > all * 7, "{whole} of {all}");
    assert!(mangled > 500, "{mangled}");
}

const STEP: usize = 23;
