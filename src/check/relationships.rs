//! Relationships between entities, and the order that `referential` rules force on them.

use std::collections::{BTreeMap, BTreeSet};

use super::world::World;
use crate::diag::code::{e02xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Disposition, Entity};
use crate::place::Place;
use crate::spec::Spec;
use crate::spec::entity_model::RelationshipSpec;

pub(super) fn check(spec: &Spec, world: &World<'_>, found: &mut Bag) {
    for relationship in &spec.relationships {
        check_ends(relationship, world, found);
    }
}

fn check_ends(relationship: &RelationshipSpec, world: &World<'_>, found: &mut Bag) {
    let mut ends = Vec::new();
    for (key, name) in [("from", &relationship.from), ("to", &relationship.to)] {
        match world.entities.get(name.as_str()) {
            Some(entity) => ends.push(entity),
            None => found.push(
                Diagnostic::error(
                    e02xx::UNKNOWN_ENTITY,
                    relationship.at.key(key),
                    format!("unknown entity `{name}`"),
                )
                .label("no entity model declares it")
                .help_nearest(name, world.entity_names()),
            ),
        }
    }
    let [from, to] = ends.as_slice() else { return };
    for (here, there) in &relationship.via {
        let via = relationship.at.key("via").key(here);
        let mut types = Vec::new();
        for (entity, name, place) in [(from, here, via.at_key()), (to, there, via.clone())] {
            match entity.fields.get(name.as_str()) {
                Some(field) => types.extend(field.ty),
                None => found.push(
                    Diagnostic::error(
                        e02xx::UNKNOWN_FIELD,
                        place,
                        format!("unknown field `{name}`"),
                    )
                    .label(format!("not a field of `{}`", entity.name()))
                    .help_nearest(name, entity.field_names()),
                ),
            }
        }
        let [here_ty, there_ty] = types.as_slice() else {
            continue;
        };
        if here_ty != there_ty {
            found.push(
                Diagnostic::error(
                    e04xx::RELATIONSHIP_TYPES,
                    via,
                    format!(
                        "`{}.{here}` is of type `{here_ty}`, `{}.{there}` of type `{there_ty}`",
                        relationship.from, relationship.to
                    ),
                )
                .label("engines disagree about comparing them")
                .help("declare both fields with one type"),
            );
        }
    }
}

/// Both frameworks build parents before children, so no entity may wait for itself.
pub(super) fn check_cycles(entities: &[Entity], found: &mut Bag) {
    let mut edges: BTreeMap<&str, BTreeMap<&str, &Place>> = BTreeMap::new();
    for entity in entities {
        let parents = edges.entry(entity.name.as_str()).or_default();
        for (rule, referential) in entity.referentials() {
            parents
                .entry(referential.parent.as_str())
                .or_insert(&rule.place);
        }
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in edges.keys() {
        let mut path: Vec<&str> = vec![start];
        let mut waiting: Vec<Vec<&str>> = vec![parents_of(&edges, start)];
        while let Some(parents) = waiting.last_mut() {
            let Some(parent) = parents.pop() else {
                waiting.pop();
                done.extend(path.pop());
                continue;
            };
            if let Some(at) = path.iter().position(|name| *name == parent) {
                report_cycle(&path[at..], &edges, found);
            } else if !done.contains(parent) {
                path.push(parent);
                waiting.push(parents_of(&edges, parent));
            }
        }
    }
}

/// Last name first, so that `pop` goes in order.
fn parents_of<'e>(
    edges: &BTreeMap<&'e str, BTreeMap<&'e str, &'e Place>>,
    entity: &str,
) -> Vec<&'e str> {
    let mut parents: Vec<&str> = edges
        .get(entity)
        .map(|parents| parents.keys().copied().collect())
        .unwrap_or_default();
    parents.reverse();
    parents
}

fn report_cycle(cycle: &[&str], edges: &BTreeMap<&str, BTreeMap<&str, &Place>>, found: &mut Bag) {
    let [first, ..] = cycle else { return };
    let mut names: Vec<String> = cycle.iter().map(|name| format!("`{name}`")).collect();
    names.push(format!("`{first}`"));
    let next = cycle.get(1).unwrap_or(first);
    let Some(place) = edges.get(first).and_then(|parents| parents.get(next)) else {
        return;
    };
    let mut diagnostic = Diagnostic::error(
        e04xx::REFERENTIAL_CYCLE,
        (*place).clone(),
        format!("`referential` rules form a cycle: {}", names.join(" → ")),
    )
    .label("each would have to be built before the other")
    .help("drop the rule of one direction");
    for (index, name) in cycle.iter().enumerate().skip(1) {
        let next = cycle.get(index + 1).unwrap_or(first);
        if let Some(place) = edges.get(name).and_then(|parents| parents.get(next)) {
            diagnostic = diagnostic.also((*place).clone(), format!("`{name}` needs `{next}` here"));
        }
    }
    found.push(diagnostic);
}

/// Parents that orphans are pointed at offer the member to joins.
pub(super) fn mark_unknown_members(entities: &mut [Entity]) {
    let mut parents: BTreeSet<String> = BTreeSet::new();
    for entity in entities.iter() {
        for (rule, referential) in entity.referentials() {
            match rule.disposition {
                Disposition::UnknownMember => {
                    parents.insert(referential.parent.clone());
                }
                Disposition::Fail | Disposition::Quarantine | Disposition::Flag => {}
            }
        }
    }
    for entity in entities {
        entity.has_unknown_member = parents.contains(&entity.name);
    }
}
