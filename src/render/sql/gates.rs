//! The facts that must stop a run.

use askama::Template;

use super::Writer;
use crate::sql::expr::Expr;

#[derive(Template)]
#[template(path = "sql/gates.sql", config = "templates/askama.toml")]
struct Body<'a> {
    judged: &'a str,
    has_key: String,
}

/// `judged` is how the framework names the relation here.
pub fn gates(judged: &str, writer: &Writer<'_>) -> String {
    let has_key = writer.expr(&Expr::column("_key").is_not_null());
    let body = Body { judged, has_key };
    body.render()
        .expect("a template over prepared text cannot fail")
        .trim_end()
        .to_owned()
}
