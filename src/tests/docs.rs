//! Documentation that is made from the code: the catalogue of errors, and what it must name.

use std::fs;

use super::golden::{Golden, folder};
use crate::diag::code;

const HEAD: &str = "<!-- made from src/diag/code by src/tests/docs.rs; UPDATE_GOLDEN=1 cargo test docs writes it again -->\n\n";

#[test]
fn the_error_catalogue_is_the_pages() {
    let mut golden = Golden::default();
    golden.check("../docs/errors.md", &format!("{HEAD}{}", code::all_pages()));
    golden.finish();
}

#[test]
fn every_rule_and_transform_is_in_the_reference() {
    let read = |name: &str| fs::read_to_string(folder(name)).expect("a page of the documentation");
    let reference = read("docs/spec-reference.md");
    let rules = crate::check::rules::RULES.iter().map(|rule| rule.name);
    let transforms = crate::check::chain::names();
    let missing: Vec<&str> = rules
        .chain(transforms)
        .filter(|name| {
            let written = ["`", "`{"].map(|quote| format!("{quote}{name}"));
            !written.iter().any(|written| reference.contains(written))
        })
        .collect();
    assert!(
        missing.is_empty(),
        "missing in docs/spec-reference.md: {missing:?}"
    );
}
