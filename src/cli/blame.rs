//! `assay blame`.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use similar::{ChangeTag, TextDiff};

use crate::blame::report::{self, Line, Report, Source, State};
use crate::blame::{Origin, blame};
use crate::change::lock::{Digest, is_same};
use crate::cli::failure::Failure;
use crate::cli::flags::ProjectFlags;
use crate::cli::paths::{below, plain};
use crate::cli::pipeline::{self, Compiled, FormatFlag, Readers};
use crate::cli::project::{self, Project};
use crate::cli::settings::CONFIG;
use crate::cli::{Console, Outcome, settings};
use crate::diag::render::{locate_all, nearest_help};
use crate::io;
use crate::tree::{Ownership, Standing, Tree};
use crate::yaml::Sources;

/// Say which spec lines a line of a generated file comes from.
///
/// Without a line, every line of the file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A generated file, as a path from here or from the project's root.
    #[arg(value_name = "FILE[:LINE]")]
    file: String,
    #[command(flatten)]
    project: ProjectFlags,
    #[arg(long, default_value = "text")]
    format: BlameFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum BlameFormat {
    /// For people.
    Text,
    Json,
}

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let problems = match args.format {
        BlameFormat::Text => FormatFlag::Text,
        BlameFormat::Json => FormatFlag::Json,
    };
    let request = match settings::read(&args.project, here)? {
        Ok(request) => request,
        Err(settings::Problems { bag, sources }) => {
            pipeline::print(console, &bag, &sources, problems, Readers::Messages)?;
            return Ok(Outcome::Found);
        }
    };
    let sources = pipeline::read(&request.specs)?;
    let Some(project) = project::locate(&request)? else {
        return Err(Failure::request(
            "no target is named and none can be told from the files",
            format!("add `--target dbt` or `--target sqlmesh`, or write it in `{CONFIG}`"),
        ));
    };
    let (compiled, bag) = pipeline::compile(&sources, &project.settings);
    let Some(compiled) = compiled else {
        pipeline::print(console, &bag, &sources, problems, Readers::Messages)?;
        return Ok(Outcome::Found);
    };
    let (named, number) = split(&args.file);
    let path = generated_path(named, here, &project, &compiled.tree)?;
    let standing = io::project::read(&project.root, &BTreeSet::from([path.as_str()]))?;
    let now = compiled.tree.files[&path].text.as_str();
    let (state, text) = match standing.get(&path) {
        Some(Standing::Text(text)) => (state(&project, &path, text, now), text.as_str()),
        Some(Standing::Binary) => return Err(not_ours(named)),
        Some(Standing::Expected) => (State::Current, now),
        Some(Standing::Nothing) | None => (State::Missing, now),
    };
    let mut report = Report {
        file: project.root.join(&path).display().to_string(),
        state,
        lines: lines(&compiled, &sources, &path, text),
    };
    let Some(number) = number else {
        let shown = match args.format {
            BlameFormat::Text => report::table(&report),
            BlameFormat::Json => report::json(&report),
        };
        console.print(&shown)?;
        return Ok(Outcome::Fine);
    };
    let count = report.lines.len();
    report.lines.retain(|line| line.number == number);
    let Some(line) = report.lines.first() else {
        return Err(Failure::request(
            format!("`{named}` has no line {number}"),
            format!("it has lines 1 to {count}"),
        ));
    };
    let shown = match args.format {
        BlameFormat::Text => report::line(&report, line),
        BlameFormat::Json => report::json(&report),
    };
    console.print(&shown)?;
    Ok(Outcome::Fine)
}

/// A file, and a line where one is named.
fn split(named: &str) -> (&str, Option<usize>) {
    match named.rsplit_once(':') {
        Some((file, line)) => match line.parse() {
            Ok(line) => (file, Some(line)),
            Err(_) => (named, None),
        },
        None => (named, None),
    }
}

/// The file's path in the tree.
fn generated_path(
    named: &str,
    here: &Path,
    project: &Project,
    tree: &Tree,
) -> Result<String, Failure> {
    let from_here = below(here, Path::new(named));
    let root: Vec<Component<'_>> = plain(&project.root).collect();
    let parts: Vec<Component<'_>> = plain(&from_here).collect();
    let in_root = parts.strip_prefix(&root[..]).unwrap_or_default();
    let text = |parts: &[Component<'_>]| {
        let parts = parts.iter().map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    };
    let from_root: Vec<Component<'_>> = plain(Path::new(named)).collect();
    let candidates = [text(in_root), text(&from_root)];
    let found = candidates
        .iter()
        .find_map(|path| Some((path, tree.files.get(path)?.ownership)));
    match found {
        Some((path, Ownership::Generated)) => Ok(path.clone()),
        Some((_, Ownership::Scaffold)) => Err(Failure::request(
            format!("`{named}` comes from no spec"),
            "it was written once to begin with and is yours since",
        )),
        None => {
            let known = tree.files.keys().map(String::as_str);
            let meant = candidates.iter().find(|path| !path.is_empty());
            let nearest = meant.and_then(|path| nearest_help(path, known));
            Err(Failure::request(
                format!("`{named}` is no file that the specs generate"),
                nearest.unwrap_or_else(|| {
                    format!("name a file that `{}` lists", crate::change::lock::PATH)
                }),
            ))
        }
    }
}

fn not_ours(named: &str) -> Failure {
    Failure::request(
        format!("`{named}` is no text"),
        "`assay generate --force` writes the generated file again",
    )
}

fn state(project: &Project, path: &str, stands: &str, now: &str) -> State {
    let written = project.lock.as_ref().and_then(|lock| lock.files.get(path));
    match written {
        _ if is_same(stands, now) => State::Current,
        Some(written) if *written == Digest::of(stands) => State::Stale,
        Some(_) | None => State::Edited,
    }
}

/// The lines as they stand, each with what its like in the generated text comes from.
fn lines<'t>(compiled: &Compiled, sources: &Sources, path: &str, stands: &'t str) -> Vec<Line<'t>> {
    let now = compiled.tree.files[path].text.as_str();
    let origins = blame(&compiled.project, path, now);
    let mut located = located(&origins, sources);
    let mut lines: Vec<Line<'t>> = stands
        .lines()
        .enumerate()
        .map(|(index, text)| Line {
            number: index + 1,
            text,
            sources: Vec::new(),
            is_generated: false,
        })
        .collect();
    for change in TextDiff::from_lines(stands, now).iter_all_changes() {
        match (change.tag(), change.old_index(), change.new_index()) {
            (ChangeTag::Equal, Some(old), Some(new)) => {
                if let (Some(line), Some(found)) = (lines.get_mut(old), located.get_mut(new)) {
                    line.sources = std::mem::take(found);
                    line.is_generated = true;
                }
            }
            (ChangeTag::Equal | ChangeTag::Delete | ChangeTag::Insert, _, _) => {}
        }
    }
    lines
}

fn located(origins: &[Vec<Origin>], sources: &Sources) -> Vec<Vec<Source>> {
    let unique: BTreeSet<&Origin> = origins.iter().flatten().collect();
    let unique: Vec<&Origin> = unique.into_iter().collect();
    let found = locate_all(unique.iter().map(|origin| &origin.place), sources);
    let source = |origin: &Origin| {
        let at = unique
            .binary_search(&origin)
            .expect("every origin is listed");
        let start = found[at].span.map(|span| span.start);
        Source {
            kind: origin.kind,
            name: origin.name.clone(),
            entity: origin.entity.clone(),
            file: found[at].shown.clone(),
            line: start.map_or(1, |start| start.line),
            column: start.map_or(1, |start| start.column),
        }
    };
    origins
        .iter()
        .map(|line| line.iter().map(source).collect())
        .collect()
}
