//! A tree, brought to a project of its own.

use std::time::SystemTime;

use super::{DBT, Said, deliver, shop, tree};
use crate::tests::scratch::Scratch;

fn modified(scratch: &Scratch, path: &str) -> SystemTime {
    let metadata = std::fs::metadata(scratch.path().join(path)).expect("a file");
    metadata.modified().expect("a time")
}

#[test]
fn a_new_project_is_written_and_then_left_alone() {
    let scratch = Scratch::new();
    let said = deliver(&scratch, DBT, &shop());
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    assert!(said.err.contains("2 added, 0 unchanged"), "{}", said.err);
    assert!(said.err.contains("dbt build"), "{}", said.err);
    assert_eq!(scratch.text("out/dbt_project.yml"), "name: shop\n");

    let files = [
        "out/models/assay/silver/order.sql",
        "out/dbt_project.yml",
        "out/assay.lock",
    ];
    let before = files.map(|file| modified(&scratch, file));
    scratch.write("out/dbt_project.yml", "name: mine\n");
    let said = deliver(&scratch, DBT, &shop());
    assert_eq!(said.code, 0);
    assert!(said.err.contains("up to date"), "{}", said.err);
    assert_eq!(scratch.text("out/dbt_project.yml"), "name: mine\n");
    for (file, before) in [(files[0], before[0]), (files[2], before[2])] {
        assert_eq!(modified(&scratch, file), before, "{file}");
    }
    assert_eq!(
        deliver(&scratch, &format!("{DBT} --check"), &shop()).code,
        0
    );
}

#[test]
fn check_lists_what_would_change_and_writes_nothing() {
    let scratch = Scratch::new();
    let said = deliver(&scratch, &format!("{DBT} --check"), &shop());
    assert_eq!(said.code, 1);
    assert_eq!(
        said.out,
        "add     assay.lock\nadd     dbt_project.yml\nadd     models/assay/silver/order.sql\n"
    );
    assert!(!scratch.holds("out"));
    assert_eq!(
        deliver(&scratch, &format!("{DBT} --dry-run"), &shop()).code,
        0
    );
    assert!(!scratch.holds("out"));
}

#[test]
fn a_dry_run_shows_the_difference() {
    let scratch = Scratch::new();
    deliver(
        &scratch,
        DBT,
        &tree(&[("models/assay/a.sql", "select 1\n"), ("b.sql", "b\n")]),
    );
    let after = tree(&[("models/assay/a.sql", "select 2\n"), ("c.sql", "c\n")]);
    let said = deliver(&scratch, &format!("{DBT} --dry-run --diff"), &after);
    for lines in [
        "--- a/models/assay/a.sql\n+++ b/models/assay/a.sql\n@@ -1 +1 @@\n-select 1\n+select 2\n",
        "--- a/b.sql\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
        "--- /dev/null\n+++ b/c.sql\n@@ -0,0 +1 @@\n+c\n",
    ] {
        assert!(said.out.contains(lines), "{}", said.out);
    }
    assert_eq!(scratch.text("out/models/assay/a.sql"), "select 1\n");
}

#[test]
fn a_file_that_is_no_longer_generated_goes_with_its_folder() {
    let scratch = Scratch::new();
    deliver(
        &scratch,
        DBT,
        &tree(&[("models/assay/order.sql", "1"), ("models/old/a.sql", "2")]),
    );
    scratch.write("out/models/notes.sql", "mine");
    deliver(
        &scratch,
        DBT,
        &tree(&[("models/assay/sales_order.sql", "1")]),
    );
    assert!(scratch.holds("out/models/assay/sales_order.sql"));
    assert!(!scratch.holds("out/models/assay/order.sql"));
    assert!(!scratch.holds("out/models/old"));
    assert_eq!(scratch.text("out/models/notes.sql"), "mine");
}

#[test]
fn an_edited_file_stops_the_run_and_every_one_is_named() {
    let scratch = Scratch::new();
    deliver(
        &scratch,
        DBT,
        &tree(&[("a.sql", "1\n"), ("b.sql", "2\n"), ("c.sql", "3\n")]),
    );
    scratch.write("out/a.sql", "edited\n");
    scratch.write("out/b.sql", "<<<<<<< HEAD\n2\n");
    scratch.write("out/d.sql", "theirs\n");
    let before = scratch.all();
    let after = tree(&[
        ("a.sql", "1\n"),
        ("b.sql", "2\n"),
        ("c.sql", "4\n"),
        ("d.sql", "5\n"),
    ]);
    for line in [DBT, &format!("{DBT} --check")] {
        let said = deliver(&scratch, line, &after);
        assert_eq!(said.code, 1);
        for name in [
            "out/a.sql` was edited",
            "out/b.sql` has the markers",
            "out/d.sql` was not",
        ] {
            assert!(said.err.contains(name), "{}", said.err);
        }
        assert_eq!(scratch.all(), before);
    }
    assert_eq!(deliver(&scratch, &format!("{DBT} --force"), &after).code, 0);
    assert_eq!(scratch.text("out/a.sql"), "1\n");
    assert_eq!(scratch.text("out/d.sql"), "5\n");
}

#[test]
fn line_ends_of_a_checkout_are_no_difference() {
    let scratch = Scratch::new();
    let tree = tree(&[("a.sql", "1\n2\n")]);
    deliver(&scratch, DBT, &tree);
    for file in ["out/a.sql", "out/assay.lock"] {
        let text = scratch.text(file).replace('\n', "\r\n");
        scratch.write(file, &text);
    }
    let said = deliver(&scratch, &format!("{DBT} --check"), &tree);
    assert_eq!(
        said,
        Said {
            code: 0,
            out: String::new(),
            err: String::new()
        }
    );
}

#[test]
fn a_lock_that_cannot_be_trusted_stops_the_run() {
    let scratch = Scratch::new();
    deliver(&scratch, DBT, &tree(&[("a.sql", "1\n")]));
    let lock = scratch.text("out/assay.lock");
    for (damaged, why) in [
        (format!("<<<<<<< HEAD\n{lock}"), "markers of a merge"),
        (lock.replace("a.sql", "../a.sql"), "damaged at line 15"),
        (
            lock.replace("assay-lock 2", "assay-lock 9"),
            "newer version",
        ),
    ] {
        scratch.write("out/assay.lock", &damaged);
        let said = deliver(&scratch, DBT, &tree(&[]));
        assert_eq!(said.code, 2);
        assert!(said.err.contains(why), "{}", said.err);
        assert!(scratch.holds("out/a.sql"));
    }
}
