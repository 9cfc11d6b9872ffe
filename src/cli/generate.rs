//! `assay generate`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::change::diff;
use crate::change::facts::Facts;
use crate::change::lock::{self, Lock, is_same};
use crate::change::review::{self, Change, Foreign, Obstacle, Review};
use crate::cli::failure::Failure;
use crate::cli::flags::ProjectFlags;
use crate::cli::pipeline::{self, Compiled, FormatFlag, Readers};
use crate::cli::project::{self, Project};
use crate::cli::settings::CONFIG;
use crate::cli::{Console, Outcome, settings};
use crate::host::Snippet;
use crate::io;
use crate::io::write::Edit;
use crate::tree::Tree;

/// Generate the dbt or SQLMesh project that the specs describe.
///
/// Files that someone edited are never overwritten without `--force`, files of others never
/// touched; a run that fails leaves everything as it was.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) project: ProjectFlags,
    /// Write nothing; list what would change and exit with 1 if anything would.
    #[arg(long, group = "only_look")]
    check: bool,
    /// Write nothing; list what would change.
    #[arg(long, group = "only_look")]
    dry_run: bool,
    /// Show changes as a unified diff.
    #[arg(long, requires = "only_look")]
    diff: bool,
    /// Overwrite generated files that someone edited, and files of others in their place.
    #[arg(long)]
    force: bool,
    /// How problems of the specs are printed.
    #[arg(long, default_value = "text")]
    format: FormatFlag,
}

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let request = match settings::read(&args.project, here)? {
        Ok(request) => request,
        Err(problems) => {
            let settings::Problems { bag, sources } = problems;
            pipeline::print(console, &bag, &sources, args.format, Readers::Messages)?;
            return Ok(Outcome::Found);
        }
    };
    let sources = pipeline::read(&request.specs)?;
    let Some(mut project) = project::locate(&request)? else {
        return Err(Failure::request(
            "no target is named and none can be told from the files",
            format!("add `--target dbt` or `--target sqlmesh`, or write it in `{CONFIG}`"),
        ));
    };
    // What the project has meant so far is for `diff`; its memory serves what comes next.
    if let Some(lock) = &mut project.lock {
        lock.facts = None;
    }
    let (compiled, bag) = pipeline::compile(&sources, &project.settings);
    pipeline::print(console, &bag, &sources, args.format, Readers::Messages)?;
    match compiled {
        Some(Compiled {
            project: ir,
            tree,
            facts,
        }) => {
            let outcome = deliver(args, &project, &tree, facts, console);
            pipeline::leave((ir, tree, project, sources));
            outcome
        }
        None => Ok(Outcome::Found),
    }
}

/// Brings the tree to the disk, or says what that would change.
pub(super) fn deliver(
    args: &Args,
    project: &Project,
    tree: &Tree,
    facts: Facts,
    console: &mut Console<'_>,
) -> Result<Outcome, Failure> {
    let standing =
        io::project::compare(&project.root, &review::paths(tree, project.lock.as_ref()))?;
    let foreign = if args.force {
        Foreign::Overwrite
    } else {
        Foreign::Refuse
    };
    let review = review::review(tree, project.lock.as_ref(), &standing, foreign);
    let is_free = say_obstacles(console, project, &review) & say_clashes(console, project, tree);
    if args.check || args.dry_run {
        let lock = changed_lock(project, tree, facts);
        let changes = looked_at(args, project, review, lock.as_deref());
        match args.format {
            FormatFlag::Text | FormatFlag::Short => console.print(&changes)?,
            // The document of the diagnostics is all there is in the output.
            FormatFlag::Json | FormatFlag::Sarif => console.say(&changes),
        }
        let differs = args.check && !changes.is_empty();
        return Ok(if differs || !is_free {
            Outcome::Found
        } else {
            Outcome::Fine
        });
    }
    if !is_free {
        return Ok(Outcome::Found);
    }
    let lock = changed_lock(project, tree, facts);
    write(project, &review, lock.as_deref())?;
    say_summary(console, project, tree, &review);
    Ok(Outcome::Fine)
}

/// The lock's new text, where it has to change.
fn changed_lock(project: &Project, tree: &Tree, facts: Facts) -> Option<String> {
    let lock = Lock::of(tree, project.settings.host, facts, project.lock.as_ref());
    let text = lock.to_string();
    let is_up_to_date = project
        .lock_text
        .as_ref()
        .is_some_and(|old| is_same(old, &text));
    if is_up_to_date { None } else { Some(text) }
}

fn looked_at<'a>(
    args: &Args,
    project: &'a Project,
    mut review: Review<'a>,
    lock: Option<&'a str>,
) -> String {
    if let Some(new) = lock {
        let change = match &project.lock_text {
            Some(old) => Change::Changed { old, new },
            None => Change::Added { new },
        };
        review.changes.insert(lock::PATH, change);
    }
    if args.diff {
        diff::unified(&review)
    } else {
        diff::summary(&review)
    }
}

/// The lock goes last: as long as it is the old one, the files are judged by the old one.
fn write(project: &Project, review: &Review<'_>, lock: Option<&str>) -> Result<(), Failure> {
    let mut edits: Vec<Edit<'_>> = review
        .changes
        .iter()
        .map(|(path, change)| match change {
            Change::Added { new: text } | Change::Changed { old: _, new: text } => {
                Edit::Write { path, text }
            }
            Change::Removed { old: _ } => Edit::Remove { path },
        })
        .collect();
    edits.extend(lock.map(|text| Edit::Write {
        path: lock::PATH,
        text,
    }));
    Ok(io::write::apply(&project.root, &edits)?)
}

fn say_obstacles(console: &mut Console<'_>, project: &Project, review: &Review<'_>) -> bool {
    for (path, obstacle) in &review.obstacles {
        let path = project.root.join(path);
        let why = match obstacle {
            Obstacle::Edited => "was edited since it was generated",
            Obstacle::Conflicted => "has the markers of a merge",
            Obstacle::Foreign => {
                "was not written by assay and stands where one of its files belongs"
            }
        };
        console.say(&format!("error: `{}` {why}\n", path.display()));
    }
    if !review.obstacles.is_empty() {
        console.say("  = help: move the edit into the specs; `--force` overwrites these files\n");
    }
    review.obstacles.is_empty()
}

pub(super) fn say_clashes(console: &mut Console<'_>, project: &Project, tree: &Tree) -> bool {
    let clashes = project.clashes(tree);
    for clash in &clashes {
        console.say(&format!(
            "error: {} `{}` would be in `{}` and is already in `{}`\n",
            clash.kind.word(),
            clash.name,
            clash.ours,
            clash.theirs
        ));
    }
    if !clashes.is_empty() {
        console.say("  = help: rename one of the two; names are global in a repository\n");
    }
    clashes.is_empty()
}

fn say_summary(console: &mut Console<'_>, project: &Project, tree: &Tree, review: &Review<'_>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for change in review.changes.values() {
        let what = match change {
            Change::Added { .. } => "added",
            Change::Changed { .. } => "changed",
            Change::Removed { .. } => "removed",
        };
        *counts.entry(what).or_default() += 1;
    }
    let root = project.root.display();
    if counts.is_empty() {
        console.say(&format!(
            "`{root}` is up to date: {}\n",
            files(review.unchanged)
        ));
    } else {
        let counts = counts
            .iter()
            .map(|(what, count)| format!("{count} {what}, "));
        let counts: String = counts.collect();
        console.say(&format!(
            "`{root}`: {counts}{} unchanged\n",
            review.unchanged
        ));
    }
    say_snippets(console, &project.missing(tree));
    if !review.changes.is_empty() {
        console.say(&format!("next: {}\n", project.next_commands().join(" && ")));
    }
}

fn files(count: usize) -> String {
    if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    }
}

pub(super) fn say_snippets(console: &mut Console<'_>, snippets: &[Snippet]) {
    for Snippet { file, text } in snippets {
        console.say(&format!("add to `{file}`:\n\n"));
        for line in text.lines() {
            console.say(&format!("    {line}\n"));
        }
        console.say("\n");
    }
}
