//! A tree, brought to a repository that was there before.

use super::{DBT, deliver, shop, tree};
use crate::tests::scratch::Scratch;

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
