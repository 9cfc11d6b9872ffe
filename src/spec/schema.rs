//! The JSON Schema of each kind of document, for editors. It says what can be said without looking
//! at other documents, from the same tables that the reader goes by.

use serde_json::{Map, Value, json};

use super::catalog::CATALOG;
use super::config::CONFIG;
use super::entity_model::keys::ENTITY_MODEL;
use super::grammar::LONGEST_NAME;
use super::mapping::MAPPING;
use super::shape::{Form, Key, Least, Others, Presence, Shape};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaKind {
    Catalog,
    Config,
    EntityModel,
    Mapping,
}

impl SchemaKind {
    /// Sorted by name.
    pub const ALL: [Self; 4] = [
        Self::Catalog,
        Self::Config,
        Self::EntityModel,
        Self::Mapping,
    ];

    /// `entity-model`: how the command line calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Config => "config",
            Self::EntityModel => "entity-model",
            Self::Mapping => "mapping",
        }
    }

    pub(super) fn shape(self) -> &'static Shape {
        match self {
            Self::Catalog => &CATALOG,
            Self::Config => &CONFIG,
            Self::EntityModel => &ENTITY_MODEL,
            Self::Mapping => &MAPPING,
        }
    }
}

#[must_use]
pub fn schema(kind: SchemaKind) -> Value {
    let mut schema = Map::new();
    schema.insert(
        "$schema".to_owned(),
        json!("http://json-schema.org/draft-07/schema#"),
    );
    schema.insert("title".to_owned(), json!(format!("assay {}", kind.name())));
    if let Value::Object(table) = table(kind.shape()) {
        schema.extend(table);
    }
    Value::Object(schema)
}

fn table(shape: &Shape) -> Value {
    let is_required = |key: &&Key| key.presence == Presence::Required;
    let required: Vec<&str> = shape
        .keys
        .iter()
        .filter(is_required)
        .map(|key| key.name)
        .collect();
    let mut properties = Map::new();
    for key in shape.keys {
        let mut value = form(&key.form);
        value["description"] = json!(key.about);
        properties.insert(key.name.to_owned(), value);
    }
    let mut table = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    match shape.others {
        Others::Refused | Others::Parameters => {}
        Others::AnchorsOnly => table["patternProperties"] = json!({"^x-": {}}),
    }
    table["additionalProperties"] = json!(false);
    table
}

fn form(form: &Form) -> Value {
    match form {
        Form::Version => json!({"const": 1}),
        Form::Text | Form::Prose | Form::Code | Form::SourceName => {
            let mut text = scalar();
            text["minLength"] = json!(1);
            text
        }
        Form::Literal => scalar(),
        Form::Flag => json!({"type": "boolean"}),
        Form::Whole { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Form::Word(words) | Form::Disposition(words) => json!({"enum": words}),
        Form::Name | Form::EntityName => name("^[a-z][a-z0-9_]*$"),
        Form::Column => name("^([a-z][a-z0-9_]*|_load_id|_ingested_at|_source_row_id)$"),
        Form::RuleName => name("^[a-z0-9_]+$"),
        Form::Duration => pattern("^[1-9][0-9]{0,4}[hdw]$"),
        Form::Type => pattern(
            r"^(string|int|bool|date|timestamp|variant|decimal *\( *[0-9]+ *, *[0-9]+ *\))$",
        ),
        Form::Partition => {
            pattern(r"^([a-z][a-z0-9_]*|(days|months|years|hours) *\( *[a-z][a-z0-9_]* *\))$")
        }
        Form::Path => pattern(
            r#"^\$(\.[^.\[\]"*]+|\["([^"\\]|\\["\\])+"\])(\.[^.\[\]"*]+|\["([^"\\]|\\["\\])+"\]|\[[0-9]+\])*$"#,
        ),
        Form::Percent => pattern(r"^(100(\.0{1,6})?|[0-9]{1,2}(\.[0-9]{1,6})?)%$"),
        Form::Bytes => pattern(r"^[0-9]{1,15}(\.[0-9]{1,3})? ?(B|kB|KB|MB|GB|TB|PB)$"),
        Form::Currency => pattern("^[A-Z]{3}$"),
        Form::Folder => name("^[A-Za-z0-9_][A-Za-z0-9_-]*$"),
        Form::SchemaName => name("^[A-Za-z_][A-Za-z0-9_]*$"),
        Form::Transform => transform(),
        Form::Input => json!({
            "anyOf": [
                self::form(&Form::Path),
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": self::form(&Form::Path),
                },
            ],
        }),
        Form::Aliases => json!({
            "anyOf": [
                self::form(&Form::Set(&Form::Name, Least::One)),
                self::form(&Form::Map {
                    key: &Form::Name,
                    value: &Form::Type,
                    least: Least::One,
                }),
            ],
        }),
        Form::Param(form) => self::form(form),
        Form::List(item, least) => list(item, *least),
        Form::Set(item, least) => {
            let mut list = list(item, *least);
            list["uniqueItems"] = json!(true);
            list
        }
        Form::Map { key, value, least } => {
            let mut map = json!({"type": "object", "additionalProperties": self::form(value)});
            if let Some(pattern) = self::form(key).get("pattern") {
                map["propertyNames"] = json!({"pattern": pattern});
            }
            match least {
                Least::One => map["minProperties"] = json!(1),
                Least::None => {}
            }
            map
        }
        Form::Table(shape) => table(shape),
        Form::Anything => json!({}),
    }
}

fn list(item: &Form, least: Least) -> Value {
    let mut list = json!({"type": "array", "items": form(item)});
    match least {
        Least::One => list["minItems"] = json!(1),
        Least::None => {}
    }
    list
}

/// Text without quotes that an editor takes for a number or a truth value is text to us.
fn scalar() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

fn pattern(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

fn name(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern, "maxLength": LONGEST_NAME})
}

/// `trim`, or one key with arguments.
fn transform() -> Value {
    let argument = scalar();
    json!({
        "anyOf": [
            {"type": "string", "enum": BARE},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "propertyNames": {"enum": WITH_ARGUMENTS},
                "additionalProperties": {
                    "anyOf": [
                        argument,
                        {"type": "array", "minItems": 1, "items": argument},
                        {"type": "object", "minProperties": 1, "additionalProperties": argument},
                    ],
                },
            },
        ],
    })
}

/// Steps that may stand without arguments.
const BARE: &[&str] = &[
    "abs",
    "lower",
    "round",
    "to_bool",
    "to_int",
    "to_string",
    "trim",
    "upper",
];
const WITH_ARGUMENTS: &[&str] = &[
    "coalesce",
    "concat",
    "divide",
    "enum_map",
    "json_path",
    "multiply",
    "nullif",
    "parse_date",
    "parse_ts",
    "regex_extract",
    "round",
    "split_part",
    "strip_prefix",
    "strip_suffix",
    "to_decimal",
    "to_utc",
];
