//! `assay diff` against folders and revisions, and when it fails.

use std::process::Command;

use super::assay;
use crate::tests::changes::fixture;
use crate::tests::golden::Golden;
use crate::tests::scratch::Scratch;

const MODEL: &str = "spec_version: 1\nentities:\n  region:\n    grain: one row per region\n    \
                     key: [code]\n    owner: shop\n    fields:\n      code: {type: string}\n      \
                     name: {type: string}\n";
const MAPPING: &str = "mapping_version: 1\nsource: regions\ntarget: region\n\
                       key: {code: {from: \"$.code\"}}\nfields: {name: {from: \"$.name\"}}\n";
const CONFIG: &str = "assay_version: 1\ntarget: dbt\nout: out\n";

/// A project that was generated.
fn project() -> Scratch {
    let scratch = Scratch::with(&[
        ("assay.yml", CONFIG),
        ("specs/model.yaml", MODEL),
        ("specs/mapping.yaml", MAPPING),
    ]);
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    scratch
}

/// Values come from another column: a restating change.
fn restate(scratch: &Scratch) {
    scratch.write("specs/mapping.yaml", &MAPPING.replace("$.name", "$.title"));
}

fn git(scratch: &Scratch, line: &str) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-C"];
    let output = Command::new("git")
        .args(identity)
        .arg(scratch.path())
        .args(line.split(' '))
        .output()
        .expect("git");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {line}: {words}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Commits what stands there.
fn commit(scratch: &Scratch) {
    git(scratch, "init -q");
    git(scratch, "add .");
    git(scratch, "commit -q -m generated");
}

#[test]
fn a_revision_is_read_without_touching_the_work_tree() {
    let scratch = project();
    commit(&scratch);
    restate(&scratch);
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    let here = assay(&scratch, "assay diff");
    assert!(here.out.starts_with("no changes"), "{}", here.out);
    let before = git(&scratch, "status --porcelain");
    let said = assay(&scratch, "assay diff --against HEAD");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("against `HEAD`: 1 restating"),
        "{}",
        said.out
    );
    assert!(!said.out.contains("assay generate"), "{}", said.out);
    let all = assay(&scratch, "assay diff --against HEAD --format markdown");
    assert!(all.out.contains("-  \"name\"::TEXT"), "{}", all.out);
    assert_eq!(git(&scratch, "status --porcelain"), before);
}

#[test]
fn a_revision_that_says_nothing_is_refused() {
    let scratch = project();
    let said = assay(&scratch, "assay diff --against nowhere");
    assert_eq!(said.code, 2, "{}", said.err);
    commit(&scratch);
    for (named, why) in [
        ("nowhere", "cannot find the revision `nowhere`"),
        ("--help", ""),
        ("-q", ""),
    ] {
        let said = assay(&scratch, &format!("assay diff --against={named}"));
        assert_eq!(said.code, 2, "{named}: {}{}", said.out, said.err);
        assert!(said.err.contains(why), "{}", said.err);
    }
    git(&scratch, "rm -q --cached out/assay.lock");
    git(&scratch, "commit -q -m without");
    let said = assay(&scratch, "assay diff --against HEAD");
    assert!(said.err.contains("`HEAD` holds no"), "{}", said.err);
    assert_eq!(said.code, 2);
}

#[test]
fn a_lock_of_a_revision_that_cannot_be_trusted_is_refused() {
    let scratch = project();
    let lock = scratch.text("out/assay.lock");
    scratch.write("out/assay.lock", &format!("<<<<<<< HEAD\n{lock}"));
    commit(&scratch);
    scratch.write("out/assay.lock", &lock);
    let said = assay(&scratch, "assay diff --against HEAD");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("markers of a merge"), "{}", said.err);
}

#[test]
fn another_folder_can_be_the_past() {
    let scratch = project();
    assert_eq!(assay(&scratch, "assay generate --out other").code, 0);
    restate(&scratch);
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    let said = assay(&scratch, "assay diff --against other");
    assert!(
        said.out.contains("against `other`: 1 restating"),
        "{}",
        said.out
    );
    let said = assay(&scratch, "assay diff --against specs");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("holds no `assay.lock`"), "{}", said.err);
}

#[test]
fn it_fails_on_what_nobody_has_allowed() {
    let scratch = project();
    let codes = |expected: [u8; 4]| {
        let flags = [
            "",
            " --fail-on breaking",
            " --fail-on restating",
            " --fail-on any",
        ];
        for (flag, code) in flags.into_iter().zip(expected) {
            let said = assay(&scratch, &format!("assay diff{flag}"));
            assert_eq!(said.code, code, "{flag}: {}{}", said.out, said.err);
        }
    };
    codes([0, 0, 0, 0]);
    scratch.write(
        "specs/model.yaml",
        &MODEL.replace("owner: shop", "owner: crm"),
    );
    codes([0, 0, 0, 1]);
    restate(&scratch);
    codes([0, 0, 1, 1]);
    let report = assay(&scratch, "assay diff").out;
    let (_, rest) = report.split_once('[').expect("a fingerprint");
    let (fingerprint, _) = rest.split_once(']').expect("its end");
    let allow = format!(
        "{CONFIG}allow:\n  - {{change: \"{fingerprint}\", reason: titles are the names}}\n  - \
         {{change: \"0123456789ab\", reason: done}}\n"
    );
    scratch.write("assay.yml", &allow);
    codes([0, 0, 0, 1]);
    let report = assay(&scratch, "assay diff").out;
    assert!(
        report.contains("approved: titles are the names"),
        "{report}"
    );
    assert!(report.contains("`allow` names `0123456789ab`"), "{report}");
}

#[test]
fn a_file_that_was_edited_by_hand_is_said_and_not_compared() {
    let scratch = project();
    let path = "out/models/assay/silver/region.sql";
    scratch.write(path, &format!("{}\nSELECT 1\n", scratch.text(path)));
    let said = assay(&scratch, "assay diff");
    assert!(said.out.starts_with("no changes"), "{}", said.out);
    assert!(said.out.contains("was edited by hand"), "{}", said.out);
}

#[test]
fn a_project_that_was_never_generated_is_all_new() {
    let scratch = Scratch::with(&[
        ("assay.yml", CONFIG),
        ("specs/model.yaml", MODEL),
        ("specs/mapping.yaml", MAPPING),
    ]);
    let said = assay(&scratch, "assay diff --fail-on restating");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("1 change against nothing"),
        "{}",
        said.out
    );
    assert!(said.out.contains("additive   new entity"), "{}", said.out);
}

#[test]
fn sqlmesh_is_left_to_plan_for_itself() {
    let scratch = Scratch::with(&[
        ("assay.yml", &CONFIG.replace("dbt", "sqlmesh")),
        ("specs/model.yaml", MODEL),
        ("specs/mapping.yaml", MAPPING),
    ]);
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    restate(&scratch);
    let said = assay(&scratch, "assay diff");
    assert!(said.out.ends_with("out\n  sqlmesh plan\n"), "{}", said.out);
}

#[test]
fn the_catalog_of_dbt_gives_what_the_configuration_does_not_say() {
    let scratch = project();
    restate(&scratch);
    let cost = |scratch: &Scratch| {
        let said = assay(scratch, "assay diff --format json");
        let document: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        (document["cost"].clone(), document["notes"].to_string())
    };
    assert_eq!(cost(&scratch).0, serde_json::Value::Null);
    let catalog = |rows: &str| {
        format!(
            r#"{{"metadata": {{}}, "nodes": {{}}, "sources": {{"source.assay.bronze.regions": {{"metadata": {{"name":
            "regions"}}, "columns": {{}}, "stats": {{"num_rows": {{"id": "num_rows", "value": {rows}}}, "num_bytes":
            {{"id": "num_bytes", "value": 2000}}}}}}}}}}"#
        )
    };
    scratch.write("out/target/catalog.json", &catalog("70"));
    let (found, _) = cost(&scratch);
    assert_eq!(found["restatements"][0]["entity"], "region");
    assert_eq!(
        (&found["rows"], &found["bytes"]),
        (&70.into(), &2000.into())
    );
    let said = "statistics: {sources: {regions: {rows: 9}, other: {rows: 1}}}\n";
    scratch.write("assay.yml", &format!("{CONFIG}{said}"));
    let (found, notes) = cost(&scratch);
    assert_eq!(found["rows"], 9);
    assert_eq!(found["bytes"], serde_json::Value::Null);
    assert!(
        notes.contains("`sources.other`, which is not there"),
        "{notes}"
    );
    scratch.write("out/target/catalog.json", "{");
    let (_, notes) = cost(&scratch);
    assert!(notes.contains("not what dbt writes"), "{notes}");
}

/// docs/pull-requests.md leads to it.
#[test]
fn the_comment_in_the_documentation_is_a_real_one() {
    let scratch = fixture("statistics");
    commit(&scratch);
    git(&scratch, "update-ref refs/remotes/origin/main HEAD");
    assert_eq!(assay(&scratch, "assay generate").code, 0);
    let said = assay(
        &scratch,
        "assay diff --against origin/main --format markdown",
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let here = format!("{}/", scratch.path().display());
    let mut golden = Golden::default();
    golden.check(
        "../docs/pull-request-comment.md",
        &said.out.replace(&here, ""),
    );
    golden.finish();
}
