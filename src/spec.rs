//! The documents as typed structs. It reads one document at a time and resolves no name: whether
//! an entity exists, a chain fits its type or a rule can fire is for `check`.

pub mod catalog;
pub mod config;
mod document;
pub mod entity_model;
pub mod grammar;
pub mod mapping;
pub mod path;
mod read;
pub mod rule;
pub mod schema;
mod shape;
mod validate;

use std::collections::BTreeMap;

use crate::diag::code::e01xx as code;
use crate::diag::{Bag, Diagnostic};
use crate::place::{Place, Trail};
use crate::yaml::{Node, Sources};
use document::{Document, Recognised};

/// A whole spec tree. Lists are in the order of the files' paths, then of the documents; what is
/// generated must not depend on either.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spec {
    pub catalog: Option<catalog::Catalog>,
    pub entities: Vec<entity_model::EntitySpec>,
    pub relationships: Vec<entity_model::RelationshipSpec>,
    pub reconcile: Vec<entity_model::ReconcileSpec>,
    pub coverage: Vec<entity_model::CoverageSpec>,
    pub mappings: Vec<mapping::MappingSpec>,
    /// Files of which a part could not be read, which has been reported: what they declare is not
    /// known, so `check` would only report consequences.
    pub unread: Vec<String>,
}

/// A value and where it stands; for items of lists, and keys of maps (`at.at_key()`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    pub value: T,
    pub at: Trail,
}

/// A literal, exactly as written: `1.10`, `007`, `NO` and 20-digit keys are text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    pub text: String,
    /// Written in quotes or as a block (`|`, `>`): surely text.
    pub quoted: bool,
}

/// Reads every document. Whatever is wrong is in the bag, and the rest is read nevertheless.
#[must_use]
pub fn load(sources: &Sources) -> (Spec, Bag) {
    let mut spec = Spec::default();
    let mut bag = Bag::default();
    for (file, text) in &sources.files {
        let was_read = match document::parsed(file, text, &mut bag) {
            None => WasRead::InPart,
            Some(root) => match document::kind(file, &root, &mut bag) {
                Recognised::Read(kind) => {
                    bag.extend(validate::validate(file, &root, kind.shape()));
                    add(&mut spec, kind, &root, &Trail::root(file), &mut bag)
                }
                Recognised::Refused => WasRead::Whole,
                Recognised::Unknown => WasRead::InPart,
            },
        };
        match was_read {
            WasRead::Whole => {}
            WasRead::InPart => spec.unread.push(file.clone()),
        }
    }
    declared_once(&spec, &mut bag);
    (spec, bag)
}

enum WasRead {
    Whole,
    InPart,
}

fn add(spec: &mut Spec, kind: Document, root: &Node, at: &Trail, bag: &mut Bag) -> WasRead {
    let is_whole = match kind {
        Document::Catalog => {
            match &spec.catalog {
                None => spec.catalog = Some(catalog::read(root, at)),
                Some(first) => bag.push(second_catalog(at, &first.at)),
            }
            true
        }
        Document::EntityModel => {
            let entity_model::EntityModel {
                entities,
                relationships,
                reconcile,
                coverage,
            } = entity_model::read(root, at);
            let entries = root.get("entities").map_or(0, |node| node.entries().len());
            let items = root
                .get("relationships")
                .map_or(0, |node| node.items().len());
            let is_whole = entities.len() == entries && relationships.len() == items;
            spec.entities.extend(entities);
            spec.relationships.extend(relationships);
            spec.reconcile.extend(reconcile);
            spec.coverage.extend(coverage);
            is_whole
        }
        Document::Mapping => match mapping::read(root, at, bag) {
            Some(mapping) => {
                spec.mappings.push(mapping);
                true
            }
            None => false,
        },
    };
    if is_whole {
        WasRead::Whole
    } else {
        WasRead::InPart
    }
}

fn second_catalog(second: &Trail, first: &Trail) -> Diagnostic {
    let key = "catalog_version";
    Diagnostic::error(
        code::SECOND_CATALOG,
        second.key(key).at_key(),
        "a project has at most one catalog",
    )
    .label("a second one")
    .also(first.key(key).at_key(), "the first one")
    .help("join the two in one file")
}

/// A name means one thing in all entity models together. Within one map a name cannot repeat.
fn declared_once(spec: &Spec, bag: &mut Bag) {
    let entities = spec
        .entities
        .iter()
        .map(|entity| (&entity.name, entity.at.at_key()));
    once("entity", entities, bag);
    let relationships = spec
        .relationships
        .iter()
        .map(|each| (&each.name, each.at.key("name")));
    once("relationship", relationships, bag);
    let reconcile = spec
        .reconcile
        .iter()
        .map(|each| (&each.name, each.at.key("name")));
    let coverage = spec
        .coverage
        .iter()
        .map(|each| (&each.name, each.at.key("name")));
    once("check", reconcile.chain(coverage), bag);
}

fn once<'s>(what: &str, declared: impl Iterator<Item = (&'s String, Place)>, bag: &mut Bag) {
    let mut first: BTreeMap<&str, Place> = BTreeMap::new();
    for (name, place) in declared {
        match first.get(name.as_str()) {
            None => {
                first.insert(name, place);
            }
            Some(earlier) => bag.push(
                Diagnostic::error(
                    code::DECLARED_TWICE,
                    place,
                    format!("{what} `{name}` is declared twice"),
                )
                .label("again here")
                .also(earlier.clone(), "first here")
                .help("rename one, or join the two"),
            ),
        }
    }
}
