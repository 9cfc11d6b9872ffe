//! Differences in where rows and values come from.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Differences, Subject, moves_of_value};
use crate::change::facts::{
    EntityFacts, MappedFacts, MappingFacts, RecipeFacts, SourceFacts, StepFacts,
};
use crate::change::kinds::Change;
use crate::sql::types::Type;

pub(super) fn compare(
    old: &EntityFacts,
    new: &EntityFacts,
    looked_up: &BTreeSet<&str>,
    found: &mut Differences,
) {
    let moved = moved(old, new);
    if let Some((from, to)) = moved {
        let subject = Subject::Mapping(to.clone());
        found.push(Change::SourceChanged, subject, Some(from), Some(to));
    }
    for source in old.mappings.keys() {
        let is_moved = moved.is_some_and(|(from, _)| from == source);
        if !is_moved && !new.mappings.contains_key(source) {
            let subject = Subject::Mapping(source.clone());
            found.push(Change::MappingRemoved, subject, None, None);
        }
    }
    for (source, after) in &new.mappings {
        let earlier = match moved {
            Some((from, to)) if to == source => from,
            Some(_) | None => source,
        };
        match old.mappings.get(earlier) {
            Some(before) => {
                let versions = Versions {
                    old,
                    new,
                    looked_up,
                };
                versions.mapping(source, before, after, found);
            }
            None => {
                let subject = Subject::Mapping(source.clone());
                found.push(Change::MappingAdded, subject, None, None);
            }
        }
    }
}

/// One mapping for another: the same rows by another name, or other rows for the same fields.
pub(super) fn moved<'f>(
    old: &'f EntityFacts,
    new: &'f EntityFacts,
) -> Option<(&'f String, &'f String)> {
    let only = |of: &'f EntityFacts, other: &EntityFacts| -> Vec<&'f String> {
        let sources = of.mappings.keys();
        sources
            .filter(|source| !other.mappings.contains_key(*source))
            .collect()
    };
    match (&only(old, new)[..], &only(new, old)[..]) {
        ([from], [to]) => Some((from, to)),
        _ => None,
    }
}

struct Versions<'f> {
    old: &'f EntityFacts,
    new: &'f EntityFacts,
    looked_up: &'f BTreeSet<&'f str>,
}

impl Versions<'_> {
    fn mapping(
        &self,
        source: &str,
        before: &MappingFacts,
        after: &MappingFacts,
        found: &mut Differences,
    ) {
        let MappingFacts {
            columns: _,
            warn_after,
            error_after,
            fields,
        } = after;
        let names: BTreeSet<&String> = before.fields.keys().chain(fields.keys()).collect();
        for name in names {
            // That a field came or went has been said.
            if self.old.field(name).is_none() || self.new.field(name).is_none() {
                continue;
            }
            let subject = Subject::Mapped {
                source: source.to_owned(),
                field: name.clone(),
            };
            let moves = moves_of_value(self.new, name, self.looked_up);
            match (before.fields.get(name), fields.get(name)) {
                (Some(before), Some(after)) => {
                    let count = found.found.len();
                    mapped(subject, before, after, found);
                    let differs = found.found[count..].last().map(|last| last.change);
                    if differs.is_some_and(|change| change != Change::RecipeRespelled) {
                        found.with_moves(moves);
                    }
                }
                (None, Some(after)) => {
                    let from = Some(&after.from.to_string());
                    found.push(Change::FieldNewlyMapped, subject, None, from);
                    found.with_moves(moves);
                }
                (Some(before), None) => {
                    let from = Some(&before.from.to_string());
                    found.push(Change::FieldNoLongerMapped, subject, from, None);
                    found.with_moves(moves);
                }
                (None, None) => {}
            }
        }
        self.columns(source, before, after, found);
        let freshness = |warn: &Option<String>, error: &Option<String>| {
            let warn = warn.iter().map(|after| format!("warn after {after}"));
            let error = error.iter().map(|after| format!("error after {after}"));
            let parts: Vec<String> = warn.chain(error).collect();
            (!parts.is_empty()).then(|| parts.join(", "))
        };
        let (change, subject) = (
            Change::FreshnessChanged,
            Subject::Mapping(source.to_owned()),
        );
        let before = freshness(&before.warn_after, &before.error_after);
        found.text(
            change,
            subject,
            &before,
            &freshness(warn_after, error_after),
        );
    }

    /// Columns that only refused rows keep; those that a field reads are said with the field.
    fn columns(
        &self,
        source: &str,
        before: &MappingFacts,
        after: &MappingFacts,
        found: &mut Differences,
    ) {
        let subject = |column: &String| Subject::Column {
            source: source.to_owned(),
            column: column.clone(),
        };
        let keeps = |of: &EntityFacts| {
            let quality = of.quality.as_ref();
            quality.is_some_and(|quality| quality.quarantine.is_some())
        };
        let (dropped, kept) = match (keeps(self.old), keeps(self.new)) {
            (true, true) => (Change::ColumnDropped, Change::ColumnKept),
            (false, false) => (Change::ColumnUnlisted, Change::ColumnListed),
            // The relation of refused rows came or went, with all that is in it.
            (true, false) | (false, true) => return,
        };
        for column in before.columns.difference(&after.columns) {
            if !reads(before, column) {
                found.push(dropped, subject(column), None, None);
            }
        }
        for column in after.columns.difference(&before.columns) {
            if !reads(after, column) {
                found.push(kept, subject(column), None, None);
            }
        }
    }
}

fn reads(mapping: &MappingFacts, column: &str) -> bool {
    let quoted = format!(
        "$[\"{}\"]",
        column.replace('\\', "\\\\").replace('"', "\\\"")
    );
    let is_read = |from: &str| {
        let rest = from
            .strip_prefix("$.")
            .and_then(|rest| rest.strip_prefix(column));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            || from.starts_with(&quoted)
    };
    let paths = mapping
        .fields
        .values()
        .flat_map(|mapped| mapped.from.paths());
    paths.into_iter().any(|path| is_read(path))
}

fn mapped(subject: Subject, old: &MappedFacts, new: &MappedFacts, found: &mut Differences) {
    let MappedFacts { ty, from, steps } = new;
    match (&old.from, from) {
        (SourceFacts::Path(before), SourceFacts::Path(after)) => {
            paths(&subject, before, after, found);
        }
        (SourceFacts::Recipe(before), SourceFacts::Recipe(after)) if alike(before, after) => {
            let names = |recipe: &RecipeFacts| {
                let names = recipe.aliases.iter().map(|alias| alias.name.as_str());
                names.collect::<Vec<_>>().join(", ")
            };
            let (old, new) = (Some(names(before)), Some(names(after)));
            found.text(Change::RecipeRespelled, subject.clone(), &old, &new);
            for (before, after) in before.aliases.iter().zip(&after.aliases) {
                paths(&subject, &before.from, &after.from, found);
            }
        }
        (SourceFacts::Path(_) | SourceFacts::Recipe(_), _) => {
            let (mut before, mut after) = (old.from.to_string(), from.to_string());
            if before == after {
                before += &of_types(&old.from);
                after += &of_types(from);
            }
            let change = Change::RecipeChanged;
            return found.push(change, subject, Some(&before), Some(&after));
        }
    }
    // What only follows from the type of the field has been said with it.
    if *in_type(&old.steps, old.ty, *ty) != **steps {
        let (before, after) = (chain(&old.steps), chain(steps));
        found.push(Change::ChainChanged, subject, Some(&before), Some(&after));
    }
}

fn paths(subject: &Subject, before: &String, after: &String, found: &mut Differences) {
    if before != after {
        let change = Change::PathChanged;
        found.push(change, subject.clone(), Some(before), Some(after));
    }
}

/// The same is computed, whatever it is read from and however that is called.
fn alike(before: &RecipeFacts, after: &RecipeFacts) -> bool {
    let types = |recipe: &RecipeFacts| -> Vec<Type> {
        recipe.aliases.iter().map(|alias| alias.ty).collect()
    };
    before.value == after.value && types(before) == types(after)
}

/// ` of decimal(12,2), int`
fn of_types(from: &SourceFacts) -> String {
    let types: Vec<String> = match from {
        SourceFacts::Path(_) => Vec::new(),
        SourceFacts::Recipe(recipe) => {
            let aliases = recipe.aliases.iter();
            aliases.map(|alias| alias.ty.to_string()).collect()
        }
    };
    format!(" of {}", types.join(", "))
}

fn in_type(steps: &[StepFacts], old: Type, new: Type) -> Cow<'_, [StepFacts]> {
    if old == new {
        return Cow::Borrowed(steps);
    }
    let with_type = |step: &StepFacts| StepFacts {
        words: step.words.clone(),
        out: if step.out == old { new } else { step.out },
    };
    Cow::Owned(steps.iter().map(with_type).collect())
}

/// `trim, nullif -, to_decimal (decimal(12,2))`
fn chain(steps: &[StepFacts]) -> String {
    if steps.is_empty() {
        return "as delivered".to_owned();
    }
    let steps: Vec<String> = steps.iter().map(shown).collect();
    steps.join(", ")
}

fn shown(step: &StepFacts) -> String {
    let StepFacts { words, out } = step;
    let text = words.join(" ");
    match words.first().map(String::as_str) {
        Some("to_decimal" | "multiply" | "divide" | "round") => format!("{text} ({out})"),
        Some(_) | None => text,
    }
}
