//! What is read from the files of a repository that was there before.

use crate::host::names::{Clash, Names};
use crate::host::{Engine, dbt, sqlmesh};
use crate::settings::Dialect;

/// `model order` for each name that stands in both.
fn shared(ours: &Names, theirs: &Names) -> Vec<String> {
    let clashes = ours.clashes(theirs);
    clashes
        .iter()
        .map(
            |Clash {
                 kind,
                 name,
                 ours: _,
                 theirs: _,
             }| format!("{} {name}", kind.word()),
        )
        .collect()
}

/// The names, by asking a project that has them all.
fn check_dbt(path: &str, text: &str, expected: &[&str]) {
    let project = dbt::Project::plain();
    let names = project.names([(path, text)]);
    assert_eq!(shared(&names, &names), expected, "{path}: {text}");
}

#[test]
fn dbt_names_are_found_wherever_dbt_finds_them() {
    check_dbt("models/a/Order.sql", "select 1", &["model order"]);
    check_dbt("models/a/py.py", "", &["model py"]);
    check_dbt("seeds/countries.csv", "a,b", &["model countries"]);
    check_dbt("tests/totals_agree.sql", "select 1", &["test totals_agree"]);
    check_dbt(
        "tests/generic/x.sql",
        "{% test positive(model) %}",
        &["macro test_positive"],
    );
    check_dbt(
        "snapshots/s.sql",
        "{% snapshot customer %}{% endsnapshot %}",
        &["model customer"],
    );
    check_dbt(
        "macros/m.sql",
        "{%- macro one(a) -%}{%- endmacro -%}{% macro two() %}{% endmacro %}\
         {# {% macro not_this() %} #}{% set x = 1 %}{%+macro three(b)%}",
        &["macro one", "macro three", "macro two"],
    );
    check_dbt(
        "models/_s.yml",
        "sources:\n- name: bronze\n  tables: [{name: a}, {name: b}]\nmodels:\n- name: described\n",
        &["source bronze.a", "source bronze.b"],
    );
    check_dbt(
        "snapshots/s.yml",
        "snapshots:\n- {name: own, relation: \"ref('a')\"}\n- {name: described}\n",
        &["model own"],
    );
    check_dbt("analyses/order.sql", "select 1", &[]);
    check_dbt("models/readme.md", "{% macro x() %}", &[]);
    check_dbt("models/broken.yml", "a: [", &[]);
}

#[test]
fn dbt_folders_are_those_that_the_project_names() {
    let project = dbt::Project::read("name: x\nmodel-paths: [\"dbt/models\", more/]\n");
    let names = project.names([
        ("dbt/models/a.sql", ""),
        ("more/b.sql", ""),
        ("models/c.sql", ""),
        ("seeds/d.csv", ""),
    ]);
    assert_eq!(shared(&names, &names), ["model a", "model b", "model d"]);
}

fn check_sqlmesh(path: &str, text: &str, expected: &[&str]) {
    let names = sqlmesh::names([(path, text)]);
    assert_eq!(shared(&names, &names), expected, "{path}: {text}");
}

#[test]
fn sqlmesh_names_are_found_wherever_sqlmesh_finds_them() {
    check_sqlmesh(
        "models/a.sql",
        "MODEL (name silver.a);\nselect name",
        &["model silver.a"],
    );
    check_sqlmesh(
        "models/a.sql",
        "/* by MODEL (name x) */\n-- MODEL (name y)\nModel(\n  kind FULL,\n  NAME \"db\".Silver.\"Order\"\n);",
        &["model silver.order"],
    );
    check_sqlmesh(
        "models/seed.sql",
        "MODEL (kind SEED (path 'a'), name s.t)",
        &["model s.t"],
    );
    check_sqlmesh(
        "models/p.py",
        "@model(\n    name = \"silver.p\",\n)\n",
        &["model silver.p"],
    );
    check_sqlmesh(
        "models/p.py",
        "@model('silver.p', kind='full')",
        &["model silver.p"],
    );
    check_sqlmesh(
        "audits/a.sql",
        "AUDIT (name one); x;\nAUDIT (\n name two,\n);",
        &["test one", "test two"],
    );
    check_sqlmesh(
        "macros/m.py",
        "@macro()\ndef one(evaluator): ...\n\ndef helper(): ...\n\n@macro(\"x\", metadata_only=True)\ndef two(e): ...",
        &["macro one", "macro two"],
    );
    check_sqlmesh(
        "external_models.yaml",
        "- name: bronze.orders\n",
        &["model bronze.orders"],
    );
}

#[test]
fn a_file_is_sqlmesh_configuration_by_what_it_says() {
    assert!(sqlmesh::is_config(
        "config.yaml",
        "model_defaults: {dialect: duckdb}"
    ));
    assert!(sqlmesh::is_config(
        "config.py",
        "from sqlmesh.core.config import Config"
    ));
    assert!(!sqlmesh::is_config("config.yaml", "logging: debug"));
    assert!(!sqlmesh::is_config("config.py", "DEBUG = True"));
}

#[test]
fn the_engine_is_the_one_of_the_connection() {
    let duckdb = Engine::Known(Dialect::Duckdb);
    let other = |name: &str| Engine::Other(name.to_owned());
    let profiles = "shop:\n  target: \"{{ env_var('T') }}\"\n  outputs:\n    a: {type: duckdb}\n\
                    theirs:\n  target: b\n  outputs:\n    a: {type: duckdb}\n    b: {type: db2}\n";
    assert_eq!(dbt::engine("shop", profiles), duckdb);
    assert_eq!(dbt::engine("theirs", profiles), other("db2"));
    assert_eq!(dbt::engine("absent", profiles), Engine::Untold);

    let gateways = "gateways:\n  a:\n    connection: {type: db2}\n  b:\n    connection:\n      type: motherduck\n";
    assert_eq!(sqlmesh::engine(gateways), other("db2"));
    assert_eq!(
        sqlmesh::engine(&format!("{gateways}default_gateway: b\n")),
        duckdb
    );
    assert_eq!(sqlmesh::engine("model_defaults: {dialect: duckdb}"), duckdb);
    assert_eq!(sqlmesh::engine("a: ["), Engine::Untold);
}

#[test]
fn a_listed_package_is_known_however_it_is_written() {
    for local in ["assay", "./assay", "assay/", "\"./assay/\""] {
        let packages = format!("packages:\n  - package: x/y\n  - local: {local}\n");
        assert!(dbt::lists_package(&packages, "assay"), "{packages}");
    }
    assert!(!dbt::lists_package(
        "packages:\n  - local: ../assay\n",
        "assay"
    ));
    assert!(!dbt::lists_package("", "assay"));
}
