//! The function that conversions call where the engine has none of the kind.

use askama::Template;

#[derive(Template)]
#[template(path = "sql/input_is_valid.sql", config = "templates/askama.toml")]
struct Statement;

/// One statement that makes it, or finds it made.
pub fn input_is_valid() -> String {
    Statement
        .render()
        .expect("a template without holes cannot fail")
        .trim()
        .to_owned()
}
