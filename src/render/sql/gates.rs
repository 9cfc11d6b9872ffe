//! The facts that must stop a run.

use askama::Template;

use crate::lower::judged::REPEATED;

#[derive(Template)]
#[template(path = "sql/gates.sql", config = "templates/askama.toml")]
struct Body<'a> {
    judged: &'a str,
    repeated: i64,
    lost: &'a str,
}

/// `judged` is how the framework names the relation here; `lost` is the condition, over its rows and
/// `MAX(_delivered)`, that some delivery of bronze is not among them.
pub fn gates(judged: &str, lost: &str) -> String {
    let body = Body {
        judged,
        repeated: REPEATED,
        lost,
    };
    body.render()
        .expect("a template over prepared text cannot fail")
        .trim_end()
        .to_owned()
}
