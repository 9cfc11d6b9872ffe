//! A dbt project that was there before.

use crate::host::names::{Kind, Names};
use crate::host::{Engine, Snippet};
use crate::yaml::{self, Node};

/// The file that makes a folder a dbt project.
pub const PROJECT: &str = "dbt_project.yml";

/// Where a project may list the packages it uses.
pub const PACKAGES: [&str; 2] = ["packages.yml", "dependencies.yml"];

/// What `dbt_project.yml` says about where things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub name: Option<String>,
    pub profile: Option<String>,
    folders: Vec<(Role, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Models,
    Seeds,
    Snapshots,
    Macros,
    Tests,
}

const ROLES: [(Role, &str, &str); 5] = [
    (Role::Models, "model-paths", "models"),
    (Role::Seeds, "seed-paths", "seeds"),
    (Role::Snapshots, "snapshot-paths", "snapshots"),
    (Role::Macros, "macro-paths", "macros"),
    (Role::Tests, "test-paths", "tests"),
];

impl Project {
    /// The folders of a project that names none, as ours are.
    #[must_use]
    pub fn plain() -> Self {
        let folders = ROLES.map(|(role, _, folder)| (role, folder.to_owned()));
        Self {
            name: None,
            profile: None,
            folders: folders.to_vec(),
        }
    }

    #[must_use]
    pub fn read(text: &str) -> Self {
        let Some(root) = yaml::parse(text).root else {
            return Self::plain();
        };
        let mut folders = Vec::new();
        for (role, key, usual) in ROLES {
            match root.get(key).map(Node::items) {
                Some(listed) => {
                    let listed = listed.iter().filter_map(Node::text);
                    let listed = listed.map(|folder| {
                        folder
                            .trim_start_matches("./")
                            .trim_end_matches('/')
                            .to_owned()
                    });
                    folders.extend(listed.map(|folder| (role, folder)));
                }
                None => folders.push((role, usual.to_owned())),
            }
        }
        let text = |key| root.get(key).and_then(Node::text).map(str::to_owned);
        Self {
            name: text("name"),
            profile: text("profile"),
            folders,
        }
    }

    /// Folders that hold named things.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(|(_, folder)| folder.as_str())
    }

    /// Lines for `dbt_project.yml` that make dbt look where these files are.
    #[must_use]
    pub fn lacks(&self, paths: &[&str]) -> Vec<Snippet> {
        let plain = Self::plain();
        let roles = ROLES.into_iter().filter(|(role, _, _)| {
            let ours = paths.iter().filter(|path| plain.role(path) == Some(*role));
            ours.into_iter().any(|path| self.role(path) != Some(*role))
        });
        roles
            .map(|(role, key, usual)| {
                let listed = self.folders.iter().filter(|(of, _)| *of == role);
                let listed = listed.map(|(_, folder)| folder.as_str()).chain([usual]);
                let listed: Vec<String> = listed.map(|folder| format!("{folder:?}")).collect();
                let text = format!("{key}: [{}]\n", listed.join(", "));
                Snippet {
                    file: PROJECT,
                    text,
                }
            })
            .collect()
    }

    /// Whether a name may stand inside the file; in others the file's own name is the name.
    #[must_use]
    pub fn is_read(&self, path: &str) -> bool {
        match (self.role(path), extension(path)) {
            (Some(Role::Models | Role::Seeds | Role::Snapshots), "yml" | "yaml") => true,
            (Some(Role::Snapshots | Role::Macros | Role::Tests), "sql") => true,
            (Some(_) | None, _) => false,
        }
    }

    /// The names that files take: path and text, which is empty where `is_read` says no.
    #[must_use]
    pub fn names<'a>(&self, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Names {
        let mut names = Names::default();
        for (path, text) in files {
            match (self.role(path), extension(path)) {
                (Some(Role::Models), "sql" | "py") | (Some(Role::Seeds), "csv") => {
                    names.take(Kind::Model, stem(path), path);
                }
                (Some(Role::Models | Role::Seeds | Role::Snapshots), "yml" | "yaml") => {
                    properties(&mut names, path, text);
                }
                (Some(Role::Snapshots | Role::Macros), "sql") => blocks(&mut names, path, text),
                (Some(Role::Tests), "sql") if path.contains("/generic/") => {
                    blocks(&mut names, path, text);
                }
                (Some(Role::Tests), "sql") => names.take(Kind::Test, stem(path), path),
                (Some(_) | None, _) => {}
            }
        }
        names
    }

    fn role(&self, path: &str) -> Option<Role> {
        let holds = |folder: &str| {
            path.strip_prefix(folder)
                .is_some_and(|p| p.starts_with('/'))
        };
        self.folders
            .iter()
            .find(|(_, folder)| holds(folder))
            .map(|(role, _)| *role)
    }
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Sources, and snapshots that are written as YAML only.
fn properties(names: &mut Names, path: &str, text: &str) {
    let Some(root) = yaml::parse(text).root else {
        return;
    };
    let items = |node: &Node, key| {
        node.get(key)
            .map(|n| n.items().to_vec())
            .unwrap_or_default()
    };
    let name = |node: &Node| node.get("name").and_then(Node::text).map(str::to_owned);
    for source in items(&root, "sources") {
        for table in items(&source, "tables") {
            if let (Some(source), Some(table)) = (name(&source), name(&table)) {
                names.take(Kind::Source, &format!("{source}.{table}"), path);
            }
        }
    }
    for snapshot in items(&root, "snapshots") {
        // Without a relation it only describes a block that stands elsewhere.
        if let (Some(name), true) = (name(&snapshot), snapshot.get("relation").is_some()) {
            names.take(Kind::Model, &name, path);
        }
    }
}

/// `{% macro name(…) %}` and its like.
fn blocks(names: &mut Names, path: &str, text: &str) {
    let text = without_comments(text);
    for tag in text.split("{%").skip(1) {
        let mut words = tag
            .trim_start_matches(['-', '+'])
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty());
        match (words.next(), words.next()) {
            (Some("snapshot"), Some(name)) => names.take(Kind::Model, name, path),
            (Some("macro"), Some(name)) => names.take(Kind::Macro, name, path),
            (Some("test" | "data_test"), Some(name)) => {
                names.take(Kind::Macro, &format!("test_{name}"), path);
            }
            (Some("materialization"), Some(name)) => {
                names.take(Kind::Macro, &format!("materialization_{name}"), path);
            }
            (Some(_) | None, _) => {}
        }
    }
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("{#") {
        kept.push_str(before);
        rest = comment.split_once("#}").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The engine that a project's profile connects to.
#[must_use]
pub fn engine(profile: &str, profiles: &str) -> Engine {
    let Some(root) = yaml::parse(profiles).root else {
        return Engine::Untold;
    };
    let Some(profile) = root.get(profile) else {
        return Engine::Untold;
    };
    let Some(outputs) = profile.get("outputs").map(Node::entries) else {
        return Engine::Untold;
    };
    let target = profile
        .get("target")
        .and_then(Node::text)
        .unwrap_or("default");
    // A target that is worked out at run time names no output: then any of them will do.
    let chosen = outputs
        .iter()
        .find(|output| output.key == target)
        .or(outputs.first());
    Engine::named(
        chosen
            .and_then(|output| output.value.get("type"))
            .and_then(Node::text),
    )
}

/// Whether one of the project's package files lists the local package in `folder`.
#[must_use]
pub fn lists_package(packages: &str, folder: &str) -> bool {
    let Some(root) = yaml::parse(packages).root else {
        return false;
    };
    let listed = root.get("packages").map(Node::items).unwrap_or_default();
    listed
        .iter()
        .filter_map(|package| package.get("local"))
        .filter_map(Node::text)
        .any(|local| local.trim_start_matches("./").trim_end_matches('/') == folder)
}

/// What makes the local package part of the project.
#[must_use]
pub fn package_snippet(folder: &str) -> Snippet {
    Snippet {
        file: PACKAGES[0],
        text: format!("packages:\n  - local: ./{folder}\n"),
    }
}
