//! The body of the relation that keeps diverted rows until they come back.

use askama::Template;

use super::judged::masks;
use super::{Writer, condition, keeps_values};
use crate::ir::{Disposition, INGESTED_AT, Scope};
use crate::lower::EntityPlan;
use crate::lower::judged::{Judged, JudgedRule};
use crate::sql::dialect::Spelling;
use crate::sql::expr::{Accept, Comparison, DateFormat, Expr};
use crate::sql::types::Type;

/// Columns of every reject relation with their types; `None`: the dialect's list or JSON type.
pub const REJECT_COLUMNS: [(&str, RejectType); 17] = [
    ("reject_id", RejectType::Plain(Type::String)),
    ("entity", RejectType::Plain(Type::String)),
    ("source_relation", RejectType::Plain(Type::String)),
    ("mapping", RejectType::Plain(Type::String)),
    ("mapping_version", RejectType::Plain(Type::Int)),
    ("stage", RejectType::Plain(Type::String)),
    ("failed_rules", RejectType::Names),
    ("key_values", RejectType::Json),
    ("raw", RejectType::Json),
    ("_load_id", RejectType::Plain(Type::String)),
    ("_ingested_at", RejectType::Plain(Type::Timestamp)),
    ("_source_row_id", RejectType::Plain(Type::String)),
    ("first_seen", RejectType::Plain(Type::Timestamp)),
    ("last_seen", RejectType::Plain(Type::Timestamp)),
    ("last_evaluated_at", RejectType::Plain(Type::Timestamp)),
    ("resolved_at", RejectType::Plain(Type::Timestamp)),
    ("resolution", RejectType::Plain(Type::String)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectType {
    Plain(Type),
    Names,
    Json,
}

impl RejectType {
    /// The type as this engine names it.
    #[must_use]
    pub fn name(self, spelling: &Spelling) -> String {
        match self {
            Self::Plain(ty) => (spelling.type_name)(ty),
            Self::Names => spelling.name_list_type.to_owned(),
            Self::Json => spelling.json_type.to_owned(),
        }
    }
}

/// The first columns, which come from the delivery itself.
const DELIVERED: usize = 12;

#[derive(Template)]
#[template(path = "sql/reject.sql", config = "templates/askama.toml")]
struct Body {
    inputs: Vec<Input>,
    judged: String,
    held: String,
    diverted_columns: String,
    held_columns: String,
    run_at: String,
    is_news: String,
    settled_since: Option<String>,
}

struct Input {
    columns: String,
    bronze: String,
    /// Which rows of judged were diverted from it.
    filter: String,
}

pub fn reject(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
    let since = |and: &str| plan.entity.incremental().map(|_| writer.names.since(and));
    let inputs = plan
        .coerced
        .inputs
        .iter()
        .zip(&judged.raw)
        .enumerate()
        .map(|(mapping, (input, raw))| {
            let rules = judged.rules.iter().filter(|rule| match rule.scope {
                Scope::Entity => true,
                Scope::Mapping(of) => of == mapping,
            });
            let rules: Vec<&JudgedRule> = rules.collect();
            Input {
                columns: writer.select(&delivered(plan, &rules, &input.source, raw, writer), 4),
                bronze: writer.names.deliveries(&input.source),
                filter: diverted_from(&input.source, since("\n    AND ").as_deref(), writer),
            }
        })
        .collect();
    let qualified = |relation: &str| {
        let mut columns = String::new();
        for (index, (name, _)) in REJECT_COLUMNS.iter().take(DELIVERED).enumerate() {
            let comma = if index == 0 { "" } else { ",\n  " };
            columns.extend([comma, relation, ".", name]);
        }
        columns
    };
    Body {
        inputs,
        judged: writer.names.judged(&plan.entity.name),
        settled_since: since(" AND "),
        held: crate::sql::print::indent(&writer.names.held(&plan.entity.name), 2),
        diverted_columns: qualified("diverted"),
        held_columns: qualified("held"),
        run_at: writer.names.run_at(),
        is_news: condition(writer, &is_news(), 2),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}

fn diverted_from(source: &str, since: Option<&str>, writer: &Writer<'_>) -> String {
    let is = |column: &str, text: &str| {
        Expr::qualified("judged", column).compare(Comparison::Equal, Expr::text(text))
    };
    let conditions = [is("_route", "quarantined"), is("_source", source)];
    match since {
        Some(since) => {
            let lines = conditions.map(|condition| writer.expr(&condition));
            lines.join("\n    AND ") + since
        }
        None => condition(writer, &Expr::all(conditions.into()), 4),
    }
}

/// `rules` are those that judge rows of the source.
fn delivered(
    plan: &EntityPlan<'_>,
    rules: &[&JudgedRule],
    source: &str,
    raw: &[(String, Expr)],
    writer: &Writer<'_>,
) -> Vec<(Expr, String)> {
    let of_judged = |name: &str| Expr::qualified("judged", name);
    let ingested_at = if keeps_values(plan, writer) {
        of_judged(INGESTED_AT)
    } else {
        Expr::Parse(
            Expr::ToText(Expr::qualified("delivered", INGESTED_AT).into()).into(),
            Accept::Timestamp {
                format: DateFormat::Iso,
                zone: None,
            },
        )
    };
    let names = [
        Expr::Digest {
            constant: source.to_owned(),
            text: of_judged("_source_row_id").into(),
        },
        Expr::text(&plan.entity.name),
        of_judged("_source"),
        Expr::text(&format!("{source} -> {}", plan.entity.name)),
        Expr::Cast(Expr::int(1).into(), Type::Int),
        stage(rules),
        masks::names(rules),
        of_judged("_key"),
        Expr::JsonObject(raw.to_vec()),
        of_judged("_load_id"),
        ingested_at,
        of_judged("_source_row_id"),
    ];
    names
        .into_iter()
        .zip(REJECT_COLUMNS.map(|(name, _)| name.to_owned()))
        .collect()
}

/// Where in the pipeline the row was stopped first.
fn stage(rules: &[&JudgedRule]) -> Expr {
    let mut words: Vec<(String, i64)> = Vec::new();
    for rule in rules {
        if !rule.is_coercible || rule.disposition != Disposition::Quarantine {
            continue;
        }
        match words
            .iter_mut()
            .find(|(column, _)| *column == rule.failed.column)
        {
            Some((_, bits)) => *bits |= rule.failed.value,
            None => words.push((rule.failed.column.clone(), rule.failed.value)),
        }
    }
    if words.is_empty() {
        return Expr::text("judge");
    }
    let coercion = words
        .into_iter()
        .map(|(column, bits)| Expr::HasBit {
            mask: Expr::qualified("judged", &column).into(),
            bit: bits,
        })
        .collect();
    Expr::Case {
        arms: vec![(Expr::any(coercion), Expr::text("coerce"))],
        otherwise: Some(Expr::text("judge").into()),
    }
}

/// A run over unchanged bronze writes nothing.
fn is_news() -> Expr {
    let differs = |name: &str| {
        Expr::qualified("held", name)
            .compare(Comparison::NotEqual, Expr::qualified("diverted", name))
    };
    // A redaction that is added later, or another key, must reach what is already held.
    let other_text = |name: &str| {
        let text = |relation: &str| Expr::ToText(Expr::qualified(relation, name).into());
        text("held").compare(Comparison::NotEqual, text("diverted"))
    };
    Expr::Or(vec![
        Expr::qualified("held", "reject_id").is_null(),
        Expr::qualified("held", "resolved_at").is_not_null(),
        differs("_load_id"),
        differs("failed_rules"),
        differs("stage"),
        other_text("key_values"),
        other_text("raw"),
    ])
}
