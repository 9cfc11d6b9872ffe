//! Commands over folders of their own. Where a tree is brought to, not what is in it.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::SystemTime;

use clap::Parser;

use crate::cli::failure::Failure;
use crate::cli::paths::below;
use crate::cli::{Cli, Command, Console, Outcome, Paint, generate, project, run, settings};
use crate::tests::scratch::Scratch;
use crate::tree::Tree;

/// Exit code, data and messages.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    code: u8,
    out: String,
    err: String,
}

fn listen(work: impl FnOnce(&mut Console<'_>) -> u8) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = work(&mut Console::new(
        &mut out,
        Paint::Plain,
        &mut err,
        Paint::Plain,
    ));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Said {
        code,
        out: text(out),
        err: text(err),
    }
}

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn assay(scratch: &Scratch, line: &str) -> Said {
    listen(|console| run(words(line), scratch.path(), console))
}

/// `assay generate` as it goes on once the specs have become this tree.
fn deliver(scratch: &Scratch, line: &str, tree: &Tree) -> Said {
    let Command::Generate(args) = Cli::try_parse_from(words(line)).expect("flags").command else {
        panic!("not `generate`")
    };
    listen(|console| {
        let delivered = try_deliver(scratch, &args, tree, console);
        match delivered {
            Ok(Outcome::Fine) => 0,
            Ok(Outcome::Found) => 1,
            Err(failure) => {
                console.fail(&failure);
                2
            }
        }
    })
}

fn try_deliver(
    scratch: &Scratch,
    args: &generate::Args,
    tree: &Tree,
    console: &mut Console<'_>,
) -> Result<Outcome, Failure> {
    let Ok(request) = settings::read(&args.project, scratch.path())? else {
        panic!("`assay.yml` has errors")
    };
    let project = project::locate(&request)?.expect("a target");
    generate::deliver(args, &project, tree, console)
}

const DBT: &str = "assay generate --target dbt --out out";

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, text) in files {
        tree.generated(*path, (*text).to_owned());
    }
    tree
}

/// A model and what is needed to run it.
fn shop() -> Tree {
    let mut tree = tree(&[("models/assay/silver/order.sql", "select 1\n")]);
    tree.scaffold("dbt_project.yml", "name: shop\n".to_owned());
    tree
}

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
        (lock.replace("a.sql", "../a.sql"), "damaged at line 7"),
        (
            lock.replace("assay-lock 1", "assay-lock 9"),
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

#[test]
fn an_existing_dbt_project_gets_a_package_and_keeps_its_files() {
    let host = [
        ("dbt_project.yml", "name: host\nmodel-paths: [\"models\"]\n"),
        ("models/order.sql", "select 1"),
        ("packages.yml", "packages:\n  - package: a/b\n"),
    ];
    let scratch = Scratch::with(&host);
    let line = "assay generate --out . --folder quality";
    let said = deliver(
        &scratch,
        line,
        &tree(&[("models/quality/silver/parcel.sql", "1")]),
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(scratch.holds("quality/models/quality/silver/parcel.sql"));
    assert!(scratch.holds("quality/assay.lock"));
    assert!(
        said.err.contains("packages:\n      - local: ./quality"),
        "{}",
        said.err
    );
    for (path, text) in host {
        assert_eq!(scratch.text(path), text);
    }
    scratch.write("packages.yml", "packages:\n  - local: quality/\n");
    let said = deliver(
        &scratch,
        line,
        &tree(&[("models/quality/silver/parcel.sql", "2")]),
    );
    assert!(!said.err.contains("packages.yml"), "{}", said.err);
}

#[test]
fn an_existing_dbt_project_may_take_the_files_among_its_own() {
    let project = "name: host\nmodel-paths: [\"dbt/models\"]\n";
    let scratch = Scratch::with(&[("dbt_project.yml", project)]);
    let line = "assay generate --layout inline";
    let said = deliver(
        &scratch,
        line,
        &tree(&[("models/assay/silver/parcel.sql", "1")]),
    );
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(scratch.holds("models/assay/silver/parcel.sql"));
    let snippet = "add to `dbt_project.yml`:\n\n    model-paths: [\"dbt/models\", \"models\"]\n";
    assert!(said.err.contains(snippet), "{}", said.err);
    assert_eq!(scratch.text("dbt_project.yml"), project);

    let package = "assay generate --layout package --folder quality";
    assert_eq!(
        deliver(&scratch, package, &tree(&[("macros/m.sql", "1")])).code,
        0
    );
    let said = deliver(
        &scratch,
        "assay generate --layout inline --folder quality",
        &shop(),
    );
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("holds the same project as a package"),
        "{}",
        said.err
    );
}

#[test]
fn a_name_that_the_repository_has_is_refused_before_writing() {
    let scratch = Scratch::with(&[
        ("dbt_project.yml", "name: host\n"),
        ("models/staging/Order.sql", "select 1"),
        ("macros/all.sql", "{% macro assay_gate(x) %}{% endmacro %}"),
    ]);
    let ours = tree(&[
        ("models/assay/silver/order.sql", "1"),
        (
            "macros/assay/gate.sql",
            "{% macro assay_gate() %}{% endmacro %}",
        ),
    ]);
    let before = scratch.all();
    let said = deliver(&scratch, "assay generate --out .", &ours);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("model `order`"), "{}", said.err);
    assert!(
        said.err.contains("already in `models/staging/Order.sql`"),
        "{}",
        said.err
    );
    assert!(said.err.contains("macro `assay_gate`"), "{}", said.err);
    assert_eq!(scratch.all(), before);
}

#[test]
fn a_project_of_its_own_may_grow_and_its_new_names_count() {
    let scratch = Scratch::new();
    assert_eq!(deliver(&scratch, DBT, &shop()).code, 0);
    scratch.write("out/models/mine/customer.sql", "select 1");
    assert_eq!(deliver(&scratch, DBT, &shop()).code, 0);
    let said = deliver(
        &scratch,
        DBT,
        &tree(&[("models/assay/silver/customer.sql", "1")]),
    );
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("already in `models/mine/customer.sql`"),
        "{}",
        said.err
    );
}

#[test]
fn an_existing_sqlmesh_project_takes_the_files_among_its_own() {
    let scratch = Scratch::with(&[
        ("config.yaml", "model_defaults: {dialect: duckdb}\n"),
        (
            "models/theirs.sql",
            "MODEL (\n  name silver.theirs,\n);\nselect 1",
        ),
    ]);
    let model = |name: &str| format!("MODEL (name silver.{name}, kind FULL);\nselect 1\n");
    let ours = tree(&[("models/assay/silver/parcel.sql", &model("parcel"))]);
    for _ in 0..2 {
        let said = deliver(&scratch, "assay generate --out .", &ours);
        assert_eq!(said.code, 0, "{}", said.err);
    }
    assert!(scratch.holds("models/assay/silver/parcel.sql"));
    let clash = tree(&[("models/assay/silver/theirs.sql", &model("\"theirs\""))]);
    let said = deliver(&scratch, "assay generate --out .", &clash);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("model `silver.theirs`"), "{}", said.err);
}

#[test]
fn a_folder_of_something_else_is_not_made_a_project() {
    let scratch = Scratch::with(&[
        ("docs/readme.md", "mine"),
        ("mesh/config.yaml", "gateways: {}\n"),
        ("repo/specs/a.yaml", ""),
        ("package/dbt_project.yml", "name: host\n"),
    ]);
    let refused = |line: &str, why: &str| {
        let before = scratch.all();
        let said = deliver(&scratch, line, &shop());
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
        assert_eq!(scratch.all(), before);
    };
    refused("assay generate --target dbt --out docs", "is not empty");
    refused(
        "assay generate --target dbt --out mesh",
        "is a SQLMesh project",
    );
    refused(
        "assay generate --out package --folder models",
        "is a folder of the dbt project",
    );
    refused(
        "assay generate --out package --folder host",
        "is the name of the dbt project",
    );
    let beside_the_specs = "assay generate --target dbt --specs repo/specs --out repo";
    assert_eq!(deliver(&scratch, beside_the_specs, &shop()).code, 0);
}

#[test]
fn init_writes_what_generate_goes_on_from() {
    let scratch = Scratch::new();
    let said = assay(&scratch, "assay init --target sqlmesh");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(scratch.text("assay.yml").contains("target: sqlmesh"));
    let before = scratch.all();
    assert_eq!(assay(&scratch, "assay init").code, 2);
    assert_eq!(scratch.all(), before);
}

#[test]
fn init_takes_specs_as_they_are() {
    let scratch = Scratch::with(&[("specs/shop.yaml", "spec_version: 1\n")]);
    assert_eq!(assay(&scratch, "assay init").code, 0);
    let files: Vec<String> = scratch.all().into_keys().collect();
    assert_eq!(files, ["assay.yml", "specs", "specs/shop.yaml"]);
}

#[test]
fn what_init_wrote_generates_for_either_framework() {
    for target in ["dbt", "sqlmesh"] {
        let scratch = Scratch::new();
        for (line, code) in [
            (format!("assay init --target {target}"), 0),
            ("assay check".to_owned(), 0),
            ("assay generate --check".to_owned(), 1),
            ("assay generate".to_owned(), 0),
            ("assay generate --check".to_owned(), 0),
        ] {
            let said = assay(&scratch, &line);
            assert_eq!(said.code, code, "{line}: {}{}", said.out, said.err);
        }
        assert!(scratch.holds("models/assay/silver/customer.sql"));
    }
}

#[test]
fn wrong_specs_are_shown_and_nothing_is_written() {
    let scratch = Scratch::with(&[("specs/a.yaml", "spec_version: 1\nentitees: {}\n")]);
    let before = scratch.all();
    let check = assay(&scratch, "assay check");
    assert_eq!(check.code, 1);
    assert!(check.out.contains("specs/a.yaml:2:1"), "{}", check.out);
    for line in [
        "assay generate --target dbt",
        "assay generate --target dbt --check",
    ] {
        let said = assay(&scratch, line);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{line}");
        assert!(said.err.contains("specs/a.yaml:2:1"), "{}", said.err);
    }
    let json = assay(&scratch, "assay generate --target dbt --format json");
    assert!(json.out.starts_with('{') && json.err.is_empty(), "{json:?}");
    assert_eq!(scratch.all(), before);
}

#[test]
fn init_reads_the_framework_and_the_engine() {
    let profiles = |engine: &str| {
        format!("shop:\n  target: dev\n  outputs:\n    dev: {{type: {engine}, threads: 1}}\n")
    };
    let dbt = ("dbt_project.yml", "name: shop\nprofile: shop\n");
    let scratch = Scratch::with(&[dbt, ("profiles.yml", &profiles("duckdb"))]);
    assert_eq!(assay(&scratch, "assay init").code, 0);
    let config = scratch.text("assay.yml");
    assert!(
        config.contains("target: dbt") && config.contains("dialect: duckdb"),
        "{config}"
    );

    let scratch = Scratch::with(&[dbt, ("profiles.yml", &profiles("teradata"))]);
    let said = assay(&scratch, "assay init");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("`teradata`"), "{}", said.err);
    assert!(!scratch.holds("assay.yml"));
    assert_eq!(assay(&scratch, "assay init --dialect duckdb").code, 0);

    let mesh = "gateways:\n  local:\n    connection: {type: duckdb}\n";
    let scratch = Scratch::with(&[("config.yaml", mesh)]);
    assert_eq!(assay(&scratch, "assay init").code, 0);
    assert!(scratch.text("assay.yml").contains("target: sqlmesh"));
}

#[test]
fn missing_specs_are_named() {
    let scratch = Scratch::with(&[("specs/readme.md", "")]);
    let said = assay(&scratch, "assay generate --target dbt --out out");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("specs` holds no specs"), "{}", said.err);
    let said = assay(&Scratch::new(), "assay check --specs nowhere");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("nowhere` does not exist"), "{}", said.err);
}

#[test]
fn what_cannot_be_understood_is_refused_with_help() {
    let scratch = Scratch::new();
    for line in [
        "assay",
        "assay frobnicate",
        "assay generate --folder ../x",
        "assay explain E9999",
    ] {
        let said = assay(&scratch, line);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
        assert!(!said.err.is_empty());
    }
    assert_eq!(assay(&scratch, "assay --version").code, 0);
    assert!(
        assay(&scratch, "assay completions bash")
            .out
            .contains("_assay")
    );
}

#[test]
fn schemas_are_printed_and_written_for_editors() {
    let scratch = Scratch::new();
    let kinds = assay(&scratch, "assay schema").out;
    assert_eq!(
        kinds.lines().collect::<Vec<_>>(),
        ["catalog", "config", "entity-model", "mapping"]
    );
    assert!(
        assay(&scratch, "assay schema mapping")
            .out
            .contains("mapping_version")
    );
    let said = assay(&scratch, "assay schema --write editor/schemas");
    assert_eq!(said.code, 0, "{}", said.err);
    let line = "# yaml-language-server: $schema=../editor/schemas/mapping.schema.json\n";
    assert!(said.out.contains(line), "{}", said.out);
    assert!(
        said.out
            .contains("$schema=editor/schemas/config.schema.json"),
        "{}",
        said.out
    );
    let mapping = scratch.text("editor/schemas/mapping.schema.json");
    assert_eq!(mapping, assay(&scratch, "assay schema mapping").out);
}

#[test]
fn paths_are_plain_and_never_empty() {
    let shown = |here: &str, path: &str| below(Path::new(here), Path::new(path));
    assert_eq!(shown(".", "."), Path::new("."));
    assert_eq!(shown(".", "./specs/"), Path::new("specs"));
    assert_eq!(shown(".", "../specs"), Path::new("../specs"));
    assert_eq!(shown("a", "b"), Path::new("a/b"));
    assert_eq!(shown("a", "/b"), Path::new("/b"));
}

/// What a pipe does once its reader has gone, or a disk that is full.
struct Broken(ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let scratch = Scratch::new();
    for (kind, code) in [(ErrorKind::BrokenPipe, 0), (ErrorKind::StorageFull, 2)] {
        let (mut out, mut err) = (Broken(kind), Broken(kind));
        let mut console = Console::new(&mut out, Paint::Plain, &mut err, Paint::Plain);
        assert_eq!(
            run(
                words("assay completions bash"),
                scratch.path(),
                &mut console
            ),
            code
        );
    }
}
