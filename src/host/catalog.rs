//! dbt's `catalog.json`: how many rows and bytes relations have, where the adapter says so.

use serde_json::Value;

use crate::settings::{Statistics, Volume};

/// Below the root of the dbt project.
pub const PATH: &str = "target/catalog.json";

/// Adapters differ in what they call it.
const ROWS: [&str; 3] = ["row_count", "num_rows", "rows"];
const BYTES: [&str; 2] = ["bytes", "num_bytes"];

/// `None`: it is not what dbt writes.
#[must_use]
pub fn read(text: &str) -> Option<Statistics> {
    let document: Value = serde_json::from_str(text).ok()?;
    let volumes = |key: &str| {
        let relations = document.get(key)?.as_object()?;
        Some(relations.values().filter_map(volume).collect())
    };
    Some(Statistics {
        sources: volumes("sources")?,
        entities: volumes("nodes")?,
    })
}

fn volume(relation: &Value) -> Option<(String, Volume)> {
    let name = relation.get("metadata")?.get("name")?.as_str()?;
    let stats = relation.get("stats")?;
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| whole(stats.get(name)?.get("value")?))
    };
    let volume = Volume {
        rows: first(&ROWS),
        bytes: first(&BYTES),
    };
    (volume != Volume::default()).then(|| (name.to_owned(), volume))
}

/// Some adapters write `1200.0`, some a text.
fn whole(value: &Value) -> Option<u64> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    match part.bytes().all(|b| b == b'0') {
        true => whole.parse().ok(),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Volume, read};

    #[test]
    fn rows_and_bytes_are_read_by_whatever_name() {
        let stat = |id: &str, value: &str| {
            format!(r#""{id}": {{"id": "{id}", "label": "", "value": {value}, "include": true}}"#)
        };
        let relation = |name: &str, stats: &[String]| {
            format!(
                r#"{{"metadata": {{"name": "{name}"}}, "columns": {{}}, "stats": {{{}}}}}"#,
                stats.join(", ")
            )
        };
        let nodes = relation("order", &[stat("row_count", "12"), stat("bytes", "3400.0")]);
        let sources = relation("scans", &[stat("num_rows", "\"7\"")]);
        let silent = relation("quiet", &[stat("has_stats", "false")]);
        let text = format!(
            r#"{{"nodes": {{"model.a.order": {nodes}, "model.a.quiet": {silent}}}, "sources": {{"source.a.b.scans": {sources}}}}}"#
        );
        let found = read(&text).expect("a catalog");
        let order = Volume {
            rows: Some(12),
            bytes: Some(3400),
        };
        assert_eq!(found.entities.get("order"), Some(&order));
        assert_eq!(found.entities.get("quiet"), None);
        let scans = Volume {
            rows: Some(7),
            bytes: None,
        };
        assert_eq!(found.sources.get("scans"), Some(&scans));
        assert_eq!(read("{}"), None);
        assert_eq!(read("[1"), None);
    }
}
