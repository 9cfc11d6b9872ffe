//! The catalog's `date_dimension`: a relation of days.

use super::names::{OURS, relations_of, too_long};
use crate::diag::code::e02xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Calendar, Check};
use crate::place::Place;
use crate::settings::Settings;
use crate::spec::Spec;
use crate::spec::catalog::DateDimension;
use crate::sql::dialect::spelling;

pub(super) fn resolve(
    spec: &Spec,
    checks: &[Check],
    settings: &Settings,
    found: &mut Bag,
) -> Option<Calendar> {
    let DateDimension {
        at,
        name,
        start_year,
        end_year,
    } = spec.catalog.as_ref()?.date_dimension.as_ref()?;
    if end_year < start_year {
        found.push(
            Diagnostic::error(
                e02xx::CALENDAR_YEARS,
                at.key("end_year"),
                format!("the last year, {end_year}, is before the first, {start_year}"),
            )
            .label("it would be a relation without rows")
            .also(at.key("start_year"), "it begins here")
            .help("swap the two"),
        );
    }
    let place = at.key("name");
    if OURS.contains(&name.as_str()) {
        found.push(
            Diagnostic::error(
                e02xx::RESERVED_NAME,
                place.clone(),
                format!("`{name}` is a reserved name"),
            )
            .label("every generated project has a relation of this name")
            .help("rename the date dimension"),
        );
    }
    if let Some((what, taken)) = taken(name, spec, checks, settings) {
        found.push(
            Diagnostic::error(
                e02xx::NAME_COLLISION,
                place.clone(),
                format!("the date dimension and {what} both need the relation `{name}`"),
            )
            .label("the warehouse would take them for one")
            .also(taken, "declared here")
            .help("rename one of them"),
        );
    }
    let longest = spelling(settings.dialect).identifier_limit;
    if let Some(longest) = longest.filter(|longest| name.len() > *longest) {
        found.push(too_long(name, place, longest));
    }
    Some(Calendar {
        name: name.clone(),
        place: at.at_key(),
        first_year: *start_year,
        last_year: *end_year,
    })
}

/// What else has a relation of this name, and where that is declared.
fn taken(
    name: &str,
    spec: &Spec,
    checks: &[Check],
    settings: &Settings,
) -> Option<(String, Place)> {
    let is_it = |other: &str| other.eq_ignore_ascii_case(name);
    let mut entities = spec.entities.iter();
    let entity = entities.find(|entity| relations_of(&entity.name).iter().any(|own| is_it(own)));
    if let Some(entity) = entity {
        return Some((format!("the entity `{}`", entity.name), entity.at.at_key()));
    }
    if let Some(check) = checks.iter().find(|check| is_it(&check.relation())) {
        let place = check.place.key("name");
        return Some((format!("the check `{}`", check.name), place));
    }
    let schemas = &settings.schemas;
    let one_schema = schemas.bronze.eq_ignore_ascii_case(&schemas.gold);
    let mut mappings = spec.mappings.iter().filter(|_| one_schema);
    let mapping = mappings.find(|mapping| is_it(&mapping.source))?;
    let what = format!("the source `{}`", mapping.source);
    Some((what, mapping.at.key("source")))
}
