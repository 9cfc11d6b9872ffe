//! Chains, expressions, types.

use super::{Code, Entry};

pub const UNKNOWN_TRANSFORM: Code = Code("E0301");
pub const TRANSFORM_ARGUMENTS: Code = Code("E0302");
pub const TRANSFORM_TYPE: Code = Code("E0303");
pub const CHAIN_TYPE: Code = Code("E0304");
pub const DATE_FORMAT: Code = Code("E0305");
pub const TIME_ZONE: Code = Code("E0306");
pub const DIVISION_BY_ZERO: Code = Code("E0307");
pub const LITERAL_TYPE: Code = Code("E0308");
pub const REGEX_CONSTRUCT: Code = Code("E0310");
pub const REGEX_ANCHORS: Code = Code("E0311");
pub const EXPRESSION_SYNTAX: Code = Code("E0320");
pub const EXPRESSION_COLUMN: Code = Code("E0321");
pub const EXPRESSION_NOT_DETERMINISTIC: Code = Code("E0322");
pub const EXPRESSION_CONSTRUCT: Code = Code("E0323");
pub const EXPRESSION_TYPE: Code = Code("E0324");
pub const EXPRESSION_CONSTANT: Code = Code("E0325");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: UNKNOWN_TRANSFORM,
        name: "unknown-transform",
        page: r#"A chain names a step that does not exist. The list is closed, so that every step means the same on every engine:
`trim upper lower to_string to_int to_decimal to_bool parse_ts parse_date to_utc enum_map coalesce nullif split_part
regex_extract strip_prefix strip_suffix concat multiply divide round abs json_path`.

```yaml
transform: [strip, to_integer]
```

`convert` does not exist on purpose: amounts are not converted between currencies here.
"#,
    },
    Entry {
        code: TRANSFORM_ARGUMENTS,
        name: "transform-arguments",
        page: r#"A step has too few or too many arguments, or one that it cannot take.

```yaml
transform: [{to_decimal: 12}, {split_part: ["-", 0]}]
```

`to_decimal` takes digits in all and digits behind the point, at most 38; `split_part` counts from 1; `enum_map` takes
pairs; affixes and delimiters are not empty. The help shows the form.
"#,
    },
    Entry {
        code: TRANSFORM_TYPE,
        name: "transform-type",
        page: r#"A step stands where the chain has reached a type that it does not take. A chain starts as text; `to_int`, `to_decimal`,
`to_bool`, `parse_date` and `parse_ts` leave text, `to_string` returns to it.

```yaml
transform: [to_int, trim]
```

Text steps (`trim`, `upper`, `enum_map`, `split_part`, …) come before the conversion, number steps (`multiply`, `divide`,
`round`, `abs`) behind it.
"#,
    },
    Entry {
        code: CHAIN_TYPE,
        name: "chain-type",
        page: r#"The chain ends as one type and the field is of another.

```yaml
fields:
  weight: {type: string}        # in the entity model
---
weight: {from: "$.kg", transform: [to_int]}
```

A chain that ends as text is converted to the field's type without being asked, by the accept set of that type; an int
becomes a decimal and a date a timestamp. Everything else would lose something and has to be written.
"#,
    },
    Entry {
        code: DATE_FORMAT,
        name: "date-format",
        page: r#"The format is neither `ISO8601` nor a strptime pattern that every engine reads alike.

```yaml
transform: [{parse_date: "%e.%m.%Y"}]
```

The directives are `%Y %y %m %b %B %d %H %I %p %M %S %f %z`. A format has one year, one month and one day; `%I` comes with
`%p`; a date has no time of day. What the pattern does not match becomes NULL and is marked, never guessed.
"#,
    },
    Entry {
        code: TIME_ZONE,
        name: "time-zone",
        page: r#"`to_utc` says in which zone times without an offset were written. It stands directly behind `parse_ts`, with the IANA name
of the zone.

```yaml
transform: [{parse_ts: "%d.%m.%Y %H:%M"}, {to_utc: Europe/Berlin}]
```

`CET`, `EST` or `+02:00` are not taken: short names mean several zones, and an offset knows no summer time. Behind a
format with `%z` it would contradict the data.
"#,
    },
    Entry {
        code: DIVISION_BY_ZERO,
        name: "division-by-zero",
        page: r#"A chain divides by zero: no row would have a value.

```yaml
transform: [to_int, {divide: 0}]
```

Name a divisor other than zero. To multiply by a fraction, as cents into euros, write `{divide: 100}` or
`{multiply: "0.01"}`.
"#,
    },
    Entry {
        code: LITERAL_TYPE,
        name: "literal-type",
        page: r#"A value in the spec is not a value of the type that it is compared with, or does not fit its digits.

```yaml
quality: [{rule: range, min: "1e3", on_fail: flag}]
```

Ints are plain digits in 64 bits; decimals plain digits with a point, exact, with at most the field's digits; dates
`YYYY-MM-DD`; timestamps `YYYY-MM-DD HH:MM:SS`, in UTC unless they carry an offset; bools `true` and `false`.
"#,
    },
    Entry {
        code: REGEX_CONSTRUCT,
        name: "regex-construct",
        page: r#"The pattern uses a construct that engines read differently or not at all. RE2 (DuckDB, Trino) and POSIX (PostgreSQL)
disagree about most of them; some would stop the run.

```yaml
quality: [{rule: pattern, regex: '^(?=.*[0-9]).+$', on_fail: flag}]
```

Taken are literals, `.`, classes, `\d \w \s` and their negations outside of classes, `^ $`, `* + ? {n} {n,} {n,m}`, `|` and
`(?:…)`. Write it with these, as two rules, or as an `expression` rule.

Of `a|ab` RE2 takes the first branch that fits and POSIX the longest. A pattern that judges says the same either way; one
that extracts does not, so its branches have to exclude each other: `ab?`, `J(?:an|un)`.
"#,
    },
    Entry {
        code: REGEX_ANCHORS,
        name: "regex-anchors",
        page: r#"A pattern judges the whole value, and a branch of it is not anchored on both sides. Engines search a pattern anywhere in the
text: `[0-9]{5}` would accept `abc12345xyz`.

```yaml
quality: [{rule: pattern, regex: 'DE[0-9]{5}|AT[0-9]{4}', on_fail: flag}]
```

Start every top-level branch with `^` and end it with `$`, or put the branches into a group: `^(?:DE[0-9]{5}|AT[0-9]{4})$`.
"#,
    },
    Entry {
        code: EXPRESSION_SYNTAX,
        name: "expression-syntax",
        page: r#"The text is not one SQL expression: it does not parse, has something behind its end, a `;` or a comment, or is nested too
deep.

```yaml
expr: "amount > 0; -- positive"
```

Write one condition. Notes belong into the rule's `description`.
"#,
    },
    Entry {
        code: EXPRESSION_COLUMN,
        name: "expression-column",
        page: r#"The expression names a column that the entity does not have. Only fields that a mapping fills are columns; names without
quotes are lower case.

```yaml
expr: "kilo < 500"
```

Correct the name, or map the field.
"#,
    },
    Entry {
        code: EXPRESSION_NOT_DETERMINISTIC,
        name: "expression-not-deterministic",
        page: r#"The expression asks for the time, the user or a random number. A row would pass today and fail tomorrow, and a refused row
could not be judged again.

```yaml
expr: "created_at <= now()"
```

Compare with a column, as `_ingested_at` mapped to a field, or with a fixed date.
"#,
    },
    Entry {
        code: EXPRESSION_CONSTRUCT,
        name: "expression-construct",
        page: r#"The expression uses something that the language does not have: a sub-query, an aggregate, a window, another function or
operator. What is not named in the language might mean something else on another engine, so it is not passed through.

```yaml
expr: "amount <= (select max(amount) from limits)"
```

The language has comparisons, `AND OR NOT`, `IS [NOT] NULL`, `IN`, `BETWEEN`, `LIKE`, `CASE`, arithmetic, `coalesce nullif
abs round length lower upper trim substring extract greatest least`, casts between our types, date literals and intervals.
For another entity use `referential`, for a pattern the rule `pattern`.
"#,
    },
    Entry {
        code: EXPRESSION_TYPE,
        name: "expression-type",
        page: r#"Two values of different types meet, or a function gets a type that it does not take. Engines convert such values each in
their own way.

```yaml
expr: "order_no > 100"    # a string and a number
```

Cast one side: `cast(order_no as int) > 100`. A quoted date or timestamp beside a column of that type is read as one.
"#,
    },
    Entry {
        code: EXPRESSION_CONSTANT,
        name: "expression-constant",
        page: r#"The expression, or one side of an `AND` or `OR`, is the same for every row: it names no column, or compares with NULL, which
is never true.

```yaml
expr: "amount > 0 OR 1 = 1"
```

Leave it out. To ask for a missing value, write `IS NULL`.
"#,
    },
];
