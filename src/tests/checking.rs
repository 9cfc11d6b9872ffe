//! Projects that are right: they check without a word.

use std::collections::BTreeMap;
use std::path::Path;

use super::golden::{Golden, folder, names_in};
use crate::check;
use crate::diag::render::{Colour, Format, render};
use crate::io;
use crate::ir::{Disposition, Project, Scope};
use crate::settings::{Dialect, Host, Layout, Schemas, Settings, Target};
use crate::spec;
use crate::yaml::Sources;

pub(crate) fn settings() -> Settings {
    Settings {
        target: Target::Dbt,
        dialect: Dialect::Duckdb,
        folder: "assay".to_owned(),
        schemas: Schemas {
            bronze: "bronze".to_owned(),
            silver: "silver".to_owned(),
            gold: "gold".to_owned(),
        },
        layout: Layout::Package,
        host: Host::Own,
    }
}

/// The project of a spec tree, or what is wrong with it.
pub(crate) fn checked(path: &Path) -> Result<Project, String> {
    checked_texts(texts(path))
}

/// The documents of a spec tree, by their path.
pub(crate) fn texts(path: &Path) -> BTreeMap<String, String> {
    let mut files = io::specs::read(path).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    files.remove("assay.yml");
    files
}

pub(crate) fn checked_texts(files: BTreeMap<String, String>) -> Result<Project, String> {
    let sources = Sources {
        files,
        shown_under: String::new(),
    };
    let (spec, mut bag) = spec::load(&sources);
    let (project, found) = check::check(&spec, &settings());
    bag.extend(found);
    match project {
        Some(project) if bag.all.is_empty() => Ok(project),
        Some(_) | None => Err(render(&bag, &sources, Format::Text, Colour::Never)),
    }
}

#[test]
fn the_example_projects_are_right() {
    let projects = folder("fixtures/projects");
    let mut wrong = Vec::new();
    for name in names_in(&projects) {
        if let Err(report) = checked(&projects.join(&name)) {
            wrong.push(format!("fixtures/projects/{name}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every rule of a project with what it does, one a line.
fn rules_of(project: &Project) -> String {
    let mut text = String::new();
    for entity in &project.entities {
        text += &format!("{}\n", entity.name);
        for rule in entity.quality.iter().flat_map(|quality| &quality.rules) {
            let source = match rule.scope {
                Scope::Mapping(index) => entity.mappings[index].source.as_str(),
                Scope::Entity => "every row",
            };
            let disposition = match rule.disposition {
                Disposition::Fail => "fail",
                Disposition::Quarantine => "quarantine",
                Disposition::Flag => "flag",
                Disposition::UnknownMember => "unknown member",
            };
            text += &format!("  {} ({source}): {disposition}\n", rule.name);
        }
    }
    text
}

#[test]
fn the_rules_of_a_project_are_named_as_agreed() {
    let mut golden = Golden::default();
    let projects = folder("fixtures/projects");
    for name in names_in(&projects) {
        if let Ok(project) = checked(&projects.join(&name)) {
            golden.check(&format!("checked/{name}.txt"), &rules_of(&project));
        }
    }
    golden.finish();
}
