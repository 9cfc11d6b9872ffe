//! The typed values of every delivery of an entity's mappings, before any judgement.

use super::field::{self, Lowered, Start};
use super::helper::helper;
use super::layers::{Layer, Layers};
use super::recipe;
use crate::ir::{Entity, INGESTED_AT, LOAD_ID, MappedField, Mapping, SOURCE_ROW_ID, SourcePath};
use crate::sql::expr::{Accept, DateFormat, Expr, Segment};
use crate::sql::types::Type;

/// Text of the arrival time, kept beside the typed one so that a gate can tell NULL from nonsense.
pub const INGESTED_AT_TEXT: &str = "_text___ingested_at";

#[derive(Debug)]
pub struct Coerced {
    /// One for each mapping, in its order.
    pub inputs: Vec<Input>,
    /// Several mappings feed the entity; `_source` tells their rows apart.
    pub is_merged: bool,
    /// The identity of a delivery is read.
    pub has_metadata: bool,
}

#[derive(Debug)]
pub struct Input {
    pub source: String,
    pub layers: Vec<Layer>,
    /// In the order of `Mapping::fields`.
    pub fields: Vec<(String, Lowered)>,
    /// (field, column) pairs: the column is TRUE where the document the field reads is malformed.
    pub malformed: Vec<(String, String)>,
}

impl Input {
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Lowered> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(_, lowered)| lowered)
    }
}

pub fn lower(entity: &Entity) -> Coerced {
    let has_metadata = entity.quality.is_some() || entity.dedupe.is_some();
    let is_merged = entity.mappings.len() > 1;
    let mut inputs: Vec<Input> = entity
        .mappings
        .iter()
        .map(|mapping| lower_mapping(entity, mapping, has_metadata))
        .collect();
    if is_merged {
        align(entity, &mut inputs);
    }
    Coerced {
        inputs,
        is_merged,
        has_metadata,
    }
}

fn lower_mapping(entity: &Entity, mapping: &Mapping, has_metadata: bool) -> Input {
    let mut layers = Layers::default();
    let raises = entity.quality.is_none();
    if has_metadata {
        metadata(mapping, &mut layers);
    }
    let documents = documents(mapping);
    for document in &documents {
        let text = Expr::ToText(Expr::column(&document.column).into());
        let parsed = Expr::JsonDocument {
            text: text.clone().into(),
            paths: document.paths.clone(),
        };
        layers.define(&document.name, parsed, 0, &[]);
        if !raises {
            let is_malformed = Expr::And(vec![
                text.clone().is_not_null(),
                Expr::Parse(text.into(), Accept::Json).is_null(),
            ]);
            layers.define(&document.malformed, is_malformed, 0, &[]);
            layers.output(&document.malformed);
        }
    }
    let mut fields = Vec::new();
    let mut malformed = Vec::new();
    for mapped in &mapping.fields {
        for document in mapped
            .paths()
            .into_iter()
            .filter_map(|path| of(path, &documents))
        {
            let reads = (mapped.field.clone(), document.malformed.clone());
            if !malformed.contains(&reads) {
                malformed.push(reads);
            }
        }
        let start = |path: &SourcePath| start(path, of(path, &documents));
        fields.push((
            mapped.field.clone(),
            field::lower(mapped, start, raises, &mut layers),
        ));
    }
    Input {
        source: mapping.source.clone(),
        layers: layers.finish(),
        fields,
        malformed,
    }
}

fn metadata(mapping: &Mapping, layers: &mut Layers) {
    layers.define("_source", Expr::text(&mapping.source), 0, &[]);
    layers.output("_source");
    for name in [SOURCE_ROW_ID, LOAD_ID] {
        layers.define(name, Expr::ToText(Expr::column(name).into()), 0, &[]);
        layers.output(name);
    }
    let text = Expr::ToText(Expr::column(INGESTED_AT).into());
    layers.define(INGESTED_AT_TEXT, text, 0, &[]);
    layers.output(INGESTED_AT_TEXT);
    let typed = Expr::Parse(
        Expr::column(INGESTED_AT_TEXT).into(),
        Accept::Timestamp {
            format: DateFormat::Iso,
            zone: None,
        },
    );
    layers.define(INGESTED_AT, typed, 1, &[INGESTED_AT_TEXT]);
    layers.output(INGESTED_AT);
}

/// A bronze column that some field reads as JSON.
struct Document {
    column: String,
    /// Every path below it that is read, in the order of the fields.
    paths: Vec<Vec<Segment>>,
    name: String,
    malformed: String,
}

fn documents(mapping: &Mapping) -> Vec<Document> {
    let mut found: Vec<Document> = Vec::new();
    let paths = mapping.fields.iter().flat_map(MappedField::paths);
    for path in paths.filter(|path| !path.inner.is_empty()) {
        let index = found
            .iter()
            .position(|document| document.column == path.column);
        let index = index.unwrap_or_else(|| {
            let label = label(&path.column, found.len());
            found.push(Document {
                column: path.column.clone(),
                paths: Vec::new(),
                name: helper("_json__", &label),
                malformed: helper("_malformed__", &label),
            });
            found.len() - 1
        });
        if !found[index].paths.contains(&path.inner) {
            found[index].paths.push(path.inner.clone());
        }
    }
    found
}

/// The document that a path leads into.
fn of<'d>(path: &SourcePath, documents: &'d [Document]) -> Option<&'d Document> {
    let mut documents = documents.iter();
    documents.find(|document| !path.inner.is_empty() && document.column == path.column)
}

/// The column's own name where it is a plain one, else its number.
fn label(column: &str, index: usize) -> String {
    let plain = !column.is_empty()
        && column
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if plain {
        column.to_owned()
    } else {
        (index + 1).to_string()
    }
}

fn start(path: &SourcePath, document: Option<&Document>) -> Start {
    match document {
        None => Start {
            expr: Expr::ToText(Expr::column(&path.column).into()),
            level: 0,
            reads: Vec::new(),
        },
        Some(document) => Start {
            expr: Expr::JsonMember {
                document: Expr::column(&document.name).into(),
                paths: document.paths.clone(),
                path: path.inner.clone(),
            },
            level: 1,
            reads: vec![document.name.clone()],
        },
    }
}

/// Gives the last layer of every mapping the same columns in the same order; what a mapping does
/// not have is NULL there.
fn align(entity: &Entity, inputs: &mut [Input]) {
    let mut all: Vec<String> = Vec::new();
    for input in inputs.iter() {
        for (_, name) in &input.layers[input.layers.len() - 1].columns {
            if !all.contains(name) {
                all.push(name.clone());
            }
        }
    }
    for input in inputs {
        let last = input.layers.len() - 1;
        let columns = std::mem::take(&mut input.layers[last].columns);
        input.layers[last].columns = all
            .iter()
            .map(|name| {
                let own = columns.iter().find(|(_, own)| own == name).cloned();
                own.unwrap_or_else(|| (Expr::null(type_of(entity, name)), name.clone()))
            })
            .collect();
    }
}

/// Columns of other names hold texts.
const MARKS: [&str; 3] = ["_malformed__", recipe::FAILED, recipe::INEXACT];

fn type_of(entity: &Entity, column: &str) -> Type {
    match entity.fields.iter().find(|field| field.name == column) {
        Some(field) => field.ty,
        None if MARKS.iter().any(|mark| column.starts_with(mark)) => Type::Bool,
        None => Type::String,
    }
}
