//! Differences in what is refused and where it goes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::effect::{Effect, effect};
use super::{Difference, Differences, Subject, mappings};
use crate::change::facts::{
    EntityFacts, Judgement, Kind, QualityFacts, QuarantineFacts, RuleFacts, RuleKey,
    disposition_name,
};
use crate::change::kinds::{Change, Move};
use crate::ir::Disposition;
use crate::sql::literal::read::compare_decimals;
use crate::sql::print;
use crate::sql::types::Type;

pub(super) fn compare(old: &EntityFacts, new: &EntityFacts, found: &mut Differences) {
    match (&old.quality, &new.quality) {
        (None, None) => {}
        // Every rule comes and goes with it.
        (None, Some(_)) => found.push(Change::QualityJoined, Subject::Whole, None, None),
        (Some(_), None) => found.push(Change::QualityLeft, Subject::Whole, None, None),
        (Some(before), Some(after)) => {
            quarantine(before, after, found);
            let known = found.found.len();
            rules(old, new, found);
            if old.history.is_some() && new.history.is_some() {
                for difference in &mut found.found[known..] {
                    keep_flags(old, new, difference);
                }
            }
        }
    }
    asserts(old, new, found);
}

/// The rule reads the field and can send its row away.
pub(super) fn diverts(rule: &RuleFacts, field: &str) -> bool {
    let RuleFacts {
        disposition,
        judgement,
        description: _,
    } = rule;
    let name = print::name(&[field.to_owned()]);
    let is_read = judgement.field.as_deref() == Some(field)
        || judgement.columns().any(|(here, _)| here == field)
        || ["expr", "where"].iter().any(|param| {
            let texts = judgement.params.get(*param).into_iter().flatten();
            texts.into_iter().any(|text| text.contains(&name))
        });
    match disposition {
        Disposition::Quarantine => is_read,
        Disposition::Fail | Disposition::Flag | Disposition::UnknownMember => false,
    }
}

fn quarantine(old: &QualityFacts, new: &QualityFacts, found: &mut Differences) {
    let (before, after) = match (&old.quarantine, &new.quarantine) {
        (None, None) => return,
        (None, Some(_)) => {
            return found.push(Change::QuarantineAdded, Subject::Whole, None, None);
        }
        (Some(_), None) => {
            return found.push(Change::QuarantineRemoved, Subject::Whole, None, None);
        }
        (Some(before), Some(after)) => (before, after),
    };
    let QuarantineFacts {
        retention,
        redact,
        ceiling,
    } = after;
    let change = match hours(retention) < hours(&before.retention) {
        true => Change::RetentionShortened,
        false => Change::RetentionLengthened,
    };
    if hours(retention) != hours(&before.retention) {
        let (from, to) = (Some(&before.retention), Some(retention));
        found.push(change, Subject::Whole, from, to);
    }
    for path in redact.difference(&before.redact) {
        found.push(Change::RedactionAdded, Subject::Whole, None, Some(path));
    }
    for path in before.redact.difference(redact) {
        found.push(Change::RedactionRemoved, Subject::Whole, Some(path), None);
    }
    let change = match (&before.ceiling, ceiling) {
        (None, _) => Change::CeilingAdded,
        (_, None) => Change::CeilingRemoved,
        (Some(before), Some(after)) => match compare_shares(after, before) {
            Ordering::Less => Change::CeilingLowered,
            Ordering::Equal | Ordering::Greater => Change::CeilingRaised,
        },
    };
    found.text(change, Subject::Whole, &before.ceiling, ceiling);
}

pub(super) fn rails(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    found: &mut Differences,
) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        let change = match (before, after) {
            (None, _) => Change::RailAdded,
            (_, None) => Change::RailRemoved,
            (Some(before), Some(after)) => match compare_shares(after, before) {
                Ordering::Less => Change::RailTightened,
                Ordering::Equal | Ordering::Greater => Change::RailLoosened,
            },
        };
        let told = |share: Option<&String>| share.map(|share| format!("{name} {share}"));
        found.text(change, Subject::Whole, &told(before), &told(after));
    }
}

/// Of two percentages.
fn compare_shares(one: &str, other: &str) -> Ordering {
    compare_decimals(one.trim_end_matches('%'), other.trim_end_matches('%'))
}

/// A week is seven days.
fn hours(duration: &str) -> Option<u64> {
    let count = |unit: char| duration.strip_suffix(unit)?.parse::<u64>().ok();
    let days = count('w').map(|weeks| weeks * 7).or_else(|| count('d'));
    days.map(|days| days * 24).or_else(|| count('h'))
}

fn rules(old: &EntityFacts, new: &EntityFacts, found: &mut Differences) {
    let moved = mappings::moved(old, new);
    let is_kept = |of: &EntityFacts, key: &RuleKey| match &key.source {
        None => true,
        Some(source) => of.mappings.contains_key(source),
    };
    // Rules of a mapping that came or went come and go with it.
    let mut before: BTreeMap<RuleKey, &RuleFacts> = BTreeMap::new();
    for (key, rule) in old.rules() {
        let mut key = key.clone();
        if let Some((from, to)) = moved
            && key.source.as_ref() == Some(from)
        {
            key.source = Some(to.clone());
        }
        if is_kept(new, &key) {
            before.insert(key, rule);
        }
    }
    let is_known = |key: &RuleKey| match (&key.source, moved) {
        (Some(source), Some((_, to))) if source == to => true,
        (Some(_) | None, _) => is_kept(old, key),
    };
    let after = new.rules().filter(|(key, _)| is_known(key));
    let after: BTreeMap<RuleKey, &RuleFacts> =
        after.map(|(key, rule)| (key.clone(), rule)).collect();
    let pairs = paired(&before, &after);
    for (key, rule) in &before {
        if !after.contains_key(key) && !pairs.values().any(|earlier| earlier == key) {
            one(Change::RuleRemoved, key, rule, Effect::Less, found);
        }
    }
    for (key, rule) in &after {
        let earlier = pairs.get(key).unwrap_or(key);
        match before.get(earlier) {
            Some(known) => {
                if earlier != key {
                    let (from, to) = (Some(&earlier.name), Some(&key.name));
                    found.push(Change::RuleRenamed, subject(key), from, to);
                }
                both(key, known, rule, type_of(new, &rule.judgement), found);
            }
            None => one(Change::RuleAdded, key, rule, Effect::More, found),
        }
    }
}

fn type_of(entity: &EntityFacts, judgement: &Judgement) -> Option<Type> {
    Some(entity.field(judgement.field.as_ref()?)?.ty)
}

/// New key → old key of a rule that got another name: the only one of its kind that went, and the
/// only one that came, on one field of one mapping.
fn paired(
    before: &BTreeMap<RuleKey, &RuleFacts>,
    after: &BTreeMap<RuleKey, &RuleFacts>,
) -> BTreeMap<RuleKey, RuleKey> {
    type Seat<'f> = (Option<&'f String>, Kind, Option<&'f String>);
    fn seats<'f>(
        of: &'f BTreeMap<RuleKey, &RuleFacts>,
        other: &BTreeMap<RuleKey, &RuleFacts>,
    ) -> BTreeMap<Seat<'f>, Vec<&'f RuleKey>> {
        let mut seats: BTreeMap<Seat<'f>, Vec<&RuleKey>> = BTreeMap::new();
        for (key, rule) in of {
            if !other.contains_key(key) {
                let Judgement { kind, field, .. } = &rule.judgement;
                let seat = (key.source.as_ref(), *kind, field.as_ref());
                seats.entry(seat).or_default().push(key);
            }
        }
        seats
    }
    let gone = seats(before, after);
    let mut pairs = BTreeMap::new();
    for (seat, came) in seats(after, before) {
        if let ([new], Some([old])) = (&came[..], gone.get(&seat).map(Vec::as_slice)) {
            pairs.insert((*new).clone(), (*old).clone());
        }
    }
    pairs
}

fn subject(key: &RuleKey) -> Subject {
    let RuleKey { name, source } = key.clone();
    Subject::Rule { name, source }
}

/// A rule that came or went.
fn one(change: Change, key: &RuleKey, rule: &RuleFacts, effect: Effect, found: &mut Differences) {
    let RuleFacts {
        disposition,
        judgement,
        description: _,
    } = rule;
    let mut text = disposition_name(*disposition).to_owned();
    let params = judgement.to_string();
    if !params.is_empty() {
        text += &format!(", {params}");
    }
    let (old, new) = match effect {
        Effect::Less => (Some(&text), None),
        Effect::More | Effect::Same | Effect::Other => (None, Some(&text)),
    };
    found.push(change, subject(key), old, new);
    explain(effect, *disposition, found);
}

fn both(
    key: &RuleKey,
    old: &RuleFacts,
    new: &RuleFacts,
    ty: Option<Type>,
    found: &mut Differences,
) {
    let RuleFacts {
        disposition,
        judgement,
        description,
    } = new;
    let effect = effect(&old.judgement, judgement, ty);
    if old.judgement != *judgement {
        let change = match effect {
            Effect::Same => Change::RuleRespelled,
            Effect::Less => Change::RuleLoosened,
            Effect::More => Change::RuleTightened,
            Effect::Other => Change::RuleReplaced,
        };
        let (before, after) = (
            old.judgement.beside(judgement),
            judgement.beside(&old.judgement),
        );
        found.push(change, subject(key), Some(&before), Some(&after));
        match effect {
            Effect::Same => {}
            Effect::Less | Effect::More | Effect::Other => explain(effect, *disposition, found),
        }
        if meets_new_values(effect, judgement.kind)
            && let Some(last) = found.found.last_mut()
        {
            last.reason += "; readers may meet new values";
        }
    }
    if old.disposition != *disposition {
        let (before, after) = (
            disposition_name(old.disposition).to_owned(),
            disposition_name(*disposition).to_owned(),
        );
        let change = Change::DispositionChanged;
        found.push(change, subject(key), Some(&before), Some(&after));
        rerouted(old.disposition, *disposition, found);
    }
    let before = &old.description;
    found.text(Change::RuleDescribed, subject(key), before, description);
}

fn meets_new_values(effect: Effect, kind: Kind) -> bool {
    let lists = match kind {
        Kind::InEnum | Kind::InSet => true,
        Kind::Charset
        | Kind::Coercible
        | Kind::Exact
        | Kind::Expression
        | Kind::Length
        | Kind::Normalize
        | Kind::NotNull
        | Kind::Pattern
        | Kind::Range
        | Kind::Referential
        | Kind::Unique => false,
    };
    match effect {
        Effect::Less | Effect::Other => lists,
        Effect::Same | Effect::More => false,
    }
}

/// A version has the flags that it had when it began. An orphan that points elsewhere is another value.
fn keep_flags(old: &EntityFacts, new: &EntityFacts, difference: &mut Difference) {
    let repoints = |of: &EntityFacts| {
        of.rules().any(|(key, rule)| {
            subject(key) == difference.subject && rule.disposition == Disposition::UnknownMember
        })
    };
    if repoints(old) || repoints(new) || !difference.moves.remove(&Move::Rewrite) {
        return;
    }
    if difference.moves.is_empty() {
        "versions that begin from now on get other flags".clone_into(&mut difference.reason);
    }
}

/// What becomes of the rows, on the difference that was found last.
fn explain(effect: Effect, disposition: Disposition, found: &mut Differences) {
    let (moves, reason): (&[Move], &str) = match (disposition, effect) {
        (_, Effect::Same) => (&[], "no row moves"),
        (Disposition::Fail, Effect::More) => (&[], "a run may stop where it passed"),
        (Disposition::Fail, Effect::Less) => (&[], "a run may pass where it stopped"),
        (Disposition::Fail, Effect::Other) => (&[], "a run may stop where it passed, or pass"),
        (Disposition::Quarantine, Effect::More) => {
            (&[Move::Leave], "rows that break it leave the entity")
        }
        (Disposition::Quarantine, Effect::Less) => (&[Move::Return], "refused rows may come back"),
        (Disposition::Quarantine, Effect::Other) => (
            &[Move::Leave, Move::Return],
            "rows may leave the entity, and refused rows may come back",
        ),
        (Disposition::Flag, Effect::More | Effect::Less | Effect::Other) => {
            (&[Move::Rewrite], "rows get other flags")
        }
        (Disposition::UnknownMember, Effect::More | Effect::Less | Effect::Other) => (
            &[Move::Rewrite],
            "other rows point at the unknown member, and flags change",
        ),
    };
    conclude(moves.iter().copied().collect(), reason, found);
}

fn rerouted(old: Disposition, new: Disposition, found: &mut Differences) {
    let mut moves = BTreeSet::new();
    let mut mark = |disposition: Disposition, diverted: Move| match disposition {
        Disposition::Fail => {}
        Disposition::Quarantine => {
            moves.insert(diverted);
        }
        Disposition::Flag | Disposition::UnknownMember => {
            moves.insert(Move::Rewrite);
        }
    };
    mark(old, Move::Return);
    mark(new, Move::Leave);
    let reason = match (old, new) {
        (Disposition::Quarantine, Disposition::Flag | Disposition::UnknownMember) => {
            "refused rows may come back, flagged"
        }
        (Disposition::Quarantine, Disposition::Fail | Disposition::Quarantine) => {
            "what was refused stops the run from now on"
        }
        (Disposition::Fail | Disposition::Flag | Disposition::UnknownMember, next) => match next {
            Disposition::Quarantine => "rows that break it leave the entity",
            Disposition::Fail => "a row that breaks it stops the run from now on",
            Disposition::Flag => "rows that break it are kept and flagged",
            Disposition::UnknownMember => "orphans are kept and point at the unknown member",
        },
    };
    conclude(moves, reason, found);
}

fn conclude(moves: BTreeSet<Move>, reason: &str, found: &mut Differences) {
    if let Some(last) = found.found.last_mut() {
        last.moves = moves;
        reason.clone_into(&mut last.reason);
    }
}

fn asserts(old: &EntityFacts, new: &EntityFacts, found: &mut Differences) {
    let text = |judgement: &Judgement| {
        let text = judgement.to_string();
        (!text.is_empty()).then_some(text)
    };
    for (name, judgement) in &old.asserts {
        if !new.asserts.contains_key(name) {
            let subject = Subject::Assert(name.clone());
            let text = text(judgement);
            found.push(Change::AssertRemoved, subject, text.as_ref(), None);
        }
    }
    for (name, after) in &new.asserts {
        let subject = Subject::Assert(name.clone());
        let Some(before) = old.asserts.get(name) else {
            let text = text(after);
            found.push(Change::AssertAdded, subject, None, text.as_ref());
            continue;
        };
        let change = match effect(before, after, type_of(new, after)) {
            Effect::Same => Change::AssertRespelled,
            Effect::Less => Change::AssertLoosened,
            Effect::More => Change::AssertTightened,
            Effect::Other => Change::AssertReplaced,
        };
        if before != after {
            let (before, after) = (text(before), text(after));
            found.push(change, subject, before.as_ref(), after.as_ref());
        }
    }
}
