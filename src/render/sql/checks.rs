//! The bodies of the relations that list what a check of finished relations found.

mod coverage;
mod reconcile;

use super::{Relation, Writer, condition};
use crate::ir::{Check, CheckKind, Coverage, Reconcile};
use crate::lower::checks::{CheckPlan, Rows};
use crate::sql::expr::Expr;

/// Says of each listed group or parent why it is listed.
const OUTCOME: &str = "_outcome";
/// It is listed, and nobody can tell.
const UNDECIDED: &str = "undecided";

#[must_use]
pub fn check(plan: &CheckPlan<'_>, writer: &Writer<'_>) -> String {
    match &plan.check.kind {
        CheckKind::Reconcile(reconcile) => reconcile::body(reconcile, &plan.rows, writer),
        CheckKind::Coverage(coverage) => coverage::body(coverage, &plan.rows, writer),
    }
}

/// What the relation lists, in words.
#[must_use]
pub fn check_description(check: &Check) -> String {
    if let Some(description) = &check.description {
        return description.clone();
    }
    match &check.kind {
        CheckKind::Reconcile(Reconcile {
            left,
            right,
            tolerance,
            scale: _,
        }) => format!("Groups in which {left} and {right} differ by more than {tolerance}."),
        CheckKind::Coverage(Coverage {
            relationship,
            parent,
            child,
            columns: _,
            min,
        }) => format!(
            "Rows of {parent} that fewer than {min} of {child} refer to through {relationship}."
        ),
    }
}

/// A CTE over the rows of an entity.
struct Source {
    columns: String,
    relation: String,
    filter: Option<String>,
}

fn source(columns: &[(Expr, String)], rows: &Rows<'_>, writer: &Writer<'_>) -> Source {
    let filter = Expr::all(rows.filter.clone());
    Source {
        columns: writer.select(columns, 4),
        relation: writer.names.relation(&rows.entity.name, Relation::Entity),
        filter: (!rows.filter.is_empty()).then(|| condition(writer, &filter, 4)),
    }
}

/// Under its own name.
fn named(name: &str) -> (Expr, String) {
    (Expr::column(name), name.to_owned())
}
