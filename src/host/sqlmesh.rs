//! A SQLMesh project that was there before.

use crate::host::Engine;
use crate::host::names::{Kind, Names};
use crate::yaml::{self, Node};

/// Files that may make a folder a SQLMesh project; other tools use some of these names too.
pub const CONFIGS: [&str; 5] = [
    "config.yaml",
    "config.yml",
    "config.py",
    "sqlmesh.yaml",
    "sqlmesh.yml",
];

/// Folders that hold named things, and files that do.
pub const FOLDERS: [&str; 4] = ["models", "audits", "macros", "external_models"];
pub const EXTERNAL_MODELS: [&str; 2] = ["external_models.yaml", "schema.yaml"];

/// Whether a file of one of the names in `CONFIGS` is SQLMesh's.
#[must_use]
pub fn is_config(path: &str, text: &str) -> bool {
    if path.ends_with(".py") {
        return text.contains("sqlmesh");
    }
    let root = yaml::parse(text).root;
    let has = |key| root.as_ref().is_some_and(|root| root.get(key).is_some());
    [
        "gateways",
        "gateway",
        "default_connection",
        "default_gateway",
        "model_defaults",
    ]
    .map(has)
        != [false; 5]
}

/// The engine that the default gateway connects to, else the one that models are written for.
#[must_use]
pub fn engine(config: &str) -> Engine {
    let Some(root) = yaml::parse(config).root else {
        return Engine::Untold;
    };
    let gateways = root.get("gateways").map(Node::entries).unwrap_or_default();
    let default = root.get("default_gateway").and_then(Node::text);
    let gateway = match default {
        Some(name) => gateways.iter().find(|gateway| gateway.key == name),
        None => gateways.first(),
    };
    let connection = gateway
        .and_then(|gateway| gateway.value.get("connection"))
        .or_else(|| root.get("default_connection"));
    let engine = connection
        .and_then(|connection| connection.get("type"))
        .or_else(|| root.get("model_defaults")?.get("dialect"));
    Engine::named(engine.and_then(Node::text))
}

/// The names that files take: path and text.
#[must_use]
pub fn names<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Names {
    let mut names = Names::default();
    for (path, text) in files {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (extension, path.starts_with("macros/")) {
            ("sql", false) => {
                for name in definitions(text, "model") {
                    names.take(Kind::Model, &relation(name), path);
                }
                for name in definitions(text, "audit") {
                    names.take(Kind::Test, name, path);
                }
            }
            ("py", true) => macros(&mut names, path, text),
            ("py", false) => python_models(&mut names, path, text),
            ("yaml" | "yml", false) => external_models(&mut names, path, text),
            _ => {}
        }
    }
    names
}

/// The values of `name` in every `MODEL (name …, …)` of a file.
fn definitions<'a>(text: &'a str, keyword: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = words(text);
    let mut is_open = false;
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case(keyword) {
            is_open = words.next() == Some("(");
        } else if is_open && word.eq_ignore_ascii_case("name") {
            found.extend(words.next());
            is_open = false;
        }
    }
    found
}

/// Words and parentheses; what is in a comment is no word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
            if let Some(comment) = rest.strip_prefix("--") {
                rest = comment.split_once('\n').map_or("", |(_, after)| after);
            } else if let Some(comment) = rest.strip_prefix("/*") {
                rest = comment.split_once("*/").map_or("", |(_, after)| after);
            } else {
                break;
            }
        }
        let is_end = |c: char| c.is_whitespace() || ",;()".contains(c);
        let length = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(is_end).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}

/// `"db"."silver"."order"` and `silver.order` are one relation as long as one catalog is meant.
fn relation(name: &str) -> String {
    let name = name.replace(['"', '`', '\''], "");
    let parts: Vec<&str> = name.split('.').collect();
    parts[parts.len().saturating_sub(2)..].join(".")
}

/// `@macro()` above `def name(…)`.
fn macros(names: &mut Names, path: &str, text: &str) {
    let mut is_decorated = false;
    for line in text.lines() {
        if line.starts_with("@macro") {
            is_decorated = true;
        } else if let Some(rest) = line
            .strip_prefix("def ")
            .or(line.strip_prefix("async def "))
        {
            if let (true, Some((name, _))) = (is_decorated, rest.split_once('(')) {
                names.take(Kind::Macro, name.trim(), path);
            }
            is_decorated = false;
        }
    }
}

/// `@model("silver.order", …)` or `@model(name="silver.order", …)`.
fn python_models(names: &mut Names, path: &str, text: &str) {
    for decorated in text.split("@model(").skip(1) {
        let argument = decorated.trim_start();
        let argument = argument
            .strip_prefix("name")
            .map_or(argument, str::trim_start);
        let argument = argument.strip_prefix('=').map_or(argument, str::trim_start);
        let quoted = argument.strip_prefix(['"', '\'']);
        if let Some((name, _)) = quoted.and_then(|rest| rest.split_once(['"', '\''])) {
            names.take(Kind::Model, &relation(name), path);
        }
    }
}

fn external_models(names: &mut Names, path: &str, text: &str) {
    let Some(root) = yaml::parse(text).root else {
        return;
    };
    for model in root.items() {
        if let Some(name) = model.get("name").and_then(Node::text) {
            names.take(Kind::Model, &relation(name), path);
        }
    }
}
