//! What a map holds: each key once, and what merge keys (`<<`) bring.

use std::collections::BTreeSet;

use super::parse::Context;
use super::{Entry, Kind, Problem, ProblemKind};

const MERGE: &str = "<<";

/// The first of each key; the others are reported.
pub(super) fn without_duplicates(context: &Context<'_>, entries: Vec<Entry>) -> Vec<Entry> {
    let repeats = repeats(&entries);
    if repeats.is_empty() {
        return entries;
    }
    for index in &repeats {
        let repeat = &entries[*index];
        let first = entries.iter().find(|first| first.key == repeat.key);
        context.report_duplicate(
            &repeat.key,
            first.and_then(|first| first.key_at),
            repeat.key_at,
        );
    }
    let kept = entries
        .into_iter()
        .enumerate()
        .filter(|(index, _)| !repeats.contains(index));
    kept.map(|(_, entry)| entry).collect()
}

/// Which entries have the key of an earlier one.
pub(super) fn repeats(entries: &[Entry]) -> Vec<usize> {
    // Most maps are small, and looking through them costs less than an index.
    if entries.len() <= 16 {
        let is_repeat = |index: &usize| {
            entries[..*index]
                .iter()
                .any(|earlier| earlier.key == entries[*index].key)
        };
        (1..entries.len()).filter(is_repeat).collect()
    } else {
        let mut known = BTreeSet::new();
        let is_repeat = |index: &usize| !known.insert(entries[*index].key.as_str());
        (0..entries.len()).filter(is_repeat).collect()
    }
}

/// Puts what `<<` brings where it stands. The map's own keys win, then the earlier of several maps.
pub(super) fn merge(context: &Context<'_>, entries: Vec<Entry>) -> Vec<Entry> {
    let is_merge = |entry: &Entry| {
        entry.key == MERGE
            && entry
                .key_at
                .is_some_and(|at| context.text[at as usize..].starts_with('<'))
    };
    let Some(index) = entries.iter().position(is_merge) else {
        return entries;
    };
    let mut before = entries;
    let mut after = before.split_off(index);
    let Entry {
        key: _,
        key_at,
        value,
    } = after.remove(0);
    let maps = match value.kind {
        Kind::Map(entries) => vec![entries],
        Kind::Seq(items) if items.iter().all(|item| matches!(item.kind, Kind::Map(_))) => items
            .into_iter()
            .map(|item| match item.kind {
                Kind::Map(entries) => entries,
                Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => Vec::new(),
            })
            .collect(),
        Kind::Null(_) | Kind::Scalar(_) | Kind::Seq(_) => {
            let at = key_at.map(|at| at as usize);
            let problem = Problem {
                at,
                kind: ProblemKind::MergeNotMap,
            };
            context.problems.borrow_mut().push(problem);
            Vec::new()
        }
    };
    for entry in maps.into_iter().flatten() {
        let is_known = before
            .iter()
            .chain(&after)
            .any(|known| known.key == entry.key);
        if !is_known {
            before.push(entry);
        }
    }
    before.extend(after);
    before
}
