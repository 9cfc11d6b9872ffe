//! Which kind of document a file is, and what the YAML boundary says about it.

use super::shape::Shape;
use super::{catalog, entity_model, mapping};
use crate::diag::code::{e01xx as code, e06xx};
use crate::diag::{Bag, Diagnostic};
use crate::place::Place;
use crate::yaml::{self, Kind, Node, Problem, ProblemKind};

/// A kind that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Document {
    Catalog,
    EntityModel,
    Mapping,
}

impl Document {
    pub(super) fn shape(self) -> &'static Shape {
        match self {
            Self::Catalog => &catalog::CATALOG,
            Self::EntityModel => &entity_model::keys::ENTITY_MODEL,
            Self::Mapping => &mapping::MAPPING,
        }
    }
}

/// What a document turned out to be.
pub(super) enum Recognised {
    Read(Document),
    /// Of a known kind that has no part in the model.
    Refused,
    Unknown,
}

/// What a version key says.
#[derive(Clone, Copy)]
enum Meaning {
    Read(Document),
    NotYet(&'static str),
    NotOurs(&'static str),
}

const VERSION_KEYS: &[(&str, Meaning)] = &[
    ("catalog_version", Meaning::Read(Document::Catalog)),
    ("exports_version", Meaning::NotOurs("exports")),
    ("exposures_version", Meaning::NotYet("exposures")),
    ("imports_version", Meaning::NotOurs("imports")),
    ("mapping_version", Meaning::Read(Document::Mapping)),
    ("marts_version", Meaning::NotYet("marts")),
    ("metrics_version", Meaning::NotYet("metrics")),
    ("policy_version", Meaning::NotYet("a policy")),
    ("retrieval_version", Meaning::NotOurs("retrieval")),
    ("spec_version", Meaning::Read(Document::EntityModel)),
    ("steps_version", Meaning::NotOurs("steps")),
];

/// The document's nodes, when it is YAML.
pub(super) fn parsed(file: &str, text: &str, bag: &mut Bag) -> Option<Node> {
    let parsed = yaml::parse(text);
    for problem in &parsed.problems {
        bag.push(diagnostic(file, text, problem));
    }
    parsed.root
}

/// The document's kind; when it is not read, why has been reported.
pub(super) fn kind(file: &str, root: &Node, bag: &mut Bag) -> Recognised {
    let place = Place::root(file);
    if let Kind::Scalar(_) | Kind::Seq(_) = root.kind {
        let message = "a document is a map, not a list or a text";
        bag.push(
            Diagnostic::error(code::UNKNOWN_DOCUMENT, place, message)
                .label("no version key can stand here"),
        );
        return Recognised::Unknown;
    }
    let written: Vec<(&str, Meaning)> = VERSION_KEYS
        .iter()
        .filter(|(key, _)| root.get(key).is_some())
        .map(|(key, meaning)| (*key, *meaning))
        .collect();
    match written.as_slice() {
        [] if is_contract(root) => {
            let place = place.key("apiVersion").at_key();
            bag.push(not_yet(place, "a data contract"));
            Recognised::Refused
        }
        [] => {
            bag.push(unknown(file, root));
            Recognised::Unknown
        }
        [(key, meaning)] => {
            let place = place.key(key).at_key();
            match meaning {
                Meaning::Read(document) => Recognised::Read(*document),
                Meaning::NotYet(what) => {
                    bag.push(not_yet(place, what));
                    Recognised::Refused
                }
                Meaning::NotOurs(what) => {
                    bag.push(not_ours(place, what));
                    Recognised::Refused
                }
            }
        }
        [(first, _), others @ ..] => {
            for (other, _) in others {
                let message =
                    format!("a document has one version key, not `{first}` and `{other}`");
                bag.push(
                    Diagnostic::error(code::TWO_VERSION_KEYS, place.key(other).at_key(), message)
                        .label("a second kind")
                        .also(place.key(first).at_key(), "the first kind")
                        .help("give each kind a file of its own"),
                );
            }
            Recognised::Unknown
        }
    }
}

fn is_contract(root: &Node) -> bool {
    root.get("apiVersion").is_some()
        && root.get("kind").and_then(Node::text) == Some("DataContract")
}

fn unknown(file: &str, root: &Node) -> Diagnostic {
    let place = Place::file(file);
    let message = "no version key tells what kind of document this is";
    let diagnostic = Diagnostic::error(code::UNKNOWN_DOCUMENT, place, message);
    if root.get("assay_version").is_some() {
        return diagnostic
            .help("`assay.yml` is the configuration; it stands outside the spec tree");
    }
    let looks_like = |entry: &&yaml::Entry| entry.key.to_lowercase().ends_with("version");
    match root.entries().iter().find(looks_like) {
        Some(entry) => {
            let mut diagnostic = diagnostic;
            diagnostic.place = Place::root(file).key(&entry.key).at_key();
            diagnostic
                .label("no document has this version key")
                .help_nearest(&entry.key, VERSION_KEYS.iter().map(|(key, _)| *key))
        }
        None => diagnostic.help(
            "add `catalog_version: 1`, `spec_version: 1` (an entity model) or `mapping_version: 1`",
        ),
    }
}

fn not_yet(place: Place, what: &str) -> Diagnostic {
    let message = format!("documents of this kind ({what}) are not generated by this version yet");
    Diagnostic::error(e06xx::DOCUMENT_NOT_YET, place, message)
        .label("would be left out of the project")
        .help("keep the file outside of the spec tree for now")
}

fn not_ours(place: Place, what: &str) -> Diagnostic {
    let message = format!("documents of this kind ({what}) are not part of this tool");
    Diagnostic::error(e06xx::DOCUMENT_NOT_OURS, place, message)
        .label("belongs to another tool")
        .help("keep the file outside of the spec tree")
}

fn diagnostic(file: &str, text: &str, problem: &Problem) -> Diagnostic {
    let at = |at: Option<usize>| match at {
        Some(at) => {
            let yaml::Position { line, column } = yaml::position(text, at);
            Place::position(file, line, column)
        }
        None => Place::file(file),
    };
    let place = at(problem.at);
    match &problem.kind {
        ProblemKind::Syntax(words) => {
            let diagnostic = Diagnostic::error(code::YAML_SYNTAX, place, words)
                .label("the YAML parser gave up here");
            match problem
                .at
                .and_then(|at| text.trim_start_matches('\u{feff}').get(at..))
            {
                Some(rest) if rest.starts_with('\t') => {
                    diagnostic.help("indent with spaces, not tabs")
                }
                Some(rest) if rest.starts_with(['@', '`', '%']) => {
                    diagnostic.help("put the text in quotes")
                }
                Some(_) | None => diagnostic,
            }
        }
        ProblemKind::DuplicateKey { key, first } => {
            let message = format!("key `{key}` stands twice in one map");
            Diagnostic::error(code::DUPLICATE_KEY, place, message)
                .label("again here")
                .also(at(*first), "first here")
                .help("join the two, or delete one")
        }
        ProblemKind::SeveralDocuments => {
            let message = "a file holds one document";
            Diagnostic::error(code::SEVERAL_DOCUMENTS, place, message)
                .label("a second one starts here")
                .help("give it a file of its own")
        }
        ProblemKind::Limit(what) => Diagnostic::error(code::YAML_LIMIT, place, *what),
        ProblemKind::Tag => {
            Diagnostic::error(code::YAML_TAG, place, "tags have no meaning in a spec")
                .label("remove the tag")
                .help("a text that starts with `!` goes in quotes")
        }
        ProblemKind::KeyNotText => Diagnostic::error(
            code::KEY_NOT_TEXT,
            place,
            "a key is a text, not a list or a map",
        ),
        ProblemKind::MergeNotMap => Diagnostic::error(
            code::MERGE_NOT_A_MAP,
            place,
            "`<<` takes a map or a list of maps",
        )
        .label("nothing can be merged"),
    }
}
