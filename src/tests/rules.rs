//! Every code: a spec tree that produces it, and how it is shown.

use std::collections::BTreeSet;
use std::path::Path;

use super::checking::settings;
use super::golden::{Golden, folder, names_in};
use crate::check;
use crate::diag::Bag;
use crate::diag::code::{self, e01xx};
use crate::diag::render::{Colour, Format, nearest_help, render};
use crate::io;
use crate::spec;
use crate::yaml::Sources;

/// Codes that no spec tree can produce, and why.
const EXEMPT: &[(&str, &str)] = &[("E0216", "DuckDB has no limit")];

/// Everything that can be said about a tree without generating anything.
fn diagnose(sources: &Sources) -> Bag {
    let mut tree = sources.clone();
    let mut bag = Bag::default();
    let mut settings = settings();
    if let Some(config) = tree.files.remove("assay.yml") {
        let (config, found) = spec::config::read(&config, "assay.yml");
        settings.target = config.target.unwrap_or(settings.target);
        bag.extend(found);
    }
    let (spec, found) = spec::load(&tree);
    bag.extend(found);
    let (_, found) = check::check(&spec, &settings);
    bag.extend(if bag.has_errors() {
        check::certain(found)
    } else {
        found
    });
    bag
}

fn sources(path: &Path) -> Sources {
    let files = io::specs::read(path).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    Sources {
        files,
        shown_under: String::new(),
    }
}

#[test]
fn every_code_is_shown_as_agreed() {
    let mut golden = Golden::default();
    let fixtures = folder("fixtures/rules");
    for name in names_in(&fixtures) {
        let sources = sources(&fixtures.join(&name));
        let bag = diagnose(&sources);
        let code = name.split('-').next().unwrap_or_default();
        if !bag.all.iter().any(|diagnostic| diagnostic.code.0 == code) {
            golden.note(format!("fixtures/rules/{name} does not produce {code}"));
        }
        golden.check(
            &format!("rules/{name}.txt"),
            &render(&bag, &sources, Format::Text, Colour::Never),
        );
    }
    for name in names_in(&folder("golden/rules")) {
        let fixture = name.trim_end_matches(".txt");
        if !fixtures.join(fixture).is_dir() {
            golden.note(format!("golden/rules/{name} has no fixture"));
        }
    }
    golden.finish();
}

#[test]
fn every_code_has_a_fixture_and_every_fixture_a_code() {
    let fixtures = names_in(&folder("fixtures/rules"));
    let mut missing = Vec::new();
    for entry in code::all() {
        let wanted = format!("{}-{}", entry.code.0, entry.name);
        let is_exempt = EXEMPT.iter().any(|(code, _)| *code == entry.code.0);
        if !is_exempt && !fixtures.contains(&wanted) {
            missing.push(wanted);
        }
    }
    assert!(
        missing.is_empty(),
        "missing below fixtures/rules: {missing:#?}"
    );
    for name in fixtures {
        let entry = code::find(name.split('-').next().unwrap_or_default());
        let entry = entry.unwrap_or_else(|| panic!("no code for fixtures/rules/{name}"));
        let wanted = format!("{}-{}", entry.code.0, entry.name);
        assert!(
            name.starts_with(&wanted),
            "fixtures/rules/{name} starts with {wanted}"
        );
    }
}

#[test]
fn codes_are_sorted_and_explained() {
    let all = code::all();
    assert!(all.is_sorted_by_key(|entry| entry.code), "codes are sorted");
    let names: BTreeSet<&str> = all.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
    for entry in all {
        let page = code::explain(entry.code.0).expect("every code has a page");
        assert!(
            page.len() > 120,
            "{}: say what is wrong, why, and what to do",
            entry.code.0
        );
        assert!(!page.contains(" you"), "{}: no `you`", entry.code.0);
    }
    assert!(code::all_pages().contains("## E0101: yaml syntax"));
    assert_eq!(
        code::explain("e0102"),
        code::explain(e01xx::DUPLICATE_KEY.0)
    );
    assert_eq!(code::explain("E9999"), None);
}

#[test]
fn programs_get_the_same_as_people() {
    let mut golden = Golden::default();
    let mut sources = sources(&folder("fixtures/rules/E0114-declared-twice"));
    sources.shown_under = "my specs".to_owned();
    let bag = diagnose(&sources);
    for (file, format) in [
        ("formats/short.txt", Format::Short),
        ("formats/diagnostics.json", Format::Json),
        ("formats/diagnostics.sarif", Format::Sarif),
    ] {
        golden.check(file, &render(&bag, &sources, format, Colour::Never));
    }
    golden.check(
        "formats/colour.txt",
        &render(&bag, &sources, Format::Text, Colour::Always),
    );
    golden.finish();
}

#[test]
fn a_near_name_is_offered_and_a_far_one_is_not() {
    let check = |name, known: &[&str], expected| {
        assert_eq!(
            nearest_help(name, known.iter().copied()).as_deref(),
            expected,
            "{name}"
        );
    };
    check("kilo", &["kilos", "grams"], Some("did you mean `kilos`?"));
    check("Kilos", &["kilos"], Some("did you mean `kilos`?"));
    check(
        "desciption",
        &["description", "name"],
        Some("did you mean `description`?"),
    );
    check(
        "tie-break",
        &["field", "tie_break"],
        Some("did you mean `tie_break`?"),
    );
    check("qaulity", &["quality"], Some("did you mean `quality`?"));
    check("xyz", &["a", "b"], Some("known here: `a`, `b`"));
    check("xyz", &[], None);
    check(
        "xyz",
        &["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"],
        None,
    );
}
