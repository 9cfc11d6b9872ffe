//! The facts that must stop a run.

use askama::Template;

#[derive(Template)]
#[template(path = "sql/gates.sql", config = "templates/askama.toml")]
struct Body<'a> {
    judged: &'a str,
}

/// `judged` is how the framework names the relation here.
pub fn gates(judged: &str) -> String {
    let body = Body { judged };
    body.render()
        .expect("a template over prepared text cannot fail")
        .trim_end()
        .to_owned()
}
