//! Configuration and output.

use super::{Code, Entry};

pub const BAD_FOLDER: Code = Code("E0501");
pub const BAD_SCHEMA_NAME: Code = Code("E0502");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: BAD_FOLDER,
        name: "bad-folder",
        page: r#"`folder` names the sub-folder of `models/`, `macros/` and so on that holds everything generated. It is one plain name:
letters, digits, `_` and `-`, not starting with `-`.

```yaml
folder: ../other
```

Write `folder: assay`. Where the project itself is stands in `out`.
"#,
    },
    Entry {
        code: BAD_SCHEMA_NAME,
        name: "bad-schema-name",
        page: r#"The name of a schema is letters, digits and underscores and does not start with a digit, so that it means the same with
and without quotes.

```yaml
schemas: {silver: "silver-eu"}
```

Write `silver_eu`.
"#,
    },
];
