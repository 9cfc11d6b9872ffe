//! What stands in the folder that a project is generated into: which framework's, whose, and the
//! names it has taken. It gathers the texts; `host` reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::host::names::{Kind, Names};
use crate::host::{Engine, dbt, sqlmesh};
use crate::io;
use crate::settings::{Host, Layout, Settings, Target};
use crate::tree::{Ownership, Tree};

#[derive(Debug)]
pub(super) struct Repository {
    path: PathBuf,
    pub(super) entries: Vec<String>,
    /// Text of `dbt_project.yml`.
    pub(super) dbt: Option<String>,
    /// Name and text of SQLMesh's configuration.
    pub(super) sqlmesh: Option<(&'static str, String)>,
}

impl Repository {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let entries = io::folder::entries(path)?;
        let has = |name: &str| {
            entries
                .binary_search_by(|entry| entry.as_str().cmp(name))
                .is_ok()
        };
        let dbt = match has(dbt::PROJECT) {
            true => Some(io::specs::text(&path.join(dbt::PROJECT))?),
            false => None,
        };
        let configs = sqlmesh::CONFIGS.into_iter().filter(|name| has(name));
        let texts = configs.filter_map(|name| Some((name, io::folder::text(&path.join(name))?)));
        let sqlmesh = texts
            .into_iter()
            .find(|(name, text)| sqlmesh::is_config(name, text));
        Ok(Self {
            path: path.to_owned(),
            entries,
            dbt,
            sqlmesh,
        })
    }

    /// The frameworks whose project this is; both when one is run through the other.
    pub(super) fn targets(&self) -> Vec<Target> {
        let dbt = self.dbt.iter().map(|_| Target::Dbt);
        let sqlmesh = self.sqlmesh.iter().map(|_| Target::Sqlmesh);
        dbt.chain(sqlmesh).collect()
    }

    pub(super) fn dbt_project(&self) -> dbt::Project {
        self.dbt
            .as_deref()
            .map_or_else(dbt::Project::plain, dbt::Project::read)
    }

    /// `profiles`: folders that may hold `profiles.yml`, the first one that has the profile wins.
    pub(super) fn engine(&self, target: Target, profiles: &[PathBuf]) -> Engine {
        match target {
            Target::Dbt => {
                let Some(profile) = self.dbt_project().profile else {
                    return Engine::Untold;
                };
                let files = [self.path.clone()]
                    .into_iter()
                    .chain(profiles.iter().cloned());
                let texts = files.filter_map(|f| io::folder::text(&f.join("profiles.yml")));
                texts
                    .map(|text| dbt::engine(&profile, &text))
                    .find(|engine| *engine != Engine::Untold)
                    .unwrap_or(Engine::Untold)
            }
            Target::Sqlmesh => match &self.sqlmesh {
                Some((name, text)) if !name.ends_with(".py") => sqlmesh::engine(text),
                Some(_) | None => Engine::Untold,
            },
        }
    }

    /// Names that files of others have taken; `ours` are the paths we own here.
    pub(super) fn names(&self, settings: &Settings, ours: &BTreeSet<&str>) -> Names {
        let dbt = self.dbt_project();
        let paths: BTreeSet<String> = match settings.target {
            Target::Dbt => dbt
                .folders()
                .flat_map(|folder| io::folder::files(&self.path, folder))
                .collect(),
            Target::Sqlmesh => {
                let folders = sqlmesh::FOLDERS.into_iter();
                let files = sqlmesh::EXTERNAL_MODELS.into_iter().map(str::to_owned);
                let below = folders.flat_map(|folder| io::folder::files(&self.path, folder));
                files.chain(below).collect()
            }
        };
        let is_read = |path: &str| match settings.target {
            Target::Dbt => dbt.is_read(path),
            Target::Sqlmesh => true,
        };
        let mut files = BTreeMap::new();
        for path in paths {
            if ours.contains(path.as_str()) {
                continue;
            }
            let text = match is_read(&path) {
                true => io::folder::text(&self.path.join(&path)).unwrap_or_default(),
                false => String::new(),
            };
            files.insert(path, text);
        }
        let files = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        match (settings.target, settings.host, settings.layout) {
            // A package has its own name space for sources and tests.
            (Target::Dbt, Host::Existing, Layout::Package) => {
                dbt.names(files).only(&[Kind::Model, Kind::Macro])
            }
            (Target::Dbt, Host::Existing, Layout::Inline) | (Target::Dbt, Host::Own, _) => {
                dbt.names(files)
            }
            (Target::Sqlmesh, Host::Existing | Host::Own, _) => sqlmesh::names(files),
        }
    }
}

/// Names that the files of a tree take for good; a scaffolded file is its user's.
pub(super) fn names_of(tree: &Tree, target: Target) -> Names {
    let ours = tree.files.iter().filter(|(_, file)| match file.ownership {
        Ownership::Generated => true,
        Ownership::Scaffold => false,
    });
    let files = ours.map(|(path, file)| (path.as_str(), file.text.as_str()));
    match target {
        Target::Dbt => dbt::Project::plain().names(files),
        Target::Sqlmesh => sqlmesh::names(files),
    }
}
