//! The body of the relation that readers use.

use askama::Template;

use super::judged::masks;
use super::{Writer, coerced, coerced_rows, condition, keeps_values};
use crate::ir::{Disposition, Field, UNKNOWN_MEMBER};
use crate::lower::EntityPlan;
use crate::lower::judged::{Judged, JudgedRule};
use crate::sql::expr::{Comparison, Expr, Operator};
use crate::sql::literal::Literal;
use crate::sql::print::indent;
use crate::sql::types::Type;

#[derive(Template)]
#[template(path = "sql/entity.sql", config = "templates/askama.toml")]
struct Body {
    /// `None` where judged keeps the values.
    coerced: Option<String>,
    columns: String,
    judged: String,
    identity: String,
    since: Option<String>,
    unknown_member: Option<String>,
}

pub fn entity(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let Some(judged) = &plan.judged else {
        return coerced(plan, writer);
    };
    let same = |column: &str| {
        Expr::qualified("judged", column)
            .compare(Comparison::Equal, Expr::qualified("coerced", column))
    };
    let keeps_values = keeps_values(plan, writer);
    let values = if keeps_values { "judged" } else { "coerced" };
    let columns = columns(plan, judged, values);
    // A single mapping has one source, which need not be compared.
    let source = plan.coerced.is_merged.then(|| same("_source"));
    let identity = Expr::all(
        source
            .into_iter()
            .chain([same("_source_row_id"), same("_load_id")])
            .collect(),
    );
    Body {
        coerced: (!keeps_values).then(|| indent(&coerced_rows(plan, writer), 2)),
        columns: writer.select(&columns, 2),
        judged: writer.names.judged(&plan.entity.name),
        since: plan
            .entity
            .incremental()
            .map(|_| writer.names.since(" AND ")),
        identity: condition(writer, &identity, 2),
        unknown_member: plan.entity.has_unknown_member.then(|| {
            let member: Vec<Expr> = columns
                .iter()
                .map(|(_, name)| unknown_member(plan, name))
                .collect();
            writer.list(&member, 2)
        }),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}

/// Names of the columns of the finished relation, in order.
#[must_use]
pub fn entity_columns(plan: &EntityPlan<'_>) -> Vec<String> {
    let Some(judged) = &plan.judged else {
        let fields = plan.entity.fields.iter();
        return fields.map(|field| field.name.clone()).collect();
    };
    let columns = columns(plan, judged, "judged").into_iter();
    columns.map(|(_, name)| name).collect()
}

/// `values` is the relation that has the typed values.
fn columns(plan: &EntityPlan<'_>, judged: &Judged, values: &str) -> Vec<(Expr, String)> {
    let mut columns: Vec<(Expr, String)> = plan
        .entity
        .fields
        .iter()
        .map(|field| (value(field, judged, values), field.name.clone()))
        .collect();
    if plan.coerced.is_merged {
        columns.push((Expr::qualified(values, "_source"), "_source".to_owned()));
    }
    for name in ["_ingested_at", "_load_id", "_source_row_id"] {
        columns.push((Expr::qualified(values, name), name.to_owned()));
    }
    if plan.entity.quality.is_some() {
        columns.push((flags(judged), "_quality_flags".to_owned()));
        columns.push((is_clean(&kept(judged)), "_quality_ok".to_owned()));
    }
    columns
}

/// The field, or the unknown member where its parent was not found.
fn value(field: &Field, judged: &Judged, values: &str) -> Expr {
    let own = Expr::qualified(values, &field.name);
    let orphaned: Vec<Expr> = judged
        .rules
        .iter()
        .filter(|rule| rule.rewrites.contains(&field.name))
        .map(masks::has_failed)
        .collect();
    if orphaned.is_empty() {
        return own;
    }
    Expr::Case {
        arms: vec![(Expr::any(orphaned), Expr::text(UNKNOWN_MEMBER))],
        otherwise: Some(own.into()),
    }
}

/// Rules that a kept row can carry.
fn kept(judged: &Judged) -> Vec<&JudgedRule> {
    judged
        .rules
        .iter()
        .filter(|rule| match rule.disposition {
            Disposition::Fail | Disposition::Flag | Disposition::UnknownMember => true,
            Disposition::Quarantine => false,
        })
        .collect()
}

fn is_clean(rules: &[&JudgedRule]) -> Expr {
    let mut masks: Vec<Expr> = Vec::new();
    for rule in rules {
        let mask = Expr::qualified("judged", &rule.failed.column);
        if !masks.contains(&mask) {
            masks.push(mask);
        }
    }
    let sum = masks
        .into_iter()
        .reduce(|left, right| Expr::Arithmetic(left.into(), Operator::Add, right.into()));
    match sum {
        Some(sum) => sum.compare(Comparison::Equal, Expr::int(0)),
        None => Expr::Literal(Literal::Bool(true)),
    }
}

fn flags(judged: &Judged) -> Expr {
    let rules = kept(judged);
    if rules.is_empty() {
        return Expr::NoNames;
    }
    Expr::Case {
        arms: vec![(is_clean(&rules), Expr::NoNames)],
        otherwise: Some(masks::names(&rules).into()),
    }
}

/// The reserved row that orphans point at: its key, and nothing else.
fn unknown_member(plan: &EntityPlan<'_>, column: &str) -> Expr {
    let field = plan.entity.fields.iter().find(|field| field.name == column);
    match (column, field) {
        (_, Some(field)) if plan.entity.key.contains(&field.name) => Expr::text(UNKNOWN_MEMBER),
        (_, Some(field)) => Expr::null(field.ty),
        ("_quality_flags", None) => Expr::NoNames,
        ("_quality_ok", None) => Expr::Literal(Literal::Bool(true)),
        ("_ingested_at", None) => Expr::null(Type::Timestamp),
        (_, None) => Expr::text(UNKNOWN_MEMBER),
    }
}
