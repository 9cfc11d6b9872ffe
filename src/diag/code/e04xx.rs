//! Rules, dispositions, quarantine, dedupe, relationships.

use super::{Code, Entry};

pub const UNKNOWN_RULE: Code = Code("E0401");
pub const RULE_LEVEL: Code = Code("E0402");
pub const RULE_PARAMETER: Code = Code("E0403");
pub const MISSING_DISPOSITION: Code = Code("E0404");
pub const UNKNOWN_DISPOSITION: Code = Code("E0405");
pub const NO_DROP_NO_REPAIR: Code = Code("E0406");
pub const RULE_TYPE: Code = Code("E0407");
pub const NEVER_FIRES: Code = Code("E0408");
pub const NEVER_PASSES: Code = Code("E0409");
pub const RULE_NAME_TWICE: Code = Code("E0410");
pub const VALUE_TWICE: Code = Code("E0411");
pub const MISSING_RETENTION: Code = Code("E0420");
pub const REDACTED_PATH_MAPPED: Code = Code("E0421");
pub const REDACTED_INDEX: Code = Code("E0422");
pub const REDACTED_PATH_UNKNOWN: Code = Code("E0423");
pub const MISSING_TIE_BREAK: Code = Code("E0430");
pub const DEDUPE_FIELD: Code = Code("E0431");
pub const DEDUPE_DISPOSITION: Code = Code("E0432");
pub const MATERIALIZATION: Code = Code("E0433");
pub const HISTORY_WITHOUT_DEDUPE: Code = Code("E0434");
pub const HISTORY_INCREMENTAL: Code = Code("E0435");
pub const HISTORY_KEY: Code = Code("E0436");
pub const RAILS_UNJUDGED: Code = Code("E0437");
pub const UNKNOWN_RELATIONSHIP: Code = Code("E0440");
pub const RELATIONSHIP_DIRECTION: Code = Code("E0441");
pub const RELATIONSHIP_TYPES: Code = Code("E0442");
pub const SELF_REFERENTIAL: Code = Code("E0443");
pub const REFERENTIAL_CYCLE: Code = Code("E0444");
pub const UNKNOWN_MEMBER_KEY: Code = Code("E0445");
pub const UNKNOWN_MEMBER_PARENT: Code = Code("E0446");
pub const RECONCILE_SIDE: Code = Code("E0450");
pub const RECONCILE_TYPE: Code = Code("E0451");
pub const RECONCILE_GROUPS: Code = Code("E0452");
pub const TOLERANCE: Code = Code("E0453");
pub const RECONCILE_DIGITS: Code = Code("E0454");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: UNKNOWN_RULE,
        name: "unknown-rule",
        page: r#"The rule does not exist. On a field: `coercible exact not_null range length pattern in_enum in_set unique normalize
charset`; on an entity: `expression referential`.

```yaml
quality: [{rule: notnull, on_fail: quarantine}]
```
"#,
    },
    Entry {
        code: RULE_LEVEL,
        name: "rule-level",
        page: r#"The rule stands on a field and judges an entity, or the other way.

`expression` and `referential` stand under `quality:` of the entity; all others under `quality:` of a field, in the mapping.
"#,
    },
    Entry {
        code: RULE_PARAMETER,
        name: "rule-parameter",
        page: r#"A rule misses a parameter, has one that it does not take, or one of a wrong form.

```yaml
quality: [{rule: range, minimum: 0, on_fail: flag}]
```

Every rule also takes `name` and `description`. The help shows the form.
"#,
    },
    Entry {
        code: MISSING_DISPOSITION,
        name: "missing-disposition",
        page: r#"Nothing says what happens to a row that the rule refuses. There is no default, because a default is read by nobody.

```yaml
quality: [{rule: not_null}]
```

Write `on_fail: flag` (keep the row and mark it), `quarantine` (hold it back, recoverably) or `fail` (stop the run); for
`referential` write `on_missing: flag`, `quarantine` or `unknown_member`.
"#,
    },
    Entry {
        code: UNKNOWN_DISPOSITION,
        name: "unknown-disposition",
        page: r#"The word is not a disposition of this rule.

`on_fail` takes `flag`, `quarantine` and `fail`. `on_missing`, for `referential`, takes `flag`, `quarantine` and
`unknown_member`, and never `fail`: a parent that comes late is normal and would stop every run.
"#,
    },
    Entry {
        code: NO_DROP_NO_REPAIR,
        name: "no-drop-no-repair",
        page: r#"There is no `drop` and no `repair`. A row that is dropped cannot be counted or brought back; a value that a rule has mended
looks like one that was right.

Instead of `drop` write `quarantine`, and say with `retention` how long such rows are kept. Instead of `repair` mend the
value in the mapping's chain (`trim`, `enum_map`, `coalesce`), where it is part of what the field means.
"#,
    },
    Entry {
        code: RULE_TYPE,
        name: "rule-type",
        page: r#"The rule judges other types than the field's.

```yaml
fields:
  parcel_no: {type: string}
---
parcel_no: {from: "$.no", quality: [{rule: range, min: 1, on_fail: flag}]}
```

`range` fits numbers, dates and timestamps; `length`, `pattern`, `normalize` and `charset` fit strings; `exact` fits
decimals.
"#,
    },
    Entry {
        code: NEVER_FIRES,
        name: "never-fires",
        page: r#"The rule can never refuse a row, so it looks like protection and is none: a bound that every value of the type meets,
`in_enum` on a chain without `enum_map`, `coercible` on a chain in which nothing can fail, a ceiling of `"100%"`.

```yaml
quality: [{rule: length, min: 0, on_fail: flag}]
```

Drop it, or write what was meant.
"#,
    },
    Entry {
        code: NEVER_PASSES,
        name: "never-passes",
        page: r#"The rule refuses every row that has a value: bounds that no value meets, an empty list. Or the rail stops every run: `"0%"`
is taken away also by one that takes nothing.

```yaml
quality: [{rule: range, min: 10, max: 1, on_fail: quarantine}]
```
"#,
    },
    Entry {
        code: RULE_NAME_TWICE,
        name: "rule-name-twice",
        page: r#"Two rules end with one name. Flags, counts and refused rows name their rules, and could not tell the two apart.

A rule without `name:` is called after its field and kind (`kilos_range_min`); a second one of its kind gets `_2`. Give
one of the two another name.
"#,
    },
    Entry {
        code: VALUE_TWICE,
        name: "value-twice",
        page: r#"A list of allowed values holds one value twice; `1.0` and `1.00` are one number. Often the second was meant to be another.

```yaml
quality: [{rule: in_set, values: [new, done, new], on_fail: flag}]
```
"#,
    },
    Entry {
        code: MISSING_RETENTION,
        name: "missing-retention",
        page: r#"Some rule can quarantine rows, and nothing says how long such rows are kept. They hold the payload as it was delivered,
personal data included, so there is no default.

```yaml
quarantine: {retention: 90d}
```

Three rules are there without being written: `coercible` on fields that can fail and `not_null` on key fields, both at
`quarantine`, and `exact` on decimals at `flag`.
"#,
    },
    Entry {
        code: REDACTED_PATH_MAPPED,
        name: "redacted-path-mapped",
        page: r#"A path is redacted from refused rows, and the mapping reads it, or something in it, or something around it. A refused row
is judged again from what was kept of it; without the value there would be nothing to judge.

```yaml
quarantine: {retention: 60d, redact: ["$.customer"]}
---
name: {from: "$.customer.name"}
```

A column that is published is marked with `classification: pii`, which grants are checked against. Redact what is not
mapped.
"#,
    },
    Entry {
        code: REDACTED_INDEX,
        name: "redacted-index",
        page: r#"A redacted path goes through an array. The next delivery may hold the value at another index, and it would be kept.

```yaml
redact: ["$.contacts[0].phone"]
```

Redact the whole array: `$.contacts`.
"#,
    },
    Entry {
        code: REDACTED_PATH_UNKNOWN,
        name: "redacted-path-unknown",
        page: r#"A redacted path is in no column that a mapping lists. Refused rows keep only listed columns, so there is nothing to redact;
most often the path has a typing mistake, and the value that was meant is kept.

Correct the path, or list it under `unmapped:`. This is a warning.
"#,
    },
    Entry {
        code: MISSING_TIE_BREAK,
        name: "missing-tie-break",
        page: r#"`dedupe` keeps the latest row of a key, and of two rows with the same time either could be it. The answer would change from
run to run.

```yaml
dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
```

Name columns that tell such rows apart. `_source_row_id` is always the last of them.
"#,
    },
    Entry {
        code: DEDUPE_FIELD,
        name: "dedupe-field",
        page: r#"`dedupe` cannot order rows by this: no field is named, the field has no order, is text, or is named twice.

```yaml
dedupe: {keep: latest_by, field: version_text, tie_break: [_load_id]}
```

As text, `9` comes behind `10`. Use a timestamp, a date, a number or `_ingested_at`.
"#,
    },
    Entry {
        code: DEDUPE_DISPOSITION,
        name: "dedupe-disposition",
        page: r#"`dedupe` orders by this field. Where its value could not be read, the winner is undefined, so `coercible` on it is `fail`
without being asked and cannot be weaker.

Write `on_fail: fail`, or order by another column.
"#,
    },
    Entry {
        code: MATERIALIZATION,
        name: "materialization",
        page: r#"An incremental entity reads only what has arrived since its last run. For that its deliveries need an identity, which
`dedupe:` or rules bring; `arrival_lag` says how far back a run looks and means nothing where every run reads all of bronze;
`incremental_by_partition` needs `partition_by`, and `days(…)`, `months(…)`, `years(…)` a date or timestamp, `hours(…)` a timestamp.

```yaml
entities:
  parcel:
    materialization: incremental_by_key
    arrival_lag: 36h
    dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
```
"#,
    },
    Entry {
        code: HISTORY_WITHOUT_DEDUPE,
        name: "history-without-dedupe",
        page: r#"A type 2 entity keeps one current version per key. Without `dedupe` nothing says which of two rows of one key that is, and
one duplicate would stop every later run.

```yaml
scd: type2
dedupe: {keep: latest_by, field: updated_at, tie_break: [_load_id]}
```

Name the field that grows with every change. If it is a timestamp, versions begin at its value, else at `_ingested_at`.
"#,
    },
    Entry {
        code: HISTORY_INCREMENTAL,
        name: "history-incremental",
        page: r#"`scd: type2` and an incremental `materialization` are declared on one entity. A history is never built anew anyway; what
it is made from is judged as a whole on every run, so that a late delivery cannot be taken for a new one.

Leave `materialization` out.
"#,
    },
    Entry {
        code: HISTORY_KEY,
        name: "history-key",
        page: r#"A `not_null` rule on a key field of a type 2 entity keeps the row. A row without a key is no version of anything, and would
open a new one on every run.

Write `on_fail: quarantine` or `on_fail: fail`. Without such a rule, these rows are quarantined.
"#,
    },
    Entry {
        code: RAILS_UNJUDGED,
        name: "rails-unjudged",
        page: r#"`rails` compare what a run would publish with what is published. An entity with neither `dedupe:` nor quality rules is
built in one step: when its rows are known, they are published.

```yaml
rails: {lost: "99.5%"}
dedupe: {keep: latest_by, field: _ingested_at, tie_break: [_load_id]}
```

Declare `dedupe:`, `quality:` or `quarantine:` on the entity, or leave `rails` out.
"#,
    },
    Entry {
        code: UNKNOWN_RELATIONSHIP,
        name: "unknown-relationship",
        page: r#"`via` names a relationship that no entity model declares.

```yaml
relationships:
  - {name: parcel_depot, from: parcel, to: depot, via: {depot_no: depot_no}, cardinality: many_to_one}
```
"#,
    },
    Entry {
        code: RELATIONSHIP_DIRECTION,
        name: "relationship-direction",
        page: r#"A `referential` rule follows a relationship from the row that refers to the row it refers to: from the many to the one. This
relationship starts at another entity, or leads to many.

Write the rule on the entity where the relationship starts, or declare the relationship the other way.
"#,
    },
    Entry {
        code: RELATIONSHIP_TYPES,
        name: "relationship-types",
        page: r#"Two columns of a relationship are of different types. Engines convert one of them, each in its own way: `'007'` and `7` are
equal on one and not on the other.

Declare both fields with one type.
"#,
    },
    Entry {
        code: SELF_REFERENTIAL,
        name: "self-referential",
        page: r#"A `referential` rule leads from an entity to itself. The row's parent is judged in the same run, and whether it is admitted
may depend on its own parent: no order settles that.

Map the parents into an entity of their own (two mappings may read one source) and refer to that.
"#,
    },
    Entry {
        code: REFERENTIAL_CYCLE,
        name: "referential-cycle",
        page: r#"`referential` rules lead in a circle. Each entity would have to be built before the other; dbt and SQLMesh refuse such
projects.

Drop the rule of one direction.
"#,
    },
    Entry {
        code: UNKNOWN_MEMBER_KEY,
        name: "unknown-member-key",
        page: r#"`unknown_member` writes the text `__unknown__` into the key, and the key is no string.

Declare the field as `string` in both entities, or use `flag` or `quarantine`.
"#,
    },
    Entry {
        code: UNKNOWN_MEMBER_PARENT,
        name: "unknown-member-parent",
        page: r#"`unknown_member` points orphans at one row of the parent, and the relationship does not go through the parent's whole key.

Refer to the whole key, or use `flag` or `quarantine`.
"#,
    },
    Entry {
        code: RECONCILE_SIDE,
        name: "reconcile-side",
        page: r#"A side of `reconcile` is an aggregate with its groups, an aggregate of a whole entity, or a field, which is compared key by
key of its entity.

```yaml
reconcile:
  - {name: kilos_match, left: "sum(parcel.kilos) by depot_no", right: depot.kilos_total, tolerance: "0.5", on_fail: flag}
```

The aggregates are `sum`, `count`, `avg`, `min`, `max`, each of one field of one entity. Without `by` the entity is one group.
"#,
    },
    Entry {
        code: RECONCILE_TYPE,
        name: "reconcile-type",
        page: r#"A side of `reconcile` is no number, or it is grouped by a `variant`. Two totals differ by a number, so both are an `int`
or a decimal; `count` counts the rows in which a field of any type has a value. Two spellings of one JSON value are not
equal, so they make no groups.

Declare the field as a number, or take another measure.
"#,
    },
    Entry {
        code: RECONCILE_GROUPS,
        name: "reconcile-groups",
        page: r#"The groups of the two sides of `reconcile` do not fit. Both sides have as many fields, of the same types: the first of
one side is compared with the first of the other. A field without an aggregate has the key of its entity for groups.
Where both sides have the same names, names decide and not places.

```yaml
left: "sum(parcel.kilos) by depot_no, day"
right: depot_day.kilos_total                 # key: [depot_no, day]
```
"#,
    },
    Entry {
        code: TOLERANCE,
        name: "tolerance",
        page: r#"`tolerance` is how far apart two totals may be, in either direction: an exact decimal in quotes, not negative. Without
quotes YAML reads a float, which is not exact. Where it is not written, the totals have to be equal.

```yaml
tolerance: "0.05"
```
"#,
    },
    Entry {
        code: RECONCILE_DIGITS,
        name: "reconcile-digits",
        page: r#"What `reconcile` computes is exact or refused, and engines compute exactly with 38 digits. A sum needs 9 more than its
field, for a thousand million rows; a difference needs one more; an average is compared by multiplying with the rows of the
other side, and shown with 4 digits more than its field.

Declare the fields with as many digits as they have, compare `sum` and `count` in place of `avg`, or tolerate with fewer
digits behind the point.
"#,
    },
];
