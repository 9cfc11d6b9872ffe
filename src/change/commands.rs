//! What to run so that the warehouse is what the new specs say, and nothing more.

use std::collections::BTreeSet;

use crate::change::compare::Difference;
use crate::change::facts::{EntityFacts, Facts};
use crate::change::kinds::Change;
use crate::change::moves::Extent;
use crate::change::scopes::Scopes;
use crate::settings::{Host, Layout, Settings, Target};

/// In the order to run them. Entities are built as a whole on every run, so that a build is a
/// restatement, and replays the refused rows too.
#[must_use]
pub fn commands(
    settings: &Settings,
    paths: &BTreeSet<&str>,
    new: &Facts,
    differences: &[Difference],
    scopes: &Scopes,
) -> Vec<String> {
    match settings.target {
        Target::Dbt if is_nothing(scopes) => Vec::new(),
        Target::Dbt if is_everything(scopes, new) => {
            let full = full_refresh(scopes, new);
            let mut all = begun(differences);
            all.push(dbt_build(settings).replacen("dbt build", &format!("dbt build{full}"), 1));
            all
        }
        Target::Dbt => {
            let known = model_names(paths);
            let models = scopes
                .build
                .iter()
                .flat_map(|(entity, extent)| models(entity, *extent, &known));
            let checks = scopes.checks.iter().filter_map(|name| new.checks.get(name));
            let checks = checks.map(|check| check.relation.clone());
            let calendar = scopes.calendar.iter().cloned();
            let models: Vec<String> = models.chain(checks).chain(calendar).collect();
            let full = full_refresh(scopes, new);
            let mut all = begun(differences);
            all.push(format!("dbt build{full} --select {}", models.join(" ")));
            all
        }
        // It finds out for itself what to build, and keeps descriptions and owners too.
        Target::Sqlmesh if differences.is_empty() => Vec::new(),
        Target::Sqlmesh => {
            let mut plan = "sqlmesh plan".to_owned();
            for entity in narrowed(new, differences) {
                let silver = &settings.schemas.silver;
                plan.push_str(&format!(" --allow-destructive-model {silver}.{entity}"));
            }
            // A plan does not write to a history that goes on.
            let goes_on = |(name, _): &(String, Extent)| {
                let entity = new.entities.get(name);
                entity.is_some_and(|entity| entity.history.is_some()) && !begins(name, differences)
            };
            match scopes.build.iter().any(goes_on) {
                true => vec![plan, "sqlmesh run".to_owned()],
                false => vec![plan],
            }
        }
    }
}

/// What is kept from run to run is built anew only when asked to. The relations that hold history say
/// themselves that they never are.
fn full_refresh(scopes: &Scopes, new: &Facts) -> &'static str {
    let is_kept = |name: &String| {
        let facts = new.entities.get(name);
        facts.is_some_and(|facts| facts.incremental.is_some())
    };
    match scopes.build.iter().any(|(name, _)| is_kept(name)) {
        true => " --full-refresh",
        false => "",
    }
}

/// Histories that lose a column, which a plan refuses unless it is told.
fn narrowed<'d>(new: &Facts, differences: &'d [Difference]) -> BTreeSet<&'d str> {
    let mut narrowed = BTreeSet::new();
    for difference in differences {
        let loses = matches!(
            difference.change,
            Change::FieldRemoved | Change::FieldRenamed
        );
        let Some(entity) = difference.entity.as_deref().filter(|_| loses) else {
            continue;
        };
        let keeps = |facts: &EntityFacts| facts.history.is_some();
        if new.entities.get(entity).is_some_and(keeps) && !begins(entity, differences) {
            narrowed.insert(entity);
        }
    }
    narrowed
}

fn begins(entity: &str, differences: &[Difference]) -> bool {
    let mut differences = differences.iter();
    differences.any(|difference| {
        let is_new = matches!(
            difference.change,
            Change::HistoryBegun | Change::EntityAdded
        );
        is_new && difference.entity.as_deref() == Some(entity)
    })
}

/// A dbt snapshot does not take over a table that is none.
fn begun(differences: &[Difference]) -> Vec<String> {
    let begun = differences
        .iter()
        .filter(|difference| difference.change == Change::HistoryBegun);
    let entities = begun.filter_map(|difference| difference.entity.as_ref());
    entities
        .map(|entity| {
            format!("dbt run-operation assay_begin_history --args '{{entity: {entity}}}'")
        })
        .collect()
}

fn dbt_build(settings: &Settings) -> String {
    let folder = &settings.folder;
    match (settings.host, settings.layout) {
        (Host::Own, Layout::Package | Layout::Inline) => "dbt build".to_owned(),
        (Host::Existing, Layout::Package) => format!("dbt build --select package:{folder}"),
        (Host::Existing, Layout::Inline) => format!("dbt build --select tag:{folder}"),
    }
}

fn is_relation(path: &str) -> bool {
    path.starts_with("models/") || path.starts_with("snapshots/")
}

fn model_names<'p>(paths: &BTreeSet<&'p str>) -> BTreeSet<&'p str> {
    let models = paths.iter().filter(|path| is_relation(path));
    let files = models.filter_map(|path| path.rsplit('/').next());
    files.filter_map(|file| file.strip_suffix(".sql")).collect()
}

/// The models of an entity, those that others read first.
fn models(entity: &str, extent: Extent, known: &BTreeSet<&str>) -> Vec<String> {
    let names = match extent {
        Extent::Nothing => Vec::new(),
        Extent::Finished => vec![entity.to_owned()],
        Extent::Whole => vec![
            format!("{entity}__judged"),
            entity.to_owned(),
            format!("{entity}__reject"),
        ],
    };
    let names = names.into_iter();
    names.filter(|name| known.contains(name.as_str())).collect()
}

fn is_nothing(scopes: &Scopes) -> bool {
    scopes.build.is_empty() && scopes.checks.is_empty() && scopes.calendar.is_none()
}

fn is_everything(scopes: &Scopes, new: &Facts) -> bool {
    let whole = scopes
        .build
        .iter()
        .filter(|(_, extent)| *extent == Extent::Whole);
    whole.count() == new.entities.len()
}
