//! `coverage`: parents that too few rows refer to.

use super::{column, entity, on_fail};
use crate::check::world::World;
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Check, CheckKind, Coverage};
use crate::spec::entity_model::{Cardinality, CoverageSpec};

pub(super) fn resolve(spec: &CoverageSpec, world: &World<'_>, found: &mut Bag) -> Option<Check> {
    let CoverageSpec {
        name,
        at,
        relationship,
        min,
        on_fail: word,
        description,
    } = spec;
    let on_fail = on_fail(word, at, found);
    let place = at.key("relationship");
    let Some(declared) = world.relationships.get(relationship.as_str()) else {
        let known = world.relationships.keys().copied();
        found.push(
            Diagnostic::error(
                e04xx::UNKNOWN_RELATIONSHIP,
                place,
                format!("unknown relationship `{relationship}`"),
            )
            .help_nearest(relationship, known),
        );
        return None;
    };
    // Where its ends are wrong, that has been reported.
    let mut ignored = Bag::default();
    let from = entity(&declared.from, &place, world, &mut ignored)?;
    let to = entity(&declared.to, &place, world, &mut ignored)?;
    let pairs = declared.via.iter().cloned();
    let (parent, child, pairs): (_, _, Vec<(String, String)>) = match declared.cardinality {
        Cardinality::ManyToOne | Cardinality::OneToOne => {
            (to, from, pairs.map(|(here, there)| (there, here)).collect())
        }
        Cardinality::OneToMany => (from, to, pairs.collect()),
    };
    let mut columns = Vec::new();
    for (of_parent, of_child) in pairs {
        let known = parent.fields.contains_key(of_parent.as_str())
            && child.fields.contains_key(of_child.as_str());
        if known {
            let types = [
                column(parent, &of_parent, &place, found),
                column(child, &of_child, &place, found),
            ];
            columns.extend(
                types
                    .iter()
                    .all(Option::is_some)
                    .then_some((of_parent, of_child)),
            );
        }
    }
    if columns.len() < declared.via.len() || columns.is_empty() {
        return None;
    }
    columns.sort();
    Some(Check {
        name: name.clone(),
        place: at.place(),
        description: description.clone(),
        on_fail: on_fail?,
        kind: CheckKind::Coverage(Coverage {
            relationship: relationship.clone(),
            parent: parent.name().to_owned(),
            child: child.name().to_owned(),
            columns,
            min: *min,
        }),
    })
}
