//! Names, entities, mappings.

use super::{Code, Entry};

pub const NAME_COLLISION: Code = Code("E0201");
pub const RESERVED_NAME: Code = Code("E0202");
pub const UNKNOWN_ENTITY: Code = Code("E0203");
pub const UNKNOWN_FIELD: Code = Code("E0204");
pub const UNKNOWN_CANONICAL_FIELD: Code = Code("E0205");
pub const ENTITY_WITHOUT_MAPPING: Code = Code("E0206");
pub const KEY_NOT_MAPPED: Code = Code("E0207");
pub const NOT_A_KEY: Code = Code("E0208");
pub const FIELD_NOT_MAPPED: Code = Code("E0209");
pub const FIELD_MAPPED_TWICE: Code = Code("E0210");
pub const SOURCE_MAPPED_TWICE: Code = Code("E0211");
pub const MISSING_METADATA: Code = Code("E0212");
pub const FRESHNESS_WITHOUT_METADATA: Code = Code("E0213");
pub const FRESHNESS_ORDER: Code = Code("E0214");
pub const KEY_TYPE: Code = Code("E0215");
pub const NAME_TOO_LONG: Code = Code("E0216");
pub const UNKNOWN_RECIPE: Code = Code("E0217");
pub const RECIPE_ALIAS: Code = Code("E0218");
pub const RECIPE_TWICE: Code = Code("E0219");
pub const DIRECT: Code = Code("E0220");
pub const CALENDAR_YEARS: Code = Code("E0221");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: NAME_COLLISION,
        name: "name-collision",
        page: r#"Two names that differ only in case, or two relations that would bear one name. Warehouses compare names without case, and
macOS and Windows do so with file names: one of the two would silently replace the other.

```yaml
entities:
  parcel: {…}
  parcel__reject: {…}   # `parcel` needs this relation for the rows it refuses
```

An entity `x` needs the relations `x`, `x__coerced`, `x__judged` and `x__reject`. Columns and sources of bronze are written as they are
there, in one spelling. Rename one of the two.
"#,
    },
    Entry {
        code: RESERVED_NAME,
        name: "reserved-name",
        page: r#"The name is used by every generated project: columns such as `_quality_flags`, `_load_id` or `has_quality_flags`, and the
relations `mart_data_quality`, `quality_log`, `quality_runs` and `quality_summary`.

```yaml
fields:
  metric_time: {type: timestamp}
```

Rename the field or the entity. The path it is mapped from may have any name.
"#,
    },
    Entry {
        code: UNKNOWN_ENTITY,
        name: "unknown-entity",
        page: r#"A mapping or a relationship names an entity that no entity model declares.

```yaml
mapping_version: 1
source: gate__scans
target: parcell
```

Correct the name, or declare the entity. Entity models may be spread over several files; they are one model.
"#,
    },
    Entry {
        code: UNKNOWN_FIELD,
        name: "unknown-field",
        page: r#"A key, a mapping, a relationship or `dedupe` names a field that the entity does not declare.

```yaml
entities:
  parcel:
    key: [parcel_number]
    fields: {parcel_no: {type: string}}
```

Correct the name, or declare the field. Fields are declared once, in the entity model; a mapping only fills them.
"#,
    },
    Entry {
        code: UNKNOWN_CANONICAL_FIELD,
        name: "unknown-canonical-field",
        page: r#"A field names a canonical field that the catalog does not declare, or the tree has no catalog.

```yaml
fields:
  net: {type: "decimal(12,2)", canonical: net_amount}
```

Correct the name, declare it under `canonical_fields:` of the catalog, or leave `canonical:` out.
"#,
    },
    Entry {
        code: ENTITY_WITHOUT_MAPPING,
        name: "entity-without-mapping",
        page: r#"No mapping fills the entity. Only mapped fields become columns, so the relation would have none.

```yaml
mapping_version: 1
source: gate__scans
target: parcel
key: {parcel_no: {from: "$.no"}}
fields: {}
```

Write a mapping with the entity as its `target`.
"#,
    },
    Entry {
        code: KEY_NOT_MAPPED,
        name: "key-not-mapped",
        page: r#"A mapping leaves out a field of the entity's key. Its rows would have no identity: they could be neither deduplicated nor
told apart, and every one of them would be refused.

```yaml
key: [order_id, line_no]     # in the entity model
---
key:                         # in the mapping
  order_id: {from: "$.id"}
```

Map every key field under `key:`, in every mapping of the entity.
"#,
    },
    Entry {
        code: NOT_A_KEY,
        name: "not-a-key",
        page: r#"A mapping lists a field under `key:` that is not part of the entity's key.

Map it under `fields:`, or add it to the `key:` of the entity. What identifies a row is said in one place, the entity
model.
"#,
    },
    Entry {
        code: FIELD_NOT_MAPPED,
        name: "field-not-mapped",
        page: r#"A field has to have a value and no mapping fills it: it is declared `required: true`, or a rule, an `assert`, `dedupe` or a
relationship reads it.

```yaml
fields:
  placed_at: {type: timestamp, required: true}
```

Map the field (under `dedupe`, in every mapping of the entity), or drop what needs it.
"#,
    },
    Entry {
        code: FIELD_MAPPED_TWICE,
        name: "field-mapped-twice",
        page: r#"One mapping fills a field under `key:` and again under `fields:`. Only one of the two could become the column.

Keep it under `key:` when it is part of the key, under `fields:` otherwise.
"#,
    },
    Entry {
        code: SOURCE_MAPPED_TWICE,
        name: "source-mapped-twice",
        page: r#"Two mappings fill one entity from the same relation. Each row of it would be delivered twice, and no rule could tell the
two apart.

Make one mapping of the two. Several mappings on one entity are meant for several sources.
"#,
    },
    Entry {
        code: MISSING_METADATA,
        name: "missing-metadata",
        page: r#"The entity deduplicates or judges rows, and a mapping does not read the three columns that identify a delivery:
`_load_id`, `_ingested_at` and `_source_row_id`. Without them a re-delivery cannot be told from a new row, a refused row
cannot be found again, and nothing can be counted by identity.

```yaml
unmapped: ["$._load_id", "$._ingested_at", "$._source_row_id"]
```

List them under `unmapped:` of every mapping of the entity, or map them to fields.
"#,
    },
    Entry {
        code: FRESHNESS_WITHOUT_METADATA,
        name: "freshness-without-metadata",
        page: r#"`freshness` is measured on `_ingested_at`. Only an entity with `dedupe:` or `quarantine:` makes sure that this column is
there and is a time.

Declare one of the two on the entity, or drop `freshness`.
"#,
    },
    Entry {
        code: FRESHNESS_ORDER,
        name: "freshness-order",
        page: r#"The thresholds of `freshness` can warn of nothing: the warning would come no sooner than the error, or there is no
threshold at all.

```yaml
freshness: {warn_after: 2d, error_after: 6h}
```

Make `warn_after` the shorter of the two.
"#,
    },
    Entry {
        code: KEY_TYPE,
        name: "key-type",
        page: r#"A key field is a `variant`. Two spellings of one JSON value, `{"a":1}` and `{"a": 1}`, are different texts, so such a key
identifies nothing.

Map the part of the document that identifies a row, as a field of its own.
"#,
    },
    Entry {
        code: NAME_TOO_LONG,
        name: "name-too-long",
        page: r#"A relation or column has a longer name than the engine keeps, suffixes such as `__reject` included. Engines cut such names
without a word, and two long names with one beginning become one relation.

Shorten the name. The limit counts bytes; a letter with an accent has two.
"#,
    },
    Entry {
        code: UNKNOWN_RECIPE,
        name: "unknown-recipe",
        page: r#"A mapped field takes a recipe that does not make it: the catalog has none of this `id`, or it belongs to a canonical field
of another entity or of another meaning.

```yaml
# the catalog
canonical_fields:
  net_amount: {entity: order_line, type: "decimal(12,2)", recipes: [{id: net_of_gross, requires: [gross, tax], expr: "gross - tax"}]}
# the entity
net: {type: "decimal(12,2)", canonical: net_amount}
# the mapping
net: {recipe: net_of_gross, from: {gross: "$.gross", tax: "$.tax"}}
```

A field takes the recipes of its `canonical:` field. Where it names none, the recipe's `id` decides among the canonical
fields of the entity; of several that have it, the one with the field's own name.
"#,
    },
    Entry {
        code: RECIPE_ALIAS,
        name: "recipe-alias",
        page: r#"`from:` of a field made by a recipe gives a path for each alias that the recipe `requires`, and for no other. One is missing,
or one is given that nothing reads.

```yaml
net: {recipe: net_of_gross, from: {gross: "$.gross", tax: "$.tax"}}
```

Correct the name, or add the path.
"#,
    },
    Entry {
        code: RECIPE_TWICE,
        name: "recipe-twice",
        page: r#"A canonical field has two recipes with one `id`. A mapping could not say which of them it means.

Give one of them another `id`. Recipes of different canonical fields may share one.
"#,
    },
    Entry {
        code: DIRECT,
        name: "direct",
        page: r#"`direct:` keeps the value that is delivered beside a computed one, and stops the run where the two differ. Here they cannot
be compared: the entity judges no row, or the field is a `variant`, of which one value has several spellings.

```yaml
net: {recipe: net_of_gross, from: {gross: "$.gross", tax: "$.tax"}, direct: "$.net"}
```

Declare `quarantine:` or `quality:` on the entity, or leave `direct` out.
"#,
    },
    Entry {
        code: CALENDAR_YEARS,
        name: "calendar-years",
        page: r#"The date dimension ends before it begins. It would be a relation without rows, and every join to it would lose all.

```yaml
date_dimension: {name: dim_date, start_year: 2020, end_year: 2030}
```

Both years are included. Swap the two.
"#,
    },
];
