//! What differs between the checks of finished relations. None of it moves a stored row.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::{Difference, Differences, Subject};
use crate::change::facts::{CheckFacts, MIN, TOLERANCE};
use crate::change::kinds::Change;
use crate::sql::literal::read::compare_decimals;

pub fn compare(
    old: &BTreeMap<String, CheckFacts>,
    new: &BTreeMap<String, CheckFacts>,
) -> Vec<Difference> {
    let mut found = Differences::of_project();
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let subject = Subject::Check(name.clone());
        match (old.get(name), new.get(name)) {
            (Some(before), Some(after)) => both(before, after, &subject, &mut found),
            (None, Some(after)) => {
                let text = after.judgement(None);
                found.push(Change::CheckAdded, subject, None, Some(&text));
            }
            (Some(before), None) => {
                let text = before.judgement(None);
                found.push(Change::CheckRemoved, subject, Some(&text), None);
            }
            (None, None) => {}
        }
    }
    found.found
}

fn both(old: &CheckFacts, new: &CheckFacts, subject: &Subject, found: &mut Differences) {
    let CheckFacts {
        kind,
        on_fail,
        params,
        // These follow from the others.
        reads: _,
        relation: _,
        description,
    } = new;
    if old.kind != *kind || old.params != *params {
        let (before, after) = (
            Some(old.judgement(Some(new))),
            Some(new.judgement(Some(old))),
        );
        found.push(
            effect(old, new),
            subject.clone(),
            before.as_ref(),
            after.as_ref(),
        );
    }
    let (before, after) = (Some(old.on_fail.clone()), Some(on_fail.clone()));
    let change = Change::CheckDispositionChanged;
    found.text(change, subject.clone(), &before, &after);
    let before = &old.description;
    found.text(Change::CheckDescribed, subject.clone(), before, description);
}

/// Where nothing but the bound differs, the greater one says whether more is found.
fn effect(old: &CheckFacts, new: &CheckFacts) -> Change {
    let [before, after] = [old.asks(), new.asks()].map(|(kind, mut params)| {
        params.retain(|name, _| *name != TOLERANCE && *name != MIN);
        (kind, params)
    });
    if before != after {
        return Change::CheckReplaced;
    }
    let growth = |name: &str| {
        let [before, after] = [old, new].map(|facts| facts.params.get(name)?.first());
        Some(compare_decimals(after?, before?))
    };
    match (growth(TOLERANCE), growth(MIN)) {
        (Some(Ordering::Greater), _) | (_, Some(Ordering::Less)) => Change::CheckLoosened,
        (Some(Ordering::Less), _) | (_, Some(Ordering::Greater)) => Change::CheckTightened,
        (Some(Ordering::Equal) | None, Some(Ordering::Equal) | None) => Change::CheckRespelled,
    }
}
