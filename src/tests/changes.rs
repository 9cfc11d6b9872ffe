//! Two versions of a project, and what `assay diff` says of them. A fixture is a folder with
//! `before` and `after`; a spec that it lacks is taken from `fixtures/changes/base`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;

use super::golden::{Golden, folder, names_in};
use super::scratch::Scratch;
use crate::change::kinds::{Change, Class};
use crate::change::lock::Digest;
use crate::change::meaning::meaning;
use crate::cli::{Console, Paint, run};

const BASE: &str = "base";
/// Changes to the generated project, as if another version had written it.
const EDITS: &str = "edits";

fn fixtures() -> Vec<String> {
    let names = names_in(&folder("fixtures/changes")).into_iter();
    names.filter(|name| name != BASE).collect()
}

/// File name → text of one side of a fixture, over the base.
fn side(name: &str, side: &str) -> BTreeMap<String, String> {
    let root = folder("fixtures/changes");
    let mut files = BTreeMap::new();
    for folder in [root.join(BASE), root.join(name).join(side)] {
        for file in names_in(&folder) {
            let text = fs::read_to_string(folder.join(&file)).expect("a fixture");
            files.insert(file, text);
        }
    }
    files
}

/// Writes the specs anew; what is generated stays.
fn write(scratch: &Scratch, files: &BTreeMap<String, String>) {
    _ = fs::remove_dir_all(scratch.path().join("specs"));
    for (file, text) in files {
        match file.as_str() {
            EDITS => {}
            "assay.yml" => scratch.write(file, text),
            _ => scratch.write(&format!("specs/{file}"), text),
        }
    }
}

/// Exit code and output, without the folder it ran in.
fn assay(scratch: &Scratch, line: &str) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = line.split_whitespace().map(OsString::from);
    let mut console = Console::new(&mut out, Paint::Plain, &mut err, Paint::Plain);
    let code = run(words, scratch.path(), &mut console);
    let text = String::from_utf8([out, err].concat()).expect("UTF-8");
    let here = format!("{}/", scratch.path().display());
    (code, text.replace(&here, ""))
}

pub(crate) fn fixture(name: &str) -> Scratch {
    let scratch = Scratch::new();
    let before = side(name, "before");
    write(&scratch, &before);
    let (code, said) = assay(&scratch, "assay generate");
    assert_eq!(code, 0, "fixtures/changes/{name}/before\n{said}");
    for line in before
        .get(EDITS)
        .into_iter()
        .flat_map(|edits| edits.lines())
    {
        edit(&scratch, line);
    }
    write(&scratch, &side(name, "after"));
    scratch
}

/// `path: from => to`; the lock takes an edited file for one that it wrote.
fn edit(scratch: &Scratch, line: &str) {
    let line = line.replace("{version}", env!("CARGO_PKG_VERSION"));
    let (path, change) = line.split_once(": ").expect("a path");
    let (from, to) = change.split_once(" => ").expect("two texts");
    let path = format!("out/{path}");
    let old = scratch.text(&path);
    let lock = scratch.text("out/assay.lock");
    if from == "(all facts)" {
        let (_, files) = lock.split_once("[files]").expect("files");
        let text = format!("assay-lock 1\n\n[project]\nhost own\n\n[files]{files}");
        return scratch.write("out/assay.lock", &text);
    }
    assert!(old.contains(from), "`{from}` is not in {path}");
    let new = old.replace(from, to);
    scratch.write(&path, &new);
    if !path.ends_with("assay.lock") {
        let (before, after) = (Digest::of(&old), Digest::of(&new));
        let lock = lock.replace(&before.to_string(), &after.to_string());
        scratch.write("out/assay.lock", &lock);
    }
}

#[test]
fn changes_are_reported_as_reviewed() {
    let mut golden = Golden::default();
    for name in fixtures() {
        let (code, report) = assay(&fixture(&name), "assay diff");
        assert_eq!(code, 0, "{name}\n{report}");
        golden.check(&format!("changes/{name}.txt"), &report);
    }
    golden.finish();
}

#[test]
fn other_formats_are_reviewed_too() {
    let mut golden = Golden::default();
    for format in ["markdown", "json", "sarif", "github"] {
        let (code, report) = assay(
            &fixture("several"),
            &format!("assay diff --format {format}"),
        );
        assert_eq!(code, 0, "{report}");
        // What stands in the generated files has goldens of its own.
        let (report, files) = report.split_once("<details>").unwrap_or((&report, ""));
        assert_eq!(files.contains("```diff\n--- a/"), format == "markdown");
        golden.check(&format!("formats/diff.{format}"), report);
    }
    golden.finish();
}

#[test]
fn text_of_users_stays_text_in_every_format() {
    let mut golden = Golden::default();
    for format in ["markdown", "github"] {
        let line = format!("assay diff --format {format}");
        let (_, report) = assay(&fixture("hostile-text"), &line);
        let (report, _) = report.split_once("<details>").unwrap_or((&report, ""));
        golden.check(&format!("formats/diff-hostile.{format}"), report);
    }
    golden.finish();
}

#[test]
fn every_kind_of_change_has_a_fixture() {
    let reports = fixtures().into_iter().map(|name| {
        let golden = folder("golden/changes").join(format!("{name}.txt"));
        fs::read_to_string(golden).unwrap_or_default()
    });
    let reports: String = reports.collect();
    let mut missing = Vec::new();
    for change in Change::ALL {
        let meaning = meaning(change);
        let is_shown = |line: &str| {
            let line = line.trim_start();
            let rest = line.strip_prefix(meaning.class.name()).map(str::trim_start);
            let rest = rest.and_then(|rest| rest.strip_prefix(meaning.what));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ']))
        };
        if !reports.lines().any(is_shown) {
            missing.push(meaning.name);
        }
    }
    assert!(missing.is_empty(), "fixtures/changes lacks {missing:?}");
}

#[test]
fn every_kind_of_change_is_listed_and_has_a_name_of_its_own() {
    let source = fs::read_to_string(folder("src/change/meaning.rs")).expect("the table");
    let table = source.split("match change {").nth(1).expect("a match");
    let rows = table.split("Meaning {").next().expect("its arms");
    assert_eq!(rows.matches("Change::").count(), Change::ALL.len());
    let names: BTreeSet<&str> = Change::ALL.iter().map(|each| meaning(*each).name).collect();
    assert_eq!(names.len(), Change::ALL.len());
}

#[test]
fn no_report_is_left_over() {
    let mut expected: Vec<String> = fixtures()
        .iter()
        .map(|name| format!("{name}.txt"))
        .collect();
    expected.sort();
    let reports = names_in(&folder("golden/changes"));
    assert_eq!(reports, expected, "golden/changes");
}

#[test]
fn field_pain_has_its_class() {
    for (name, class) in [
        ("p39-operator-flipped", Some(Class::Restating)),
        ("p39-flag-to-quarantine", Some(Class::Restating)),
        ("p39-comment-only", None),
        ("p40-enum-narrowed", Some(Class::Restating)),
        ("p40-enum-widened", Some(Class::Restating)),
        ("p40-enum-introduced", Some(Class::Restating)),
        ("p40-enum-reordered", None),
    ] {
        let (_, report) = assay(&fixture(name), "assay diff --format json");
        let worst = match class {
            Some(class) => format!("\"worst\": \"{}\"", class.name()),
            None => "\"worst\": null".to_owned(),
        };
        assert!(report.contains(&worst), "{name}\n{report}");
    }
}

/// Every query of a generated project, without what an engine does not read.
fn queries(scratch: &Scratch) -> BTreeMap<String, String> {
    let mut queries = BTreeMap::new();
    for (path, text) in scratch.all() {
        let Some(path) = path.strip_prefix("out/") else {
            continue;
        };
        if !path.ends_with(".sql") || path.ends_with("/assay.sql") {
            continue;
        }
        let (before, body) = match text.split_once("{{ config(") {
            Some((before, rest)) => (before, rest.split_once(") }}").expect("its end").1),
            None => ("", text.as_str()),
        };
        let lines = before.lines().chain(body.lines());
        let lines = lines.filter(|line| !line.contains("generated by assay"));
        queries.insert(path.to_owned(), lines.collect::<Vec<_>>().join("\n"));
    }
    queries
}

#[test]
fn what_restates_changes_a_query_and_what_is_cosmetic_changes_none() {
    // The same rows in another order of columns, by another spelling, or kept in another way; other
    // paths.
    let harmless = [
        "arrival-lag-changed",
        "assert-respelled",
        "fields-reordered",
        "folder-changed",
        "key-reordered",
        "ledger-rule-respelled",
        "materialization-changed",
        "recipe-respelled",
        "rule-respelled",
    ];
    // What changes is where, or for whom, or by whom; or it is not known.
    let elsewhere = [
        "dialect-changed",
        "gold-changed",
        "grant-revoked",
        "past-unknown",
        "silver-changed",
        "target-changed",
        "unexplained",
    ];
    let mut wrong = Vec::new();
    for name in fixtures() {
        let scratch = fixture(&name);
        let before = queries(&scratch);
        let (_, report) = assay(&scratch, "assay diff --format json");
        let is_named = |class: Class| report.contains(&format!("\"worst\": \"{}\"", class.name()));
        let restates = is_named(Class::Restating) || is_named(Class::Breaking);
        let is_silent = is_named(Class::Cosmetic) || report.contains("\"worst\": null");
        assert_eq!(assay(&scratch, "assay generate").0, 0, "{name}");
        // Sources are named in properties only.
        let differs = before != queries(&scratch) || name == "bronze-changed";
        if restates && !differs && !elsewhere.contains(&name.as_str())
            || is_silent && differs && !harmless.contains(&name.as_str())
        {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A small generator of numbers; the same seed gives the same specs.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

/// The items of a block, whose keys stand `indent` blanks in, in another order.
fn shuffled(block: &str, indent: usize, dice: &mut Dice) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in block.lines() {
        let depth = line.len() - line.trim_start().len();
        match items.last_mut() {
            Some(item) if depth > indent => *item += &format!("{line}\n"),
            Some(_) | None => items.push(format!("{line}\n")),
        }
    }
    dice.shuffle(&mut items);
    items
}

/// Lists whose order says nothing, in another order, and a comment behind them.
fn with_sets_shuffled(text: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        for key in ["values: [", "enum: [", "select: [", "unmapped: ["] {
            let Some((head, rest)) = line.split_once(key) else {
                continue;
            };
            let (list, tail) = rest.split_once(']').expect("a list");
            let mut items: Vec<&str> = list.split(", ").collect();
            dice.shuffle(&mut items);
            line = format!("{head}{key}{}]{tail}", items.join(", "));
        }
        out += &match dice.below(4) {
            0 => format!("{line} # said differently\n"),
            1 => format!("# a comment\n{line}\n\n"),
            _ => format!("{line}\n"),
        };
    }
    out
}

/// The base, said in other words.
fn rewritten(dice: &mut Dice) -> BTreeMap<String, String> {
    let mut files = side("several", "before");
    let model = files.remove("model.yaml").expect("the model");
    let (head, relationships) = model.split_once("relationships:\n").expect("both");
    let entities = head.split_once("entities:\n").expect("entities").1;
    let mut documents = vec![String::new(); 1 + dice.below(3)];
    for entity in shuffled(entities, 2, dice) {
        let count = documents.len();
        documents[dice.below(count)] += &entity;
    }
    for (number, entities) in documents.iter().enumerate() {
        let text = match entities.is_empty() {
            true => continue,
            false => format!("spec_version: 1\nentities:\n{entities}"),
        };
        files.insert(format!("part_{number}/model.yml"), text);
    }
    let relationships = shuffled(relationships, 2, dice).concat();
    let text = format!("spec_version: 1\nrelationships:\n{relationships}");
    files.insert("relationships.yaml".to_owned(), text);
    let order = files.remove("order.yaml").expect("a mapping");
    let (head, rest) = order.split_once("\nfields:\n").expect("fields");
    let (fields, tail) = rest.split_once("unmapped").expect("unmapped");
    let fields = shuffled(fields, 2, dice).concat();
    let text = format!("{head}\nfields:\n{fields}unmapped{tail}");
    files.insert("deeper/order_mapping.yaml".to_owned(), text);
    for (file, text) in &mut files {
        if file != "assay.yml" {
            *text = with_sets_shuffled(text, dice);
        }
    }
    files
}

#[test]
fn other_words_for_the_same_project_are_no_change() {
    let scratch = Scratch::new();
    write(&scratch, &side("several", "before"));
    assert_eq!(assay(&scratch, "assay generate").0, 0);
    for seed in 0..20 {
        let files = rewritten(&mut Dice(seed));
        write(&scratch, &files);
        let (code, report) = assay(&scratch, "assay diff --fail-on any");
        assert!(
            code == 0 && report.starts_with("no changes"),
            "seed {seed}\n{report}\n{files:#?}"
        );
    }
}
