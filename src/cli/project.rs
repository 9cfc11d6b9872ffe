//! Where a project is generated to and what is known of it: its root, its settings, its lock.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::change::lock::{self, Lock};
use crate::cli::failure::Failure;
use crate::cli::paths::{below, plain};
use crate::cli::repository::{Repository, names_of};
use crate::cli::settings::{CONFIG, Request};
use crate::host::names::Clash;
use crate::host::{Snippet, catalog, dbt};
use crate::io;
use crate::settings::{Host, Layout, Settings, Target};
use crate::tree::Tree;

#[derive(Debug)]
pub(super) struct Project {
    /// Where the tree goes; paths in the lock start here.
    pub(super) root: PathBuf,
    pub(super) settings: Settings,
    pub(super) lock: Option<Lock>,
    pub(super) lock_text: Option<String>,
    repository: Repository,
    out: PathBuf,
}

/// `None` when nobody says which framework it is for.
pub(super) fn locate(request: &Request) -> Result<Option<Project>, Failure> {
    let Request {
        specs,
        out,
        target,
        folder,
        layout,
        dialect: _,
        schemas: _,
        allow: _,
        statistics: _,
    } = request;
    let repository = Repository::read(out)?;
    let target = match (target, &repository.targets()[..]) {
        (Some(target), _) | (None, [target]) => *target,
        (None, []) => return Ok(None),
        (None, _) => {
            return Err(Failure::request(
                format!("`{}` is both a dbt and a SQLMesh project", out.display()),
                "add `--target dbt` or `--target sqlmesh`",
            ));
        }
    };
    let (lock, lock_text) = read_lock(out)?;
    let is_there = repository.targets().contains(&target);
    let host = match &lock {
        Some(lock) => lock.host,
        None if is_there => Host::Existing,
        None => Host::Own,
    };
    let mut project = Project {
        root: out.clone(),
        settings: request.settings(target, host),
        lock,
        lock_text,
        repository,
        out: out.clone(),
    };
    match (host, target, layout) {
        (Host::Own, _, _) => {
            if project.lock.is_none() {
                refuse_foreign_folder(&project, specs)?;
            }
        }
        (Host::Existing, Target::Dbt, Layout::Package) => {
            project.root = below(out, Path::new(folder));
            (project.lock, project.lock_text) = read_lock(&project.root)?;
            let host = project.repository.dbt_project();
            let is_name = host.name.as_ref() == Some(folder);
            if is_name || host.folders().any(|taken| taken == folder) {
                let what = if is_name { "the name" } else { "a folder" };
                return Err(Failure::request(
                    format!("`{folder}` is {what} of the dbt project itself"),
                    "choose another `folder`, or `layout: inline`",
                ));
            }
        }
        (Host::Existing, Target::Dbt, Layout::Inline) => {
            if io::project::read(
                &below(out, Path::new(folder)),
                &BTreeSet::from([lock::PATH]),
            )?
            .values()
            .any(|standing| *standing != crate::tree::Standing::Nothing)
            {
                return Err(Failure::request(
                    format!(
                        "`{}` holds the same project as a package",
                        below(out, Path::new(folder)).display()
                    ),
                    "remove that folder, or keep `layout: package`",
                ));
            }
        }
        (Host::Existing, Target::Sqlmesh, Layout::Package | Layout::Inline) => {}
    }
    Ok(Some(project))
}

pub(super) fn read_lock(root: &Path) -> Result<(Option<Lock>, Option<String>), Failure> {
    let path = root.join(lock::PATH);
    match io::specs::text(&path) {
        Ok(text) => match Lock::read(&text) {
            Ok(lock) => Ok((Some(lock), Some(text))),
            Err(why) => Err(Failure::Lock { path, why }),
        },
        Err(io::Error::Missing(_)) => Ok((None, None)),
        Err(error) => Err(error.into()),
    }
}

/// A new project goes where nothing is, or beside the specs and the file that ask for it.
fn refuse_foreign_folder(project: &Project, specs: &Path) -> Result<(), Failure> {
    let Project {
        repository,
        out,
        settings,
        ..
    } = project;
    if let [other, ..] = repository.targets()[..] {
        return Err(Failure::request(
            format!("`{}` is a {} project", out.display(), other.title()),
            format!("add `--target {}`, or another `--out`", other.name()),
        ));
    }
    let is_asked_for = repository.entries.iter().any(|entry| entry == CONFIG)
        || specs
            .parent()
            .is_some_and(|parent| plain(parent).eq(plain(out)));
    if is_asked_for
        || repository
            .entries
            .iter()
            .all(|entry| entry.starts_with('.'))
    {
        return Ok(());
    }
    Err(Failure::request(
        format!(
            "`{}` is not empty and not a {} project",
            out.display(),
            settings.target.title()
        ),
        format!("name a new folder with `--out`, or run `assay init` in it to write `{CONFIG}`"),
    ))
}

impl Project {
    /// Names that the tree and the repository around it both take.
    pub(super) fn clashes(&self, tree: &Tree) -> Vec<Clash> {
        let is_rooted_here = self.root == self.out;
        let locked = self.lock.iter().filter(|_| is_rooted_here);
        let locked = locked.flat_map(|lock| lock.files.keys());
        let written = tree.files.keys().filter(|_| is_rooted_here);
        let ours = locked.chain(written).map(String::as_str).collect();
        let theirs = self.repository.names(&self.settings, &ours);
        match theirs.is_empty() {
            true => Vec::new(),
            false => names_of(tree, self.settings.target).clashes(&theirs),
        }
    }

    /// What the repository must still add for our files to run in it.
    pub(super) fn missing(&self, tree: &Tree) -> Vec<Snippet> {
        let Settings {
            target,
            host,
            layout,
            folder,
            dialect: _,
            schemas: _,
        } = &self.settings;
        match (host, target, layout) {
            (Host::Existing, Target::Dbt, Layout::Package) => {
                let files = dbt::PACKAGES.iter().map(|name| self.out.join(name));
                let mut texts = files.filter_map(|file| io::folder::text(&file));
                match texts.any(|text| dbt::lists_package(&text, folder)) {
                    true => Vec::new(),
                    false => vec![dbt::package_snippet(folder)],
                }
            }
            (Host::Existing, Target::Dbt, Layout::Inline) => {
                let paths: Vec<&str> = tree.files.keys().map(String::as_str).collect();
                self.repository.dbt_project().lacks(&paths)
            }
            (Host::Existing, Target::Sqlmesh, _) | (Host::Own, _, _) => Vec::new(),
        }
    }

    /// What to run next, one command a line.
    pub(super) fn next_commands(&self) -> Vec<String> {
        let Settings {
            target,
            host,
            layout,
            folder,
            dialect: _,
            schemas: _,
        } = &self.settings;
        let run: &[&str] = match (target, host, layout) {
            (Target::Dbt, Host::Existing, Layout::Package) => {
                &["dbt deps", &format!("dbt build --select package:{folder}")]
            }
            (Target::Dbt, Host::Own | Host::Existing, Layout::Package | Layout::Inline) => {
                &["dbt build"]
            }
            (Target::Sqlmesh, Host::Own | Host::Existing, Layout::Package | Layout::Inline) => {
                &["sqlmesh plan"]
            }
        };
        self.enter()
            .into_iter()
            .chain(run.iter().map(|command| (*command).to_owned()))
            .collect()
    }

    /// What dbt has written about the warehouse, where somebody asked it to.
    pub(super) fn catalog(&self) -> Option<String> {
        match self.settings.target {
            Target::Dbt => io::folder::text(&self.out.join(catalog::PATH)),
            Target::Sqlmesh => None,
        }
    }

    /// How to get to where the framework is run; `None` when that is here.
    pub(super) fn enter(&self) -> Option<String> {
        (self.out != Path::new(".")).then(|| format!("cd {}", self.out.display()))
    }
}
