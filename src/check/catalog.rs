//! What fields say about the catalog.

use crate::diag::code::e02xx;
use crate::diag::{Bag, Diagnostic};
use crate::spec::Spec;

pub(super) fn check(spec: &Spec, found: &mut Bag) {
    let known: Vec<&str> = spec
        .catalog
        .iter()
        .flat_map(|catalog| &catalog.canonical_fields)
        .map(|field| field.name.as_str())
        .collect();
    for field in spec.entities.iter().flat_map(|entity| &entity.fields) {
        let Some(name) = field.canonical.as_deref() else {
            continue;
        };
        if !known.contains(&name) {
            found.push(
                Diagnostic::error(
                    e02xx::UNKNOWN_CANONICAL_FIELD,
                    field.at.key("canonical"),
                    format!("unknown canonical field `{name}`"),
                )
                .label("the catalog does not declare it")
                .help_nearest(name, known.iter().copied()),
            );
        }
    }
}
