//! The keys of an entity model.

use crate::spec::rule::ENTITY_RULE;
use crate::spec::shape::{Form, Least, Others, Shape, optional, required};

/// The document.
pub(in crate::spec) const ENTITY_MODEL: Shape = Shape {
    what: "an entity model",
    others: Others::AnchorsOnly,
    keys: &[
        required("spec_version", Form::Version, "the integer 1"),
        optional(
            "entities",
            Form::Map {
                key: &Form::EntityName,
                value: &Form::Table(&ENTITY),
                least: Least::None,
            },
            "the typed relations that readers use, by name",
        ),
        optional(
            "relationships",
            Form::List(&Form::Table(&RELATIONSHIP), Least::None),
            "which fields of one entity name a row of another",
        ),
        optional(
            "reconcile",
            Form::List(&Form::Table(&RECONCILE), Least::None),
            "two totals that must agree",
        ),
        optional(
            "coverage",
            Form::List(&Form::Table(&COVERAGE), Least::None),
            "how many rows must refer to each parent",
        ),
    ],
};

const ENTITY: Shape = Shape {
    what: "an entity",
    others: Others::Refused,
    keys: &[
        required("grain", Form::Prose, "what one row is, in words"),
        optional(
            "description",
            Form::Prose,
            "what readers should know about the relation",
        ),
        required(
            "key",
            Form::Set(&Form::Name, Least::One),
            "the fields that tell one row from another",
        ),
        optional(
            "scd",
            Form::Word(&["type1", "type2"]),
            "whether history is kept",
        ),
        optional(
            "materialization",
            Form::Word(&["full", "incremental_by_key", "incremental_by_partition"]),
            "how a run rebuilds the relation",
        ),
        optional(
            "partition_by",
            Form::Set(&Form::Partition, Least::One),
            "fields, or `days|months|years|hours(field)`",
        ),
        optional("arrival_lag", Form::Duration, "how late a delivery may be"),
        optional("owner", Form::Text, "who answers for the relation"),
        optional(
            "tier",
            Form::Whole { min: 1, max: 3 },
            "how much depends on it: 1 is most",
        ),
        optional(
            "grants",
            Form::Map {
                key: &Form::Text,
                value: &Form::Set(&Form::Text, Least::None),
                least: Least::None,
            },
            "who may do what: privilege to roles",
        ),
        required(
            "fields",
            Form::Map {
                key: &Form::Name,
                value: &Form::Table(&FIELD),
                least: Least::One,
            },
            "the columns and their types, by name",
        ),
        optional(
            "dedupe",
            Form::Table(&DEDUPE),
            "which of several rows of one key is kept",
        ),
        optional(
            "quarantine",
            Form::Table(&QUARANTINE),
            "what happens to refused rows",
        ),
        optional(
            "rails",
            Form::Table(&RAILS),
            "losses at which nothing is published",
        ),
        optional(
            "quality",
            Form::List(&Form::Table(&ENTITY_RULE), Least::None),
            "rules over whole rows",
        ),
    ],
};

const FIELD: Shape = Shape {
    what: "a field",
    others: Others::Refused,
    keys: &[
        required(
            "type",
            Form::Type,
            "`string`, `int`, `bool`, `date`, `timestamp`, `variant` or `decimal(p,s)`",
        ),
        optional("required", Form::Flag, "whether every row has a value"),
        optional("description", Form::Prose, "what the column says"),
        optional(
            "classification",
            Form::Word(&["public", "internal", "pii", "secret"]),
            "who may see it",
        ),
        optional(
            "canonical",
            Form::Name,
            "the canonical field of the catalog that this is",
        ),
        optional("renamed_from", Form::Name, "the name this field had before"),
        optional(
            "assert",
            Form::Table(&ASSERT),
            "alerts on the finished relation",
        ),
    ],
};

const ASSERT: Shape = Shape {
    what: "`assert`",
    others: Others::Refused,
    keys: &[
        optional("min", Form::Literal, "no value is below"),
        optional("max", Form::Literal, "no value is above"),
        optional("not_null", Form::Flag, "no value is NULL"),
        optional(
            "enum",
            Form::Set(&Form::Literal, Least::One),
            "every value is one of these",
        ),
        optional("regex", Form::Code, "every value matches"),
    ],
};

const DEDUPE: Shape = Shape {
    what: "`dedupe`",
    others: Others::Refused,
    keys: &[
        required("keep", Form::Word(&["latest_by"]), "which row is kept"),
        optional(
            "field",
            Form::Column,
            "the field or metadata column that tells the latest",
        ),
        optional(
            "tie_break",
            Form::Set(&Form::Column, Least::None),
            "what decides between equally late rows",
        ),
    ],
};

const QUARANTINE: Shape = Shape {
    what: "`quarantine`",
    others: Others::Refused,
    keys: &[
        optional(
            "retention",
            Form::Duration,
            "how long refused rows are kept",
        ),
        optional(
            "redact",
            Form::Set(&Form::Path, Least::None),
            "paths that are removed from the kept raw row",
        ),
        optional(
            "ceiling",
            Form::Percent,
            "the share of refused rows at which a run is blocked",
        ),
    ],
};

const RAILS: Shape = Shape {
    what: "`rails`",
    others: Others::Refused,
    keys: &[
        optional("lost", Form::Percent, "share of the rows"),
        optional("null_share", Form::Percent, "share of a column's values"),
        optional("deleted", Form::Percent, "share of the keys"),
    ],
};

const RELATIONSHIP: Shape = Shape {
    what: "a relationship",
    others: Others::Refused,
    keys: &[
        required("name", Form::Name, "what rules call it"),
        required("from", Form::Name, "the entity that refers"),
        required("to", Form::Name, "the entity that is referred to"),
        required(
            "via",
            Form::Map {
                key: &Form::Name,
                value: &Form::Name,
                least: Least::One,
            },
            "field of `from` to field of `to`",
        ),
        required(
            "cardinality",
            Form::Word(&["many_to_one", "one_to_one", "one_to_many"]),
            "how many rows stand on each side",
        ),
        optional("description", Form::Prose, "what the relationship means"),
    ],
};

const RECONCILE: Shape = Shape {
    what: "an entry of `reconcile`",
    others: Others::Refused,
    keys: &[
        required("name", Form::RuleName, "what the check is called"),
        required(
            "left",
            Form::Code,
            "`sum(entity.field) by field`, `sum(entity.field)` or `entity.field`",
        ),
        required(
            "right",
            Form::Code,
            "`sum(entity.field) by field`, `sum(entity.field)` or `entity.field`",
        ),
        optional(
            "tolerance",
            Form::Literal,
            "by how much they may differ: a quoted decimal",
        ),
        required(
            "on_fail",
            Form::Disposition(&["flag", "fail"]),
            "what happens when they differ",
        ),
        optional("description", Form::Prose, "why they must agree"),
    ],
};

const COVERAGE: Shape = Shape {
    what: "an entry of `coverage`",
    others: Others::Refused,
    keys: &[
        required("name", Form::RuleName, "what the check is called"),
        required(
            "relationship",
            Form::Name,
            "the relationship that is counted",
        ),
        optional(
            "min",
            Form::Whole {
                min: 1,
                max: 1_000_000,
            },
            "how many rows each parent needs",
        ),
        required(
            "on_fail",
            Form::Disposition(&["flag", "fail"]),
            "what happens when there are less",
        ),
        optional("description", Form::Prose, "why they must be there"),
    ],
};
