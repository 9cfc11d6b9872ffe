//! `assay blame`: which files and lines it takes, and what it says of one that is not as generated.

use super::assay;
use crate::tests::scratch::Scratch;

const MODEL: &str = "spec_version: 1\nentities:\n  region:\n    grain: one row per region\n    \
                     key: [code]\n    owner: shop\n    fields:\n      code: {type: string}\n      \
                     name: {type: string}\n";
const MAPPING: &str = "mapping_version: 1\nsource: regions\ntarget: region\n\
                       key: {code: {from: \"$.code\"}}\nfields: {name: {from: \"$.name\"}}\n";
const CONFIG: &str = "assay_version: 1\ntarget: dbt\nout: out\n";
const FILE: &str = "out/models/assay/silver/region.sql";

fn project() -> Scratch {
    let scratch = Scratch::with(&[
        ("assay.yml", CONFIG),
        ("specs/model.yaml", MODEL),
        ("specs/mapping.yaml", MAPPING),
    ]);
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    scratch
}

/// The number of the line that has the words.
fn line(scratch: &Scratch, words: &str) -> usize {
    let text = scratch.text(FILE);
    let found = text.lines().position(|line| line.contains(words));
    found.expect("such a line") + 1
}

#[test]
fn a_line_leads_to_the_mapping_and_the_declaration() {
    let scratch = project();
    let number = line(&scratch, "\"name\"::TEXT");
    let said = assay(&scratch, &format!("assay blame {FILE}:{number}"));
    assert_eq!(said.code, 0, "{}", said.err);
    for place in [
        "mapped field `name`",
        "specs/mapping.yaml:5:16",
        "specs/model.yaml:9:7",
    ] {
        assert!(said.out.contains(place), "{place}: {}", said.out);
    }
    let from_root = assay(
        &scratch,
        &format!("assay blame models/assay/silver/region.sql:{number}"),
    );
    assert_eq!(from_root, said);
}

#[test]
fn a_file_is_a_table_of_ranges() {
    let scratch = project();
    let said = assay(&scratch, "assay blame out/models/assay/silver/_region.yml");
    assert!(said.out.contains("entity's `owner`"), "{}", said.out);
    let document = assay(&scratch, &format!("assay blame {FILE} --format json")).out;
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["state"], "current");
    let ranges = document["lines"].as_array().expect("ranges");
    let mut next = 1;
    for range in ranges {
        assert_eq!(range["from"], next, "{range}");
        next = range["to"].as_u64().expect("a number") + 1;
        assert_eq!(range["generated"], true);
    }
    assert_eq!(next as usize, scratch.text(FILE).lines().count() + 1);
}

#[test]
fn a_file_that_is_not_as_generated_is_said_to_be() {
    let scratch = project();
    let text = scratch.text(FILE);
    let number = line(&scratch, "\"name\"::TEXT");
    scratch.write("specs/mapping.yaml", &MAPPING.replace("$.name", "$.title"));
    let stale = assay(&scratch, &format!("assay blame {FILE}:{number}"));
    assert!(stale.out.contains("specs have changed"), "{}", stale.out);
    assert!(stale.out.contains("no such line"), "{}", stale.out);
    scratch.write("specs/mapping.yaml", MAPPING);
    scratch.write(FILE, &format!("-- mine\n{text}"));
    let number = number + 1;
    let edited = assay(&scratch, &format!("assay blame {FILE}:{number}"));
    assert!(edited.out.contains("it was edited"), "{}", edited.out);
    assert!(
        edited.out.contains("specs/mapping.yaml:5:16"),
        "{}",
        edited.out
    );
    let own = assay(&scratch, &format!("assay blame {FILE}:1"));
    assert!(own.out.contains("no such line"), "{}", own.out);
    std::fs::remove_file(scratch.path().join(FILE)).expect("removed");
    let missing = assay(&scratch, &format!("assay blame {FILE}"));
    assert!(missing.out.contains("not written yet"), "{}", missing.out);
}

#[test]
fn what_no_spec_generates_is_refused() {
    let scratch = project();
    for (named, why) in [
        ("out/models/assay/silver/regon.sql", "did you mean"),
        ("specs/model.yaml", "no file that the specs generate"),
        ("../elsewhere.sql", "no file that the specs generate"),
        ("out/dbt_project.yml:1", "is yours"),
        ("out/models/assay/silver/region.sql:0", "it has lines 1 to"),
        (
            "out/models/assay/silver/region.sql:9999",
            "has no line 9999",
        ),
        ("out/models/assay/silver/region.sql:one", "did you mean"),
    ] {
        let said = assay(&scratch, &format!("assay blame {named}"));
        assert_eq!(said.code, 2, "{named}: {}", said.out);
        assert!(said.err.contains(why), "{named}: {}", said.err);
    }
}
