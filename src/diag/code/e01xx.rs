//! Reading: YAML, documents, the shape and the grammar of what is written.

use super::{Code, Entry};

pub const YAML_SYNTAX: Code = Code("E0101");
pub const DUPLICATE_KEY: Code = Code("E0102");
pub const SEVERAL_DOCUMENTS: Code = Code("E0103");
pub const YAML_LIMIT: Code = Code("E0104");
pub const YAML_TAG: Code = Code("E0105");
pub const KEY_NOT_TEXT: Code = Code("E0106");
pub const MERGE_NOT_A_MAP: Code = Code("E0107");
pub const UNKNOWN_DOCUMENT: Code = Code("E0110");
pub const TWO_VERSION_KEYS: Code = Code("E0111");
pub const WRONG_VERSION: Code = Code("E0112");
pub const SECOND_CATALOG: Code = Code("E0113");
pub const DECLARED_TWICE: Code = Code("E0114");
pub const UNKNOWN_KEY: Code = Code("E0120");
pub const MISSING_KEY: Code = Code("E0121");
pub const WRONG_SHAPE: Code = Code("E0122");
pub const EMPTY_VALUE: Code = Code("E0123");
pub const UNKNOWN_WORD: Code = Code("E0124");
pub const EMPTY_LIST: Code = Code("E0125");
pub const LISTED_TWICE: Code = Code("E0126");
pub const BAD_NAME: Code = Code("E0130");
pub const RESERVED_FILE_NAME: Code = Code("E0131");
pub const BAD_RULE_NAME: Code = Code("E0132");
pub const BAD_SOURCE_NAME: Code = Code("E0133");
pub const BAD_DURATION: Code = Code("E0134");
pub const BAD_TYPE: Code = Code("E0135");
pub const BAD_PARTITION: Code = Code("E0136");
pub const BAD_PATH: Code = Code("E0137");
pub const BAD_PERCENT: Code = Code("E0138");
pub const BAD_CURRENCY: Code = Code("E0139");
pub const BAD_NUMBER: Code = Code("E0140");
pub const TEXT_TOO_LONG: Code = Code("E0141");
pub const BAD_TRANSFORM: Code = Code("E0142");
pub const BAD_SIZE: Code = Code("E0143");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: YAML_SYNTAX,
        name: "yaml-syntax",
        page: r#"The file is not YAML, so nothing in it could be read.

```yaml
key: [parcel_no
fields:
```

The place is where the parser gave up; the mistake is there or in the lines above. Frequent causes: a bracket or a quote
that is never closed, a tab used for indentation, `: ` or ` #` inside a text without quotes, a text that starts with
`@`, `*`, `&`, `%` or a back-quote.

Put the text in quotes, close the bracket, indent with spaces.
"#,
    },
    Entry {
        code: DUPLICATE_KEY,
        name: "duplicate-key",
        page: r#"One map holds the same key twice. Most readers of YAML keep one of the two without a word, and the rules or fields of
the other are lost.

```yaml
entities:
  parcel: {grain: one row per parcel, key: [parcel_no]}
entities:
  depot: {grain: one row per depot, key: [depot_no]}
```

Join the two, or delete one. A key that overrides one brought by a merge key (`<<`) is no duplicate.
"#,
    },
    Entry {
        code: SEVERAL_DOCUMENTS,
        name: "several-documents",
        page: r#"A `---` starts a second document in the file. Only one document is read from a file, so that a place is a file and a line.

```yaml
spec_version: 1
---
mapping_version: 1
```

Give each document a file of its own. File names are free.
"#,
    },
    Entry {
        code: YAML_LIMIT,
        name: "yaml-limit",
        page: r#"The file is larger than 64 MiB, nests lists and maps more than 128 deep, or repeats itself through aliases so often that
it would not fit in memory (the "billion laughs").

```yaml
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
```

Split the file, or write out what the aliases stand for.
"#,
    },
    Entry {
        code: YAML_TAG,
        name: "yaml-tag",
        page: r#"A tag (`!name`) stands before a value. Tags ask the reader to build something special; a spec has nothing of that kind.

```yaml
retention: !duration 60d
```

Remove the tag. A text that really starts with `!` goes in quotes.
"#,
    },
    Entry {
        code: KEY_NOT_TEXT,
        name: "key-not-text",
        page: r#"A list or a map stands where the key of a map is expected.

```yaml
fields:
  ? [kilos, grams]
  : {type: int}
```

Write one key with a name. A text that starts with `?`, `[` or `{` goes in quotes.
"#,
    },
    Entry {
        code: MERGE_NOT_A_MAP,
        name: "merge-not-a-map",
        page: r#"A merge key (`<<`) takes the entries of another map; something else stands behind it.

```yaml
kilos: {<<: decimal, required: true}
```

Name an anchor with `*`, as in `<<: *weight`, or a list of them.
"#,
    },
    Entry {
        code: UNKNOWN_DOCUMENT,
        name: "unknown-document",
        page: r#"No key of the document tells its kind. A file in the spec tree is never skipped in silence.

```yaml
entities:
  parcel: {grain: one row per parcel, key: [parcel_no]}
```

Add the version key: `catalog_version: 1`, `spec_version: 1` (an entity model) or `mapping_version: 1`. Move files that
are not specs out of the tree.
"#,
    },
    Entry {
        code: TWO_VERSION_KEYS,
        name: "two-version-keys",
        page: r#"The document has the version keys of two kinds, so its kind is not clear.

```yaml
spec_version: 1
mapping_version: 1
```

Keep one, and move what belongs to the other kind to a file of its own.
"#,
    },
    Entry {
        code: WRONG_VERSION,
        name: "wrong-version",
        page: r#"The version key is not the integer `1`, the only version there is. It is there so that a later version of the language
can be told from this one.

```yaml
spec_version: "1.0"
```

Write `spec_version: 1`.
"#,
    },
    Entry {
        code: SECOND_CATALOG,
        name: "second-catalog",
        page: r#"Two documents of the tree are catalogs, and a project has at most one: a canonical field means one thing.

```yaml
# parcels.yaml
catalog_version: 1
# shops.yaml
catalog_version: 1
```

Join them in one file.
"#,
    },
    Entry {
        code: DECLARED_TWICE,
        name: "declared-twice",
        page: r#"Two documents declare the same name. The entity models of a tree are one model: a name means one thing in all of them.

```yaml
# depots.yaml
entities:
  depot: {grain: one row per depot, key: [depot_no], fields: {depot_no: {type: string}}}
# addresses.yaml
entities:
  depot: {grain: one row per address, key: [street], fields: {street: {type: string}}}
```

Rename one, or join the two.
"#,
    },
    Entry {
        code: UNKNOWN_KEY,
        name: "unknown-key",
        page: r#"A key is not one of those that are read here. It would have no effect, so it is refused: a misspelt `quality` must not
lose its rules in silence.

```yaml
fields:
  kilos: {typ: "decimal(9,3)"}
```

Correct the name, or move the key to where it belongs. The message lists what is known here when that is short. At the
top of a document, keys that start with `x-` may hold anchors and are not read.
"#,
    },
    Entry {
        code: MISSING_KEY,
        name: "missing-key",
        page: r#"A key that has no default is not there.

```yaml
parcel:
  key: [parcel_no]        # no `grain`
```

Add it; the label says what it holds.
"#,
    },
    Entry {
        code: WRONG_SHAPE,
        name: "wrong-shape",
        page: r#"A list, a map, a text or a truth value was expected and another one of them is there.

```yaml
key: parcel_no            # a list is expected
required: "true"          # a text; a truth value is expected
```

Write `key: [parcel_no]`, `required: true`.
"#,
    },
    Entry {
        code: EMPTY_VALUE,
        name: "empty-value",
        page: r#"Nothing stands behind a key, or `~` or `null` does. It is not clear whether something was forgotten.

```yaml
quality:
fields:
  kilos: {type: int}
```

Write the value or delete the key. Where the text `null` is meant, put it in quotes.
"#,
    },
    Entry {
        code: UNKNOWN_WORD,
        name: "unknown-word",
        page: r#"One of a few words is expected and another one is there.

```yaml
scd: type3
```

Take one of the words that the message lists.
"#,
    },
    Entry {
        code: EMPTY_LIST,
        name: "empty-list",
        page: r#"A list or map that needs at least one entry has none.

```yaml
key: []
```

Add an entry; where the whole key is optional, deleting it is right too.
"#,
    },
    Entry {
        code: LISTED_TWICE,
        name: "listed-twice",
        page: r#"A list of names holds one of them twice. The second has no effect, so another name was probably meant.

```yaml
key: [parcel_no, parcel_no]
```

Delete one.
"#,
    },
    Entry {
        code: BAD_NAME,
        name: "bad-name",
        page: r#"Names of entities, fields, relationships and marts become names of relations, columns and files on every engine and
every platform. They are lower-case letters, digits and underscores, start with a letter and have at most 200 bytes.

```yaml
entities:
  Parcel Scans: {grain: one row per scan, key: [scan_no]}
  ../evil: {grain: one row per parcel, key: [parcel_no]}
```

Write `parcel_scans`. This holds for our side only: names on the source side, in `source:` and in paths such as
`$["Price (EUR)"]`, may be anything.
"#,
    },
    Entry {
        code: RESERVED_FILE_NAME,
        name: "reserved-file-name",
        page: r#"An entity's name becomes a file name, and Windows cannot create a file with this one, whatever its extension: `con`,
`prn`, `aux`, `nul`, `com1` to `com9`, `lpt1` to `lpt9`.

```yaml
entities:
  con: {grain: one row per contact, key: [contact_no]}
```

Choose a longer name, such as `contact`.
"#,
    },
    Entry {
        code: BAD_RULE_NAME,
        name: "bad-rule-name",
        page: r#"The name of a rule appears in flags, counts, check names and file names. It is made of lower-case letters, digits and
underscores, and has at most 200 bytes.

```yaml
- {rule: expression, name: "heavy has crane!", expr: "kilos < 500 OR crane", on_fail: flag}
```

Write `heavy_has_crane`, and put the sentence in `description:`.
"#,
    },
    Entry {
        code: BAD_SOURCE_NAME,
        name: "bad-source-name",
        page: r#"A name of the source side may be any text, in any case, but it is not empty, has at most 200 bytes and no control
characters.

```yaml
source: ""
```

Write the name exactly as the warehouse has it.
"#,
    },
    Entry {
        code: BAD_DURATION,
        name: "bad-duration",
        page: r#"A duration is a whole number from 1 to 99999 and a unit: `h` (hours), `d` (days) or `w` (weeks).

```yaml
retention: 2 months
```

Write `retention: 60d`. Months and years have no fixed length, so they are no units.
"#,
    },
    Entry {
        code: BAD_TYPE,
        name: "bad-type",
        page: r#"The types are `string`, `int`, `bool`, `date`, `timestamp`, `variant` and `decimal(p,s)` with at most 38 digits, `s` of
them behind the point. There is no floating-point type: sums of floats depend on their order.

```yaml
kilos: {type: float}
```

Write `decimal(9,3)` with as many digits as the values have.
"#,
    },
    Entry {
        code: BAD_PARTITION,
        name: "bad-partition",
        page: r#"A partition is a field, or one of `days`, `months`, `years`, `hours` of a field.

```yaml
partition_by: ["weeks(scanned_on)"]
```

Write `days(scanned_on)`.
"#,
    },
    Entry {
        code: BAD_PATH,
        name: "bad-path",
        page: r#"A path leads from a bronze row to a value: `$`, then `.name` or `["any text"]` for a key and `[0]` for an item of an
array. The first step is a column, so it is a key. Names are case-exact; a name with other characters than letters,
digits, `_` and `-` is written in brackets and double quotes, with `\"` and `\\` for a quote and a backslash.

```yaml
from: weight.kg            # no `$`
from: "$[0].kg"            # no column
from: '$.Price (EUR)'      # needs brackets
```

Write `"$.weight.kg"`, `"$.items[0].kg"`, `'$["Price (EUR)"]'`.
"#,
    },
    Entry {
        code: BAD_PERCENT,
        name: "bad-percent",
        page: r#"A share is a number from 0 to 100, at most six digits behind the point, and a percent sign.

```yaml
ceiling: 0.02
```

Write `ceiling: "2%"`. The sign is required because `0.02` and `2` would both be plausible.
"#,
    },
    Entry {
        code: BAD_CURRENCY,
        name: "bad-currency",
        page: r#"A currency is three capital letters, as in ISO 4217.

```yaml
currency: Euro
```

Write `currency: EUR`.
"#,
    },
    Entry {
        code: BAD_NUMBER,
        name: "bad-number",
        page: r#"A whole number within the bounds that the message names is expected.

```yaml
tier: 7
```

Write digits only, without quotes, sign or point.
"#,
    },
    Entry {
        code: TEXT_TOO_LONG,
        name: "text-too-long",
        page: r#"A text is longer than what is read at this place. The bounds are wide (4,000 bytes for an expression or a regex, 20,000
for prose, 1,000 for a path or a literal); what exceeds them is most often a file pasted in the wrong place.

Shorten it.
"#,
    },
    Entry {
        code: BAD_TRANSFORM,
        name: "bad-transform",
        page: r#"A step of a chain is a name, or a map with one key: the name and its arguments.

```yaml
transform: [trim, {nullif: "-", to_decimal: [9, 3]}]
```

Write one step for each: `[trim, {nullif: "-"}, {to_decimal: [9, 3]}]`.
"#,
    },
    Entry {
        code: BAD_SIZE,
        name: "bad-size",
        page: r#"A size is a number, at most three digits behind the point, and a unit: `B`, `kB`, `MB`, `GB`, `TB` or `PB`, each a
thousand times the one before.

```yaml
statistics:
  sources:
    scans: {bytes: 3.2}
```

Write `bytes: 3.2GB`. The unit is required because nobody can tell bytes from gigabytes.
"#,
    },
];
