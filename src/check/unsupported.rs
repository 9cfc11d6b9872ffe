//! Names that a framework cannot bear: refused, never mangled.

use crate::diag::code::e06xx;
use crate::diag::{Bag, Diagnostic};
use crate::place::Place;
use crate::settings::{Settings, Target};
use crate::spec::Spec;

use super::world::mapped_fields;

/// SQLMesh reads every model as a template first; a text can be built around that, a name cannot.
pub(super) fn check_names(spec: &Spec, settings: &Settings, found: &mut Bag) {
    match settings.target {
        Target::Dbt => return,
        Target::Sqlmesh => {}
    }
    let mut refuse = |place: Place, what: &str, name: &str| {
        let opens = ["{{", "{%", "{#"].iter().any(|tag| name.contains(tag)) || name.ends_with('{');
        if opens || reads_variable(name) {
            found.push(
                Diagnostic::error(
                    e06xx::TEMPLATE_IN_NAME,
                    place,
                    format!("SQLMesh cannot name the {what} `{name}`"),
                )
                .label("it reads `{{`, `{%`, `{#`, `@name`, `@@` and a leading `?` as its own, in names too")
                .help("give it another name in bronze, by a view if need be"),
            );
        }
    };
    for mapping in &spec.mappings {
        refuse(mapping.at.key("source"), "relation", &mapping.source);
        for field in mapped_fields(mapping) {
            for (path, place) in field.paths() {
                refuse(place, "column", &path.column);
            }
        }
        for path in &mapping.unmapped {
            refuse(path.at.place(), "column", &path.value.column);
        }
    }
}

/// `@name`, `@{name}` and `@@` are variables and their escape, `@(` opens a macro and `?` at the start
/// is a parameter; elsewhere these are just characters.
fn reads_variable(name: &str) -> bool {
    let opens = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '(');
    name.contains("@@")
        || name.starts_with('?')
        || name
            .split('@')
            .skip(1)
            .any(|behind| behind.starts_with(opens))
}
