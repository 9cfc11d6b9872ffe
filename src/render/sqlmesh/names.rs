//! References and literals in SQLMesh's SQL.

use crate::render::sql::{Names, REJECT_COLUMNS, Relation, relation_name};
use crate::settings::Settings;
use crate::sql::print::{Style, indent, name, print};
use crate::sql::text::Sql;

pub struct SqlmeshNames<'a> {
    pub settings: &'a Settings,
}

impl Names for SqlmeshNames<'_> {
    fn bronze(&self, source: &str) -> String {
        format!(
            "{}.{}",
            self.settings.schemas.bronze,
            name(&[source.to_owned()])
        )
    }

    fn relation(&self, entity: &str, relation: Relation) -> String {
        silver(self.settings, &relation_name(entity, relation))
    }

    fn coerced(&self, entity: &str) -> String {
        format!(
            "SELECT\n  *\nFROM {}",
            silver(self.settings, &format!("{entity}__coerced"))
        )
    }

    fn run_at(&self) -> String {
        "@execution_ts::TIMESTAMP".to_owned()
    }

    fn held(&self, entity: &str) -> String {
        let columns: Vec<&str> = REJECT_COLUMNS.iter().map(|(name, _)| *name).collect();
        let reject = silver(self.settings, &relation_name(entity, Relation::Reject));
        format!("SELECT\n  {}\nFROM {reject}", columns.join(",\n  "))
    }

    /// `Style::Sqlglot` has already kept text away from SQLMesh's templates.
    fn escape(&self, sql: String) -> String {
        sql
    }
}

#[must_use]
pub fn silver(settings: &Settings, relation: &str) -> String {
    format!("{}.\"{relation}\"", settings.schemas.silver)
}

/// A text literal.
#[must_use]
pub fn text(text: &str) -> String {
    print(&Sql::text(text), Style::Sqlglot)
}

/// A text literal of a MODEL block, which knows no expressions and needs no escape but the quote.
#[must_use]
pub fn plain_text(text: &str) -> String {
    print(&Sql::text(text), Style::Plain)
}

/// A list, broken into lines by SQLGlot's rule.
#[must_use]
pub fn bracketed(open: &str, items: &[String], close: &str) -> String {
    let items_width: usize = items.iter().map(|item| item.chars().count()).sum();
    // It counts the separators of a tuple or a list, and not those of a call.
    let separators = match open {
        "(" | "[" => 2 * items.len().saturating_sub(1),
        _ => 0,
    };
    if items_width + separators <= 80 {
        return format!("{open}{}{close}", items.join(", "));
    }
    format!("{open}\n  {}\n{close}", indent(&items.join(",\n"), 2))
}

/// A list in parentheses; SQLGlot takes a single item for a parenthesis and breaks it.
#[must_use]
pub fn in_parentheses(items: &[String]) -> String {
    match items {
        [only] => format!("(\n  {}\n)", indent(only, 2)),
        _ => bracketed("(", items, ")"),
    }
}
