//! Commands, from the words to what they say and leave behind.

use std::io::{ErrorKind, Write};
use std::path::Path;

use super::{assay, words};
use crate::cli::paths::below;
use crate::cli::{Console, Paint, run};
use crate::tests::scratch::Scratch;

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
