//! Not supported: by this version, or by a dialect.

use super::{Code, Entry};

pub const DOCUMENT_NOT_YET: Code = Code("E0601");
pub const DOCUMENT_NOT_OURS: Code = Code("E0602");
pub const DIALECT_NOT_YET: Code = Code("E0603");
pub const TEMPLATE_IN_NAME: Code = Code("E0604");

/// Sorted by code.
pub const ENTRIES: &[Entry] = &[
    Entry {
        code: DOCUMENT_NOT_YET,
        name: "document-not-yet",
        page: r#"The document is of a kind that this version of assay reads by name only and generates nothing from: metrics, marts,
exposures, a policy, a data contract.

It is an error and not a warning, because a project without what was specified would look complete. Move the file out of
the tree until a version supports it.
"#,
    },
    Entry {
        code: DOCUMENT_NOT_OURS,
        name: "document-not-ours",
        page: r#"The document is of a kind that belongs to another tool: steps, exports, imports, retrieval. assay generates tables and
their checks; it runs no program and moves no data.

Keep such files in a folder outside of the spec tree.
"#,
    },
    Entry {
        code: DIALECT_NOT_YET,
        name: "dialect-not-yet",
        page: r#"The dialect is known by name, but this version does not generate SQL for it. Nothing is approximated with the SQL of
another engine.

```yaml
dialect: snowflake
```

Take a dialect that the message lists.
"#,
    },
    Entry {
        code: TEMPLATE_IN_NAME,
        name: "template-in-name",
        page: r#"The name of a bronze relation or column holds `{{`, `{%`, `{#`, `@name` or `@@` or starts with `?`, and the target is
SQLMesh. SQLMesh reads a model as a template before it reads it as SQL, and puts its variables into names. A text literal can be built from pieces that
are no template; a name cannot.

```yaml
fields:
  amount: {from: '$["{{x}}"]'}
```

Give the column another name in bronze (a view is enough), or generate for dbt, where such a name is escaped.
"#,
    },
];
