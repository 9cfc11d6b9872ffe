//! Where refused rows go, for how long, and what must not be kept of them.

use super::share::share;
use super::world::{EntityView, mapped_fields};
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{
    Disposition, INGESTED_AT, LOAD_ID, Quarantine, Rule, SOURCE_ROW_ID, Share, SourcePath,
};
use crate::place::Place;
use crate::spec::Placed;
use crate::spec::entity_model::QuarantineSpec;
use crate::spec::mapping::MappedFieldSpec;
use crate::sql::expr::Segment;

pub(super) fn resolve(
    entity: &EntityView<'_>,
    rules: &[Rule],
    found: &mut Bag,
) -> Option<Quarantine> {
    let spec = entity.spec.quarantine.as_ref();
    if !spec.is_some_and(|spec| spec.retention_written) {
        check_needed(entity, rules, found);
    }
    let spec = spec?;
    for path in &spec.redact {
        check_redacted(path, entity, found);
    }
    let mut redact: Vec<SourcePath> = spec.redact.iter().map(|path| path.value.clone()).collect();
    redact.sort();
    redact.dedup();
    let ceiling = ceiling(spec, rules, found);
    spec.retention.map(|retention| Quarantine {
        retention,
        redact,
        ceiling,
    })
}

/// No run diverts more than all of its rows, or any where no rule diverts.
fn ceiling(spec: &QuarantineSpec, rules: &[Rule], found: &mut Bag) -> Option<Share> {
    let ceiling = share(spec.ceiling.as_ref()?);
    let why = if ceiling.parts >= ceiling.whole() {
        "no run quarantines more than all of its rows"
    } else if diverting(rules).next().is_none() {
        "no rule of the entity quarantines"
    } else {
        return Some(ceiling);
    };
    found.push(
        Diagnostic::error(
            e04xx::NEVER_FIRES,
            spec.at.key("ceiling"),
            format!("the ceiling `{ceiling}` can never stop a run"),
        )
        .label(why)
        .help("write a smaller share, such as `\"2%\"`, or leave `ceiling` out"),
    );
    None
}

fn diverting(rules: &[Rule]) -> impl Iterator<Item = &Rule> {
    rules.iter().filter(|rule| match rule.disposition {
        Disposition::Quarantine => true,
        Disposition::Fail | Disposition::Flag | Disposition::UnknownMember => false,
    })
}

fn check_needed(entity: &EntityView<'_>, rules: &[Rule], found: &mut Bag) {
    let mut names: Vec<&str> = diverting(rules).map(|rule| rule.name.as_str()).collect();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let place = match &entity.spec.quarantine {
        Some(spec) => spec.at.at_key(),
        None => entity.spec.at.at_key(),
    };
    let shown: Vec<String> = names
        .iter()
        .take(5)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    found.push(
        Diagnostic::error(
            e04xx::MISSING_RETENTION,
            place,
            format!(
                "`{}` can quarantine rows and has no `retention`",
                entity.name()
            ),
        )
        .label(format!(
            "rows are quarantined by {}{more}",
            shown.join(", ")
        ))
        .help("write `quarantine: {retention: 90d}`; it says how long refused rows are kept"),
    );
}

fn check_redacted(path: &Placed<SourcePath>, entity: &EntityView<'_>, found: &mut Bag) {
    let redacted = &path.value;
    if redacted
        .inner
        .iter()
        .any(|segment| matches!(segment, Segment::Index(_)))
    {
        found.push(
            Diagnostic::error(
                e04xx::REDACTED_INDEX,
                path.at.place(),
                "a redacted path goes through an array".to_owned(),
            )
            .label("the next delivery may hold the value at another index")
            .help("redact the whole array"),
        );
        return;
    }
    if [LOAD_ID, INGESTED_AT, SOURCE_ROW_ID].contains(&redacted.column.as_str()) {
        found.push(
            Diagnostic::error(
                e04xx::REDACTED_PATH_MAPPED,
                path.at.place(),
                format!("`{}` is redacted", redacted.column),
            )
            .label("it tells deliveries apart")
            .help("leave it out of `redact`"),
        );
        return;
    }
    if let Some((field, place)) = reader_of(redacted, entity) {
        found.push(
            Diagnostic::error(
                e04xx::REDACTED_PATH_MAPPED,
                path.at.place(),
                format!("a redacted path is read by `{field}`"),
            )
            .label("a replay would have nothing to read")
            .also(place, "read here")
            .help("classify the field as `pii`, or stop mapping it"),
        );
        return;
    }
    let known = entity
        .mappings
        .iter()
        .flat_map(|mapping| &mapping.unmapped)
        .any(|unmapped| overlap(&unmapped.value, redacted))
        || entity.columns.is_empty();
    let column_is_read = entity.mappings.iter().any(|mapping| {
        let mut paths = mapped_fields(mapping).flat_map(MappedFieldSpec::paths);
        paths.any(|(from, _)| from.column == redacted.column)
    });
    if !known && !column_is_read {
        found.push(
            Diagnostic::warning(
                e04xx::REDACTED_PATH_UNKNOWN,
                path.at.place(),
                format!("no mapping of `{}` lists the redacted path", entity.name()),
            )
            .label("refused rows keep only columns that a mapping lists")
            .help("correct the path, or list it under `unmapped:`"),
        );
    }
}

/// A mapped field whose path lies inside the redacted one, or around it.
fn reader_of<'e>(redacted: &SourcePath, entity: &EntityView<'e>) -> Option<(&'e str, Place)> {
    for field in entity
        .mappings
        .iter()
        .flat_map(|mapping| mapped_fields(mapping))
    {
        let mut paths = field.paths().into_iter();
        if let Some((_, place)) = paths.find(|(from, _)| overlap(from, redacted)) {
            return Some((field.name.as_str(), place));
        }
    }
    None
}

fn overlap(left: &SourcePath, right: &SourcePath) -> bool {
    let common = left.inner.len().min(right.inner.len());
    left.column == right.column && left.inner[..common] == right.inner[..common]
}
