//! What the ceiling of an entity says of a run.

use askama::Template;

/// How the framework writes the parts of the statement.
#[derive(Template)]
#[template(path = "sql/ceiling.sql", config = "templates/askama.toml")]
pub struct Limit<'a> {
    /// Both stand inside of a text in SQL.
    pub entity: &'a str,
    pub share: &'a str,
    pub judged: &'a str,
    pub parts: &'a str,
    pub whole: &'a str,
    /// The end of the condition over judged: what has not been published yet.
    pub pending: &'a str,
    /// Somebody has let this run through.
    pub allowed: &'a str,
}

#[must_use]
pub fn ceiling(limit: &Limit<'_>) -> String {
    limit
        .render()
        .expect("a template over prepared text cannot fail")
        .trim_end()
        .to_owned()
}
