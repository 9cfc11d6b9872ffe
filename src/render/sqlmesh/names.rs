//! References and literals in SQLMesh's SQL.

use crate::ir::Duration;
use crate::lower::EntityPlan;
use crate::render::sql::{Names, REJECT_COLUMNS, Relation, Writer, entity, relation_name};
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

    fn deliveries(&self, source: &str) -> String {
        self.bronze(source)
    }

    fn arrived(&self, plan: &EntityPlan<'_>) -> Option<String> {
        let incremental = plan.entity.incremental()?;
        let lag = incremental.arrival_lag.map_or(0, Duration::hours);
        let mut arguments = vec![lag.to_string()];
        let sources = plan.coerced.inputs.iter();
        arguments.extend(sources.map(|input| text(&self.bronze(&input.source))));
        Some(indent(&bracketed("@assay_arrived(", &arguments, ")"), 4))
    }

    /// A relation of its own where two others read it; an incremental entity has one reader.
    fn coerced(&self, plan: &EntityPlan<'_>) -> Option<String> {
        match plan.entity.incremental() {
            Some(_) => None,
            None => Some(format!(
                "SELECT\n  *\nFROM {}",
                silver(self.settings, &format!("{}__coerced", plan.entity.name))
            )),
        }
    }

    fn judged(&self, entity: &str) -> String {
        self.relation(entity, Relation::Judged)
    }

    fn around_ledger(&self) -> (&'static str, &'static str) {
        ("", "")
    }

    fn contenders(&self) -> String {
        "contenders".to_owned()
    }

    fn ledger(&self, entity: &str, columns: &[String]) -> String {
        let columns: Vec<String> = columns
            .iter()
            .map(|column| name(std::slice::from_ref(column)))
            .collect();
        format!(
            "SELECT\n  {}\nFROM {}\nWHERE\n  @assay_is_kept()\n  AND NOT (\n    \
             _gates <> 0 OR (\n      _fail <> 0 AND _route <> 'deduped'\n    )\n  )",
            columns.join(",\n  "),
            self.relation(entity, Relation::Judged)
        )
    }

    /// The replay puts its own SELECT there.
    fn stored(&self) -> &'static str {
        "stored"
    }

    fn where_stored(&self, _select: &str) -> String {
        String::new()
    }

    fn since(&self, and: &str) -> String {
        format!("{and}judged._judged_at > @assay_since()")
    }

    fn run_at(&self) -> String {
        "@execution_ts::TIMESTAMP".to_owned()
    }

    fn judged_at(&self) -> String {
        self.run_at()
    }

    fn held(&self, entity: &str) -> String {
        let columns: Vec<&str> = REJECT_COLUMNS.iter().map(|(name, _)| *name).collect();
        let reject = silver(self.settings, &relation_name(entity, Relation::Reject));
        format!("SELECT\n  {}\nFROM {reject}", columns.join(",\n  "))
    }

    fn admitted(&self, plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
        entity(plan, writer)
    }

    fn versions(&self, entity: &str, columns: &[(String, String)]) -> String {
        let columns: Vec<String> = columns
            .iter()
            .map(|(column, _)| name(std::slice::from_ref(column)))
            .collect();
        let history = silver(self.settings, entity);
        format!("SELECT\n  {}\nFROM {history}", columns.join(",\n  "))
    }

    /// `Style::Sqlglot` has already kept text away from SQLMesh's templates.
    fn escape(&self, _sql: &mut String, _start: usize) {}
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
