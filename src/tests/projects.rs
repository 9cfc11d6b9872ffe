//! Whole generated projects: as goldens, byte for byte the same again, and readable by a SQL parser
//! that is not ours.

use similar::TextDiff;
use sqlparser::dialect::{Dialect as ParserDialect, DuckDbDialect, PostgreSqlDialect};
use sqlparser::parser::Parser;

use super::checking::{checked, settings};
use super::golden::{Golden, folder, names_in};
use crate::ir::Project;
use crate::lower::lower;
use crate::render::render;
use crate::settings::{Dialect, PostgresRelease, Settings, Target};
use crate::tree::Tree;

const POSTGRES_13: Dialect = Dialect::Postgres(PostgresRelease::From13);
const POSTGRES_16: Dialect = Dialect::Postgres(PostgresRelease::From16);

const TARGETS: [(Target, &str); 2] = [(Target::Dbt, "dbt"), (Target::Sqlmesh, "sqlmesh")];

/// DuckDB's trees are goldens as a whole, those of the others by what they change in them.
fn generated(project: &Project, target: Target) -> Tree {
    generated_for(project, target, Dialect::Duckdb)
}

fn generated_for(project: &Project, target: Target, dialect: Dialect) -> Tree {
    render(
        &lower(project),
        &Settings {
            target,
            dialect,
            ..settings()
        },
    )
}

fn each_project(mut with: impl FnMut(&str, &Project)) {
    let projects = folder("fixtures/projects");
    for name in names_in(&projects) {
        match checked(&projects.join(&name)) {
            Ok(project) => with(&name, &project),
            Err(report) => panic!("fixtures/projects/{name}\n{report}"),
        }
    }
}

#[test]
fn the_example_projects_are_written_as_reviewed() {
    let mut golden = Golden::default();
    each_project(|name, project| {
        for (target, folder) in TARGETS {
            for (path, file) in generated(project, target).files {
                golden.check(&format!("projects/{name}/{folder}/{path}"), &file.text);
            }
        }
    });
    golden.finish();
}

/// Every file of the second tree that differs from the first, as one diff.
fn changed(first: &Tree, second: &Tree) -> String {
    let mut out = String::new();
    for (path, file) in &second.files {
        let before = first.files.get(path).map_or("", |file| file.text.as_str());
        let diff = TextDiff::from_lines(before, &file.text);
        let diff = diff.unified_diff().context_radius(0).to_string();
        if !diff.is_empty() {
            out.push_str(&format!("{path}\n{diff}\n"));
        }
    }
    let gone = first
        .files
        .keys()
        .filter(|path| !second.files.contains_key(*path));
    for path in gone {
        out.push_str(&format!("{path} is not written\n"));
    }
    out
}

#[test]
fn another_engine_changes_what_was_reviewed() {
    let mut golden = Golden::default();
    each_project(|name, project| {
        for (target, folder) in TARGETS {
            let duckdb = generated(project, target);
            let postgres = generated_for(project, target, POSTGRES_16);
            golden.check(
                &format!("projects/{name}/{folder}.postgres.diff"),
                &changed(&duckdb, &postgres),
            );
            let older = generated_for(project, target, POSTGRES_13);
            golden.check(
                &format!("projects/{name}/{folder}.postgres-13.diff"),
                &changed(&postgres, &older),
            );
        }
    });
    golden.finish();
}

#[test]
fn no_golden_file_is_left_over() {
    let mut expected = Vec::new();
    each_project(|name, project| {
        for (target, folder) in TARGETS {
            let tree = generated(project, target);
            expected.push(format!("{name}/{folder}.postgres.diff"));
            expected.push(format!("{name}/{folder}.postgres-13.diff"));
            expected.extend(
                tree.files
                    .into_keys()
                    .map(|path| format!("{name}/{folder}/{path}")),
            );
        }
    });
    let root = folder("golden/projects");
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.expect("a readable golden folder");
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(&root).expect("below the root");
            let path = path.to_string_lossy().replace('\\', "/");
            assert!(
                expected.contains(&path),
                "golden/projects/{path} is generated no longer"
            );
        }
    }
}

#[test]
fn a_second_rendering_is_the_same() {
    each_project(|name, project| {
        for (target, _) in TARGETS {
            assert_eq!(
                generated(project, target),
                generated(project, target),
                "{name}"
            );
        }
    });
}

#[test]
fn generated_text_is_tidy() {
    each_project(|name, project| {
        for (target, _) in TARGETS {
            for (path, file) in generated(project, target).files {
                let text = file.text;
                assert!(
                    text.ends_with('\n') && !text.ends_with("\n\n"),
                    "{name}: end of {path}"
                );
                assert!(!text.contains('\r'), "{name}: carriage return in {path}");
                let trailing = text.lines().find(|line| line.ends_with(' '));
                assert_eq!(trailing, None, "{name}: trailing blank in {path}");
            }
        }
    });
}

#[test]
fn another_parser_reads_every_model() {
    let duckdb: &dyn ParserDialect = &DuckDbDialect {};
    let postgres: &dyn ParserDialect = &PostgreSqlDialect {};
    let parsers = [
        (Dialect::Duckdb, duckdb),
        (POSTGRES_13, postgres),
        (POSTGRES_16, postgres),
    ];
    each_project(|name, project| {
        for (dialect, parser) in parsers {
            for (path, file) in generated_for(project, Target::Sqlmesh, dialect).files {
                if path.starts_with("models/") {
                    let query = query_of(&file.text);
                    if let Err(error) = Parser::parse_sql(parser, &query) {
                        panic!("{name}: {path}: {error}\n{query}");
                    }
                }
            }
        }
    });
}

/// The SELECT of a SQLMesh model, with what only SQLMesh or DuckDB reads written plainly.
fn query_of(model: &str) -> String {
    let (_, query) = model.split_once("\n);\n\n").expect("a MODEL block");
    let query = query.trim_start_matches("@assay_prepare();\n\n");
    let query = query.trim_start_matches("@assay_install();\n\n");
    let query = query.trim_start_matches("@assay_put_aside();\n\n");
    let query = query.split("\n;\n").next().unwrap_or(query);
    let query = query.split(";\n\n@").next().unwrap_or(query);
    query
        .replace("@execution_ts", "execution_ts")
        .replace("@assay_", "assay_")
        .replace("LAMBDA name : ", "name -> ")
        .replace("LAMBDA instant : ", "instant -> ")
}
