//! A mapping: how the rows of one bronze relation become rows of an entity.

use super::rule::{FIELD_RULE, RuleSpec};
use super::shape::{Form, Least, Others, Shape, optional, required};
use super::{Placed, Scalar, grammar, path, read, rule};
use crate::diag::code::e01xx as code;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Duration, SourcePath};
use crate::place::{Place, Trail};
use crate::yaml::{Kind, Node};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingSpec {
    /// The document.
    pub at: Trail,
    /// The relation's exact name in the bronze namespace.
    pub source: String,
    pub target: String,
    pub freshness: Option<FreshnessSpec>,
    /// In authored order; no name twice within `key`, nor within `fields`.
    pub key: Vec<MappedFieldSpec>,
    pub fields: Vec<MappedFieldSpec>,
    pub unmapped: Vec<Placed<SourcePath>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshnessSpec {
    pub at: Trail,
    pub warn_after: Option<Duration>,
    pub error_after: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFieldSpec {
    pub name: String,
    /// `key.<name>` or `fields.<name>`.
    pub at: Trail,
    /// `None` when it was missing or wrong, which has been reported.
    pub input: Option<Input>,
    pub transform: Vec<Transform>,
    /// `None` when `quality:` is not written at all: declaring it joins the quality system.
    pub quality: Option<Vec<RuleSpec>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Place `at.key("from")`.
    Path(SourcePath),
    Recipe(RecipeInput),
}

/// The recipe form of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeInput {
    /// A recipe of the catalog.
    pub recipe: String,
    /// Alias → path, in authored order; place `at.key("from").key(alias)`.
    pub from: Vec<(String, SourcePath)>,
    pub direct: Option<SourcePath>,
}

impl MappedFieldSpec {
    /// The same value as delivered.
    #[must_use]
    pub fn direct(&self) -> Option<&SourcePath> {
        match &self.input {
            Some(Input::Recipe(recipe)) => recipe.direct.as_ref(),
            Some(Input::Path(_)) | None => None,
        }
    }

    /// Every path that the field reads, with its place.
    #[must_use]
    pub fn paths(&self) -> Vec<(&SourcePath, Place)> {
        let from = self.at.key("from");
        match &self.input {
            None => Vec::new(),
            Some(Input::Path(path)) => vec![(path, from)],
            Some(Input::Recipe(recipe)) => {
                let aliases = recipe.from.iter();
                let aliases = aliases.map(|(alias, path)| (path, from.key(alias)));
                let direct = recipe.direct.iter();
                let direct = direct.map(|path| (path, self.at.key("direct")));
                aliases.chain(direct).collect()
            }
        }
    }
}

/// One step of a chain: `trim` or `{split_part: ["-", 1]}`. Names and arguments are not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    pub name: String,
    /// The list item.
    pub at: Trail,
    pub args: Args,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Args {
    /// `trim`
    None,
    /// `{nullif: "-"}`
    One(Scalar),
    /// `{to_decimal: [9, 3]}`
    List(Vec<Scalar>),
    /// `{enum_map: {a: b}}`: keys are text.
    Pairs(Vec<(Scalar, Scalar)>),
}

impl Transform {
    /// The arguments in order, pairs flattened.
    #[must_use]
    pub fn args(&self) -> Vec<&Scalar> {
        match &self.args {
            Args::None => Vec::new(),
            Args::One(arg) => vec![arg],
            Args::List(args) => args.iter().collect(),
            Args::Pairs(pairs) => pairs.iter().flat_map(|(from, to)| [from, to]).collect(),
        }
    }

    /// The name, wherever it stands.
    #[must_use]
    pub fn name_place(&self) -> Place {
        match self.args {
            Args::None => self.at.place(),
            Args::One(_) | Args::List(_) | Args::Pairs(_) => self.at.key(&self.name).at_key(),
        }
    }

    /// The `index`-th of `args()`.
    #[must_use]
    pub fn arg_place(&self, index: usize) -> Place {
        match &self.args {
            Args::None => self.at.place(),
            Args::One(_) => self.at.key(&self.name),
            Args::List(_) => self.at.key(&self.name).index(index),
            Args::Pairs(pairs) => {
                let place = self.at.key(&self.name);
                match pairs.get(index / 2) {
                    Some((from, _)) if index.is_multiple_of(2) => place.key(&from.text).at_key(),
                    Some((from, _)) => place.key(&from.text),
                    None => place,
                }
            }
        }
    }
}

/// `None` when it is not clear what the mapping maps.
pub(super) fn read(root: &Node, at: &Trail, bag: &mut Bag) -> Option<MappingSpec> {
    for part in ["key", "fields"] {
        let fields = root.get(part).map(Node::entries).unwrap_or_default();
        for entry in fields {
            forms_do_not_mix(&entry.value, &at.key(part).key(&entry.key), bag);
        }
    }
    Some(MappingSpec {
        source: read::text(root, "source")?,
        target: read::text(root, "target")?,
        freshness: root
            .get("freshness")
            .filter(|node| read::is_map(node))
            .map(|node| FreshnessSpec {
                at: at.down("freshness"),
                warn_after: read::parsed(node, "warn_after", grammar::duration),
                error_after: read::parsed(node, "error_after", grammar::duration),
            }),
        key: read::named(root, at, "key", field),
        fields: read::named(root, at, "fields", field),
        unmapped: read::placed(root, at, "unmapped", path::parse),
        at: at.clone(),
    })
}

/// `from` is one path, or with a recipe a map of them.
fn forms_do_not_mix(node: &Node, place: &Place, bag: &mut Bag) {
    let Some(from) = node.get("from") else { return };
    match (node.get("recipe"), &from.kind) {
        (Some(_), Kind::Scalar(_)) => bag.push(
            Diagnostic::error(
                code::WRONG_SHAPE,
                place.key("from"),
                "`from` takes a map of aliases where `recipe` is given, not a text",
            )
            .label("which alias of the recipe is it?")
            .help("write `from: {alias: \"$.path\"}`"),
        ),
        (None, Kind::Map(_)) => bag.push(
            Diagnostic::error(code::MISSING_KEY, place.at_key(), "missing key `recipe`")
                .label("`from` is a map of aliases, so a recipe of the catalog says what to do")
                .help("add `recipe:`, or give `from` one path"),
        ),
        (None, _) if node.get("direct").is_some() => bag.push(
            Diagnostic::error(
                code::UNKNOWN_KEY,
                place.key("direct").at_key(),
                "unknown key `direct`",
            )
            .label("belongs to the recipe form"),
        ),
        (Some(_), _) if node.get("transform").is_some() => bag.push(
            Diagnostic::error(
                code::UNKNOWN_KEY,
                place.key("transform").at_key(),
                "unknown key `transform`",
            )
            .label("belongs to the form with one path")
            .help("declare the alias as `string` in the catalog and convert it in `expr`"),
        ),
        _ => {}
    }
}

fn field(name: &str, node: &Node, at: Trail) -> Option<MappedFieldSpec> {
    Some(MappedFieldSpec {
        name: name.to_owned(),
        input: input(node),
        transform: read::items(node, &at, "transform", transform).unwrap_or_default(),
        quality: read::items(node, &at, "quality", rule::read),
        at,
    })
}

fn input(node: &Node) -> Option<Input> {
    let from = node.get("from")?;
    match read::text(node, "recipe") {
        None => Some(Input::Path(path::parse(from.text()?).ok()?)),
        Some(recipe) => {
            let aliases = from.entries().iter();
            let from = aliases.filter_map(|entry| {
                Some((entry.key.clone(), path::parse(entry.value.text()?).ok()?))
            });
            let direct = read::parsed(node, "direct", path::parse);
            Some(Input::Recipe(RecipeInput {
                recipe,
                from: from.collect(),
                direct,
            }))
        }
    }
}

fn transform(node: &Node, at: Trail) -> Option<Transform> {
    if let Some(name) = node.text() {
        return Some(Transform {
            name: name.to_owned(),
            at,
            args: Args::None,
        });
    }
    let [entry] = node.entries() else { return None };
    let args = match &entry.value.kind {
        Kind::Scalar(_) => Args::One(read::scalar(&entry.value)?),
        Kind::Seq(items) => Args::List(items.iter().filter_map(read::scalar).collect()),
        Kind::Map(pairs) => Args::Pairs(
            pairs
                .iter()
                .filter_map(|pair| {
                    let from = Scalar {
                        text: pair.key.clone(),
                        quoted: false,
                    };
                    Some((from, read::scalar(&pair.value)?))
                })
                .collect(),
        ),
        Kind::Null(_) => return None,
    };
    Some(Transform {
        name: entry.key.clone(),
        at,
        args,
    })
}

const FIELDS: Form = Form::Map {
    key: &Form::Name,
    value: &Form::Table(&FIELD),
    least: Least::None,
};

/// The document.
pub(super) const MAPPING: Shape = Shape {
    what: "a mapping",
    others: Others::AnchorsOnly,
    keys: &[
        required("mapping_version", Form::Version, "the integer 1"),
        required(
            "source",
            Form::SourceName,
            "the relation in the bronze namespace, exactly",
        ),
        required("target", Form::Name, "the entity"),
        optional(
            "freshness",
            Form::Table(&FRESHNESS),
            "how old the newest delivery may be",
        ),
        required(
            "key",
            Form::Map {
                key: &Form::Name,
                value: &Form::Table(&FIELD),
                least: Least::One,
            },
            "where the key fields come from",
        ),
        optional("fields", FIELDS, "where the other fields come from"),
        optional(
            "unmapped",
            Form::Set(&Form::Path, Least::None),
            "paths that are deliberately not mapped",
        ),
    ],
};

const FRESHNESS: Shape = Shape {
    what: "`freshness`",
    others: Others::Refused,
    keys: &[
        optional("warn_after", Form::Duration, "the age that warns"),
        optional("error_after", Form::Duration, "the age that stops the run"),
    ],
};

const FIELD: Shape = Shape {
    what: "a mapped field",
    others: Others::Refused,
    keys: &[
        required(
            "from",
            Form::Input,
            "the path to the value, such as `$.weight.kg`",
        ),
        optional(
            "recipe",
            Form::Text,
            "a recipe of the catalog; `from` is then alias to path",
        ),
        optional(
            "direct",
            Form::Path,
            "the same value as delivered, to compare the recipe with",
        ),
        optional(
            "transform",
            Form::List(&Form::Transform, Least::None),
            "the steps from text to value",
        ),
        optional(
            "quality",
            Form::List(&Form::Table(&FIELD_RULE), Least::None),
            "rules over this field",
        ),
    ],
};
