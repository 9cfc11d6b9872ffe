//! Rules that compare a row with others: the values that occur more than once.

use crate::lower::judged::{Judged, Unique as UniqueRule};
use crate::render::sql::{Writer, condition};
use crate::sql::expr::{Comparison, Expr, Func};
use crate::sql::literal::Literal;
use crate::sql::print::indent;

/// The values of a field that occur more than once among the rows that survive.
pub(super) struct Unique {
    pub(super) name: String,
    pub(super) column: String,
    pub(super) field: String,
    pub(super) filter: String,
    pub(super) filter_of_held: String,
    pub(super) stored: String,
    pub(super) on: String,
}

/// For each rule that compares rows, its CTE and the SELECT of the stored rows' values.
#[must_use]
pub fn compared(judged: &Judged, stored: &str, writer: &Writer<'_>) -> Vec<(String, String)> {
    let uniques = judged.uniques.iter();
    uniques
        .map(|unique| {
            (
                unique_name(unique),
                stored_values(unique, stored, 0, writer),
            )
        })
        .collect()
}

fn stored_values(unique: &UniqueRule, stored: &str, depth: usize, writer: &Writer<'_>) -> String {
    let field = Expr::column(&unique.field);
    let mut filters = vec![field.clone().is_not_null()];
    filters.extend(unique.filter.clone());
    let shown = writer.expr(&field);
    let filter = condition(writer, &Expr::all(filters), 2);
    let rows = format!("SELECT\n  {shown}\nFROM {stored}\nWHERE\n  {filter}");
    indent(&rows, depth)
}

pub(super) fn uniques(judged: &Judged, writer: &Writer<'_>) -> Vec<Unique> {
    let uniques = judged.uniques.iter().map(|unique| {
        let field = Expr::column(&unique.field);
        let mut survives = vec![field.clone().is_not_null()];
        survives.extend(unique.filter.clone());
        let is_replaced = vec![
            Expr::column("_is_replaced"),
            Expr::Literal(Literal::Bool(false)),
        ];
        survives.push(Expr::Call(Func::Coalesce, is_replaced).not());
        let mut held = survives.clone();
        held.push(Expr::column("_route").compare(Comparison::NotEqual, Expr::text("deduped")));
        let shown = writer.expr(&field);
        let stored = stored_values(unique, writer.names.stored(), 4, writer);
        Unique {
            name: unique_name(unique),
            column: writer.aliased(&field, &unique.repeated),
            filter: condition(writer, &Expr::all(survives), 6),
            filter_of_held: condition(writer, &Expr::all(held), 6),
            stored: writer.names.where_stored(&stored),
            on: condition(
                writer,
                &Expr::column(&unique.repeated).compare(Comparison::Equal, field),
                4,
            ),
            field: shown,
        }
    });
    uniques.collect()
}

pub(super) fn unique_name(unique: &UniqueRule) -> String {
    format!("{}_values", unique.repeated)
}
