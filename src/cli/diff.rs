//! `assay diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::change::compare::{Difference, compare, renames};
use crate::change::facts::{Facts, ProjectFacts};
use crate::change::kinds::Class;
use crate::change::lock::{self, Lock};
use crate::change::report::{self, At, Finding, Report};
use crate::change::review::{self, Foreign, Review};
use crate::change::scopes::scopes;
use crate::change::{commands, cost, limits, place, unexplained};
use crate::cli::console::Paint;
use crate::cli::failure::Failure;
use crate::cli::flags::ProjectFlags;
use crate::cli::paths::below;
use crate::cli::pipeline::{self, FormatFlag, Readers};
use crate::cli::project::{self, Project, read_lock};
use crate::cli::settings::{CONFIG, Request};
use crate::cli::{Console, Outcome, settings};
use crate::diag::render::{Colour, locate_all};
use crate::host::catalog;
use crate::io;
use crate::io::project::Holding;
use crate::ir;
use crate::settings::Statistics;
use crate::tree::{Standing, Tree};
use crate::yaml::Sources;

/// Say what the specs change in the checked-in project: for readers, for rows, and what to run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    project: ProjectFlags,
    /// Folder or git revision to compare with [default: the project in `out`].
    #[arg(long, value_name = "DIR|REV")]
    against: Option<String>,
    /// How the report is printed.
    #[arg(long, default_value = "text")]
    format: ReportFlag,
    /// Exit with 1 when a change of this kind is not allowed in `assay.yml`.
    #[arg(long, value_name = "KIND")]
    fail_on: Option<FailOn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReportFlag {
    /// For people.
    Text,
    /// For a comment on a pull request.
    Markdown,
    Json,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
    /// Annotations in GitHub's log.
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A restating or a breaking change.
    Restating,
    /// A breaking change.
    Breaking,
    /// Any change.
    Any,
}

pub(super) fn run(args: &Args, here: &Path, console: &mut Console<'_>) -> Result<Outcome, Failure> {
    let problems = match args.format {
        ReportFlag::Text | ReportFlag::Markdown | ReportFlag::Github => FormatFlag::Text,
        ReportFlag::Json => FormatFlag::Json,
        ReportFlag::Sarif => FormatFlag::Sarif,
    };
    let request = match settings::read(&args.project, here)? {
        Ok(request) => request,
        Err(settings::Problems { bag, sources }) => {
            pipeline::print(console, &bag, &sources, problems, Readers::Messages)?;
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
    let mut made = Made::default();
    let root = project.root.clone();
    let mut there = args.against.is_none().then(|| Holding::below(&root));
    let (meant, bag) = pipeline::compile_in_parts(&sources, &project.settings, &mut |part| {
        made.take(part, there.as_mut());
    });
    let Some((ir, facts)) = meant else {
        pipeline::print(console, &bag, &sources, problems, Readers::Messages)?;
        return Ok(Outcome::Found);
    };
    let past = Past::read(args.against.as_deref(), here, &mut project)?;
    let mut paths = review::paths(&made.differing, Some(&past.lock));
    paths.retain(|path, _| !made.standing.contains(*path));
    let mut standing = past.standing(&paths)?;
    let expected = made
        .standing
        .iter()
        .map(|path| (path.clone(), Standing::Expected));
    standing.extend(expected);
    let review = review::review(
        &made.differing,
        Some(&past.lock),
        &standing,
        Foreign::Refuse,
    );
    let compiled = Compiled {
        ir,
        facts,
        made: &made,
    };
    let report = report(&request, &project, &sources, &compiled, &past, &review);
    let format = match args.format {
        ReportFlag::Text => report::Format::Text,
        ReportFlag::Markdown => report::Format::Markdown,
        ReportFlag::Json => report::Format::Json,
        ReportFlag::Sarif => report::Format::Sarif,
        ReportFlag::Github => report::Format::Github,
    };
    let colour = match console.paint_out() {
        Paint::Plain => Colour::Never,
        Paint::Colour => Colour::Always,
    };
    console.print(&report::render(&report, format, colour))?;
    let verdict = verdict(args.fail_on, &report);
    drop(report);
    drop(review);
    pipeline::leave((compiled.ir, compiled.facts));
    pipeline::leave((made, past, standing, sources));
    Ok(verdict)
}

/// What the specs say.
struct Compiled<'m> {
    ir: ir::Project,
    facts: Facts,
    made: &'m Made,
}

/// The files that the specs make.
#[derive(Default)]
struct Made {
    differing: Tree,
    /// Paths where the text stands already. It is not kept: most of a project is, and its texts would
    /// be a quarter of all that a run holds.
    standing: BTreeSet<String>,
}

impl Made {
    fn take(&mut self, part: Tree, there: Option<&mut Holding<'_>>) {
        let Some(there) = there else {
            return self.differing.add(part);
        };
        let files = part.files.into_iter();
        let (standing, files): (BTreeMap<_, _>, _) =
            files.partition(|(path, file)| there.is(path, &file.text));
        self.standing.extend(standing.into_keys());
        self.differing.add(Tree { files });
    }

    fn paths(&self) -> BTreeSet<&str> {
        let differing = self.differing.files.keys();
        differing
            .chain(&self.standing)
            .map(String::as_str)
            .collect()
    }
}

fn verdict(fail_on: Option<FailOn>, report: &Report<'_>) -> Outcome {
    let least = match fail_on {
        None => return Outcome::Fine,
        Some(FailOn::Any) => Class::Cosmetic,
        Some(FailOn::Restating) => Class::Restating,
        Some(FailOn::Breaking) => Class::Breaking,
    };
    match report.worst_unapproved() {
        Some(worst) if worst >= least => Outcome::Found,
        Some(_) | None => Outcome::Fine,
    }
}

/// What the specs are compared with.
struct Past {
    lock: Lock,
    at: Where,
    /// As the user named it.
    shown: String,
}

enum Where {
    /// The project that the specs are generated to.
    Here(PathBuf),
    Folder(PathBuf),
    Revision(io::git::Revision),
}

impl Past {
    fn read(against: Option<&str>, here: &Path, project: &mut Project) -> Result<Self, Failure> {
        let Some(named) = against else {
            // Nothing was generated yet: everything is new.
            let nothing = Lock::of(
                &Tree::default(),
                project.settings.host,
                Facts {
                    project: ProjectFacts::of(&project.settings),
                    entities: BTreeMap::new(),
                    checks: BTreeMap::new(),
                    calendar: None,
                },
                None,
            );
            let shown = match &project.lock {
                Some(_) => format!("the project in `{}`", project.root.display()),
                None => "nothing, for nothing was generated yet".to_owned(),
            };
            return Ok(Self {
                lock: project.lock.take().unwrap_or(nothing),
                shown,
                at: Where::Here(project.root.clone()),
            });
        };
        let folder = below(here, Path::new(named));
        let shown = format!("`{named}`");
        if folder.is_dir() {
            let (Some(lock), _) = read_lock(&folder)? else {
                return Err(Failure::request(
                    format!("`{}` holds no `{}`", folder.display(), lock::PATH),
                    "name the folder of a generated project, or a git revision",
                ));
            };
            let at = Where::Folder(folder);
            return Ok(Self { lock, at, shown });
        }
        let revision = io::git::revision(&project.root, named)?;
        let path = project.root.join(lock::PATH);
        let standing = io::git::read(&revision, &BTreeSet::from([lock::PATH]))?;
        let Some(Standing::Text(text)) = standing.get(lock::PATH) else {
            return Err(Failure::request(
                format!("`{named}` holds no `{}`", path.display()),
                "compare with a revision in which the project had been generated",
            ));
        };
        let lock = Lock::read(text).map_err(|why| Failure::Lock { path, why })?;
        let at = Where::Revision(revision);
        Ok(Self { lock, at, shown })
    }

    fn standing(
        &self,
        wanted: &BTreeMap<&str, Option<&str>>,
    ) -> Result<BTreeMap<String, Standing>, Failure> {
        Ok(match &self.at {
            Where::Here(root) | Where::Folder(root) => io::project::compare(root, wanted)?,
            Where::Revision(revision) => {
                io::git::read(revision, &wanted.keys().copied().collect())?
            }
        })
    }
}

fn report<'r>(
    request: &Request,
    project: &Project,
    sources: &Sources,
    compiled: &Compiled<'_>,
    past: &Past,
    review: &'r Review<'r>,
) -> Report<'r> {
    let Compiled { ir, facts, made } = compiled;
    let unknown = Facts::default();
    let before = past.lock.facts.as_ref().unwrap_or(&unknown);
    let differences = match &past.lock.facts {
        Some(before) => {
            let mut known = compare(before, facts, &renames(ir, before, facts));
            known.extend(unexplained::unexplained(review, before, facts, &known));
            known
        }
        None => vec![unexplained::unknown_past()],
    };
    let mut scopes = scopes(before, facts, &differences);
    if past.lock.facts.is_none() {
        scopes.backfill = facts.entities.keys().cloned().collect();
    }
    let mut run = commands::commands(
        &project.settings,
        &made.paths(),
        facts,
        &differences,
        &scopes,
    );
    if !run.is_empty() {
        run.splice(0..0, project.enter());
    }
    let generates = match past.at {
        Where::Here(_) => !review.changes.is_empty() || !differences.is_empty(),
        Where::Folder(_) | Where::Revision(_) => false,
    };
    if generates {
        run.insert(0, "assay generate".to_owned());
    }
    let (statistics, unread) = known_volumes(request, project);
    let cost = cost::estimate(facts, &differences, &scopes, &statistics);
    let mut findings = findings(differences, request, sources, ir);
    report::sort(&mut findings);
    let mut notes = notes(request, past, review, &findings, &scopes.abandoned);
    notes.extend(limits::limits(facts, &scopes));
    notes.extend(unread);
    notes.extend(unfound(&request.statistics, facts));
    Report {
        against: past.shown.clone(),
        cost,
        notes,
        findings,
        scopes,
        commands: run,
        files: review,
    }
}

/// What dbt's catalog says, and what `assay.yml` says instead.
fn known_volumes(request: &Request, project: &Project) -> (Statistics, Option<String>) {
    let mut known = Statistics::default();
    let mut unread = None;
    if let Some(text) = project.catalog() {
        match catalog::read(&text) {
            Some(found) => known = found,
            None => {
                unread = Some(format!(
                    "`{}` is not what dbt writes; its statistics are not used",
                    catalog::PATH
                ));
            }
        }
    }
    let Statistics { sources, entities } = request.statistics.clone();
    known.sources.extend(sources);
    known.entities.extend(entities);
    (known, unread)
}

/// Names in `statistics` that nothing has.
fn unfound(statistics: &Statistics, facts: &Facts) -> Vec<String> {
    let is_source = |name: &String| {
        let mut entities = facts.entities.values();
        entities.any(|entity| entity.mappings.contains_key(name))
    };
    let sources = statistics.sources.keys().filter(|name| !is_source(name));
    let entities = statistics.entities.keys();
    let entities = entities.filter(|name| !facts.entities.contains_key(*name));
    let sources = sources.map(|name| format!("sources.{name}"));
    let all = sources.chain(entities.map(|name| format!("entities.{name}")));
    all.map(|name| format!("`statistics` names `{name}`, which is not there"))
        .collect()
}

fn findings(
    differences: Vec<Difference>,
    request: &Request,
    sources: &Sources,
    ir: &ir::Project,
) -> Vec<Finding> {
    let places: Vec<_> = differences
        .iter()
        .map(|difference| place::place_of(difference, ir))
        .collect();
    let mut located = locate_all(places.iter().flatten(), sources).into_iter();
    let mut findings = Vec::with_capacity(differences.len());
    for (difference, place) in differences.into_iter().zip(&places) {
        let found = place.as_ref().and_then(|_| located.next());
        let at = found.map(|found| {
            let start = found.span.map(|span| span.start);
            At {
                file: found.shown,
                line: start.map_or(1, |start| start.line),
                column: start.map_or(1, |start| start.column),
            }
        });
        findings.push(Finding::new(difference, at, &request.allow));
    }
    findings
}

fn notes(
    request: &Request,
    past: &Past,
    review: &Review<'_>,
    findings: &[Finding],
    abandoned: &[String],
) -> Vec<String> {
    let mut notes = Vec::new();
    if past.lock.facts.is_none() {
        notes.push(
            "the lock is of an older assay and holds no facts: what changes is unknown until \
             `assay generate` has written a new one"
                .to_owned(),
        );
    }
    for path in review.obstacles.keys() {
        notes.push(format!(
            "`{path}` was edited by hand and is not compared; `assay generate` will not touch it"
        ));
    }
    if findings.is_empty() && !review.changes.is_empty() {
        let count = review.changes.len();
        let files = if count == 1 { "file" } else { "files" };
        notes.push(format!(
            "{count} generated {files} differ in nothing that has a meaning"
        ));
    }
    for fingerprint in request.allow.keys() {
        if !findings.iter().any(|each| each.fingerprint == *fingerprint) {
            notes.push(format!(
                "`allow` names `{fingerprint}`, which is no change here"
            ));
        }
    }
    if !abandoned.is_empty() {
        notes.push("relations that are filled no longer stay until somebody drops them".to_owned());
    }
    notes
}
