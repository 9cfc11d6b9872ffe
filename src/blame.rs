//! Which spec places a generated line comes from. It reads the generated text as it stands: by the
//! names on a line, by the expression the line is a part of, by the step of the pipeline around it.
//! It renders nothing and compares nothing.

mod items;
pub mod report;
mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Calendar, Check, Entity, Project};
use crate::lower::{EntityPlan, lower};
use crate::place::Place;
use items::Items;
use vocabulary::Vocabulary;
use words::{Word, Words};

/// What of a spec a line comes from; the nearest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Rule,
    /// A check of finished relations.
    Check,
    Calendar,
    Assert,
    Dedupe,
    Redaction,
    Freshness,
    /// A field in a mapping: its path, its chain.
    MappedField,
    /// What computes a field, in the catalog.
    Recipe,
    /// A field as it is declared.
    Field,
    /// A bronze column that no field reads.
    Column,
    Key,
    Mapping,
    /// What is said about an entity: description, owner, tier, grants.
    Said,
    Entity,
}

impl Kind {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Check => "check",
            Self::Calendar => "date dimension",
            Self::Assert => "assert",
            Self::Dedupe => "dedupe",
            Self::Redaction => "redaction",
            Self::Freshness => "freshness",
            Self::MappedField => "mapped field",
            Self::Recipe => "recipe",
            Self::Field => "field",
            Self::Column => "unmapped column",
            Self::Key => "key",
            Self::Mapping => "mapping",
            Self::Said => "entity's",
            Self::Entity => "entity",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub kind: Kind,
    pub name: String,
    pub entity: String,
    pub place: Place,
}

/// The origins of each line of a generated file; none where a line is the same for all specs.
#[must_use]
pub fn blame(project: &Project, path: &str, text: &str) -> Vec<Vec<Origin>> {
    if let Some(check) = check_of(path, project) {
        return text.lines().map(|line| of_check(check, line)).collect();
    }
    if let Some(calendar) = calendar_of(path, project) {
        return text
            .lines()
            .map(|line| of_calendar(calendar, line))
            .collect();
    }
    let mut origins = Vec::new();
    for section in sections(path, text, entity_of(path, project)) {
        origins.extend(of_section(project, &section.path, &section.text));
    }
    origins
}

/// A part of a file that is about one thing, under the path of a file that is about nothing else.
struct Section {
    path: String,
    text: String,
}

/// A dbt entity has its bodies in one file of macros, and a SQLMesh model that is the only one to read
/// the typed values has them in it.
fn sections(path: &str, text: &str, owner: Option<&Entity>) -> Vec<Section> {
    let whole = Section {
        path: path.to_owned(),
        text: String::new(),
    };
    let mut sections = vec![whole];
    let is_whole = text.contains(LEDGER);
    for line in text.lines() {
        if let Some(next) = owner.and_then(|owner| section_from(line, path, &owner.name, is_whole))
        {
            sections.push(Section {
                path: next,
                text: String::new(),
            });
        }
        if let Some(last) = sections.last_mut() {
            last.text.push_str(line);
            last.text.push('\n');
        }
    }
    sections
}

/// The CTE behind the typed values, where those stand in judged itself.
const LEDGER: &str = "\n), ledger AS ";

/// The path of the section that a line begins; `has_values`: the typed values stand in judged.
fn section_from(line: &str, path: &str, entity: &str, has_values: bool) -> Option<String> {
    if let Some(rest) = line.strip_prefix(&format!("{{% macro {entity}__")) {
        let (name, _) = rest.split_once('(')?;
        return Some(match name {
            "admitted" => format!("/{entity}.sql"),
            "diverted" => format!("/{entity}__reject.sql"),
            "bronze" => format!("/{entity}__coerced.sql"),
            name => format!("/{entity}__{name}.sql"),
        });
    }
    if has_values && line.starts_with("WITH coerced AS ") && path.ends_with("__judged.sql") {
        return Some(format!("/{entity}__coerced.sql"));
    }
    line.starts_with(LEDGER.trim_start())
        .then(|| path.to_owned())
}

fn of_section(project: &Project, path: &str, text: &str) -> Vec<Vec<Origin>> {
    let plan = lower(project);
    let owner = entity_of(path, project);
    let entities: Vec<EntityPlan<'_>> = match owner {
        Some(owner) => vec![plan.entity(owner)],
        None => plan.entities().collect(),
    };
    let is_judged = entities.iter().any(|plan| plan.judged.is_some());
    let page = match Page::of(path, owner.is_some()) {
        // There is no other place for the typed values.
        Page::Sql if owner.is_some() && !is_judged => Page::Coerced,
        page => page,
    };
    let known = match owner {
        Some(_) => Vocabulary::of_entity(&entities),
        None => Vocabulary::of_sources(&entities),
    };
    let lines: Vec<&str> = text.lines().collect();
    let parts = parts(&lines, page);
    let own: Vec<Vec<Origin>> = lines
        .iter()
        .zip(&parts)
        .map(|(line, part)| known.of_line(&words::of(line, page), part, page))
        .collect();
    let items = Items::of(&lines, page);
    let reasons = items.reasons(&own);
    let mut found = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            found.push(Vec::new());
            continue;
        }
        let mut origins: BTreeSet<Origin> = own[at].iter().cloned().collect();
        origins.extend(reasons[at].iter().cloned());
        origins.extend(known.of_part(&parts[at], page, !origins.is_empty()));
        if let Some(owner) = owner
            && (origins.is_empty() || is_finished(path, owner))
        {
            origins.insert(vocabulary::entity(owner));
        }
        known.refine(line, &mut origins);
        found.push(nearest(origins));
    }
    found
}

/// The file of the relation that readers use.
fn is_finished(path: &str, entity: &Entity) -> bool {
    path.ends_with(&format!("/{}.sql", entity.name))
}

/// What is one's own beside what is more than that.
fn nearest(origins: BTreeSet<Origin>) -> Vec<Origin> {
    let most = origins.iter().map(|origin| origin.kind).min();
    let is_special = |than: Kind| most.is_some_and(|most| most < than);
    origins
        .into_iter()
        .filter(|origin| match origin.kind {
            Kind::Mapping | Kind::Said => !is_special(Kind::Mapping),
            Kind::Entity => !is_special(Kind::Entity),
            Kind::Rule
            | Kind::Check
            | Kind::Calendar
            | Kind::Assert
            | Kind::Dedupe
            | Kind::Redaction
            | Kind::Freshness
            | Kind::MappedField
            | Kind::Recipe
            | Kind::Field
            | Kind::Column
            | Kind::Key => true,
        })
        .collect()
}

/// `order` of `models/assay/silver/order__judged.sql`.
#[must_use]
pub fn entity_of<'p>(path: &str, project: &'p Project) -> Option<&'p Entity> {
    let file = path.rsplit('/').next()?;
    let stem = file.split('.').next()?;
    let stem = stem.strip_prefix('_').unwrap_or(stem);
    let owner = stem.rsplit_once("__").map(|(owner, _)| owner);
    let mut names = [Some(stem), owner].into_iter().flatten();
    names.find_map(|name| project.entity(name))
}

/// `kilos_match` of `models/assay/gold/kilos_match__differences.sql`.
fn check_of<'p>(path: &str, project: &'p Project) -> Option<&'p Check> {
    let file = path.rsplit('/').next()?;
    let stem = file.split('.').next()?.trim_start_matches('_');
    let mut checks = project.checks.iter();
    checks.find(|check| check.relation() == stem)
}

/// `dim_date` of `models/assay/gold/dim_date.sql`.
fn calendar_of<'p>(path: &str, project: &'p Project) -> Option<&'p Calendar> {
    let file = path.rsplit('/').next()?;
    let stem = file.split('.').next()?.trim_start_matches('_');
    project
        .calendar
        .as_ref()
        .filter(|calendar| calendar.name == stem)
}

fn of_calendar(calendar: &Calendar, line: &str) -> Vec<Origin> {
    let origin = Origin {
        kind: Kind::Calendar,
        name: calendar.name.clone(),
        entity: calendar.name.clone(),
        place: calendar.place.clone(),
    };
    match line.trim().is_empty() {
        true => Vec::new(),
        false => vec![origin],
    }
}

/// All of its relation is about the check.
fn of_check(check: &Check, line: &str) -> Vec<Origin> {
    let [entity, _] = check.reads();
    let origin = Origin {
        kind: Kind::Check,
        name: check.name.clone(),
        entity: entity.to_owned(),
        place: check.place.clone(),
    };
    match line.trim().is_empty() {
        true => Vec::new(),
        false => vec![origin],
    }
}

/// What a file is about; it says what a quoted name in it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    /// Typed values: bronze columns become fields.
    Coerced,
    /// Rows as they were delivered.
    Reject,
    Asserts,
    /// Any other SQL about the fields of an entity.
    Sql,
    /// Columns and descriptions of an entity.
    Properties,
    /// The bronze relations.
    Sources,
    /// The same for all specs.
    Shared,
}

impl Page {
    fn of(path: &str, is_owned: bool) -> Self {
        let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        match (is_owned, is_yaml) {
            (true, true) => Self::Properties,
            (true, false) if path.ends_with("__coerced.sql") => Self::Coerced,
            (true, false) if path.ends_with("__reject.sql") => Self::Reject,
            (true, false) if path.ends_with("__asserts.sql") => Self::Asserts,
            (true, false) => Self::Sql,
            (false, true) => Self::Sources,
            (false, false) => Self::Shared,
        }
    }

    fn is_yaml(self) -> bool {
        match self {
            Self::Properties | Self::Sources => true,
            Self::Coerced | Self::Reject | Self::Asserts | Self::Sql | Self::Shared => false,
        }
    }
}

/// Where in a statement a line stands: the CTE, and which SELECT of a UNION in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Part {
    step: String,
    index: usize,
}

fn parts(lines: &[&str], page: Page) -> Vec<Part> {
    let mut part = Part::default();
    let mut parts = Vec::with_capacity(lines.len());
    for line in lines {
        let text = line.trim();
        if let Some((step, index)) = cte(text) {
            part = Part { step, index };
        } else if line.starts_with("SELECT") && !page.is_yaml() && !part.step.is_empty() {
            part.step.clear();
            // Behind a UNION ALL of the last statement it goes on counting.
            if !parts.last().is_some_and(|last: &Part| last.step.is_empty()) {
                part.index = 0;
            }
        } else if text == "UNION ALL" && !page.is_yaml() {
            part.index += 1;
        }
        parts.push(part.clone());
    }
    parts
}

/// `), ranked AS (` begins a CTE; the ones of a further mapping end with its number.
fn cte(text: &str) -> Option<(String, usize)> {
    let head = text
        .strip_suffix(" AS (")
        .or_else(|| text.strip_suffix(" AS MATERIALIZED ("))
        .or_else(|| text.strip_suffix(" AS NOT MATERIALIZED ("))?;
    let head = head.strip_prefix("WITH ").or(head.strip_prefix("), "))?;
    let numbered = head
        .rsplit_once('_')
        .and_then(|(step, number)| Some((step, number.parse::<usize>().ok()?)));
    Some(match numbered {
        Some((step, number)) => (step.to_owned(), number.saturating_sub(1)),
        None => (head.to_owned(), 0),
    })
}

/// Words of a spec and what they stand for.
type Meanings = BTreeMap<Word, Vec<Origin>>;
