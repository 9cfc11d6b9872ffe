//! Who may import whom, as `docs/architecture.md` says it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::golden::folder;

/// Layer → the layers it may name with `crate::`. Nothing at the bottom imports anything.
const MAY_IMPORT: [(&str, &[&str]); 17] = [
    ("blame", &["ir", "lower", "place"]),
    (
        "change",
        &["diag", "ir", "place", "settings", "sql", "tree"],
    ),
    ("check", &["diag", "ir", "place", "settings", "spec", "sql"]),
    (
        "cli",
        &[
            "blame", "change", "check", "diag", "host", "io", "ir", "lower", "render", "settings",
            "spec", "tree", "yaml",
        ],
    ),
    ("diag", &["place", "yaml"]),
    ("host", &["settings", "yaml"]),
    ("io", &["tree"]),
    ("ir", &["place", "sql"]),
    ("lib", &[]),
    ("lower", &["ir", "sql"]),
    ("main", &[]),
    ("place", &[]),
    ("render", &["ir", "lower", "settings", "sql", "tree"]),
    ("settings", &[]),
    ("spec", &["diag", "ir", "place", "settings", "sql", "yaml"]),
    ("sql", &["settings"]),
    ("tree", &[]),
];

#[test]
fn every_layer_imports_only_what_lies_below_it() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT
        .into_iter()
        .chain([("yaml", ["place"].as_slice())])
        .collect();
    let mut wrong = Vec::new();
    for (file, text) in sources(&folder("src")) {
        let layer = file.split(['/', '.']).next().unwrap_or_default().to_owned();
        if layer == "tests" || file.contains("/tests") {
            continue;
        }
        let Some(may) = allowed.get(layer.as_str()) else {
            wrong.push(format!(
                "{file}: `{layer}` is no layer of docs/architecture.md"
            ));
            continue;
        };
        for import in imports(&text) {
            if import != layer && import != "tests" && !may.contains(&import.as_str()) {
                wrong.push(format!("{file}: `{layer}` may not import `{import}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_frameworks_never_see_each_other() {
    for (file, text) in sources(&folder("src/render")) {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        for other in ["dbt", "sqlmesh"] {
            assert!(
                own != "dbt" && own != "sqlmesh"
                    || own == other
                    || !text.contains(&format!("{other}::")),
                "src/render/{file} reaches into `{other}`"
            );
        }
    }
}

fn imports(text: &str) -> BTreeSet<String> {
    text.split("crate::")
        .skip(1)
        .map(|rest| {
            rest.chars()
                .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

/// Every Rust file below `root`, by its path from there.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.expect("a readable source folder");
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
        {
            let path = entry.path().strip_prefix(root).expect("below the root");
            let text = fs::read_to_string(entry.path()).expect("a source file");
            found.push((path.to_string_lossy().replace('\\', "/"), text));
        }
    }
    found
}
