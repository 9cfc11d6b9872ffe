//! What an incremental entity's judged relation keeps from run to run.

use super::key_values;
use super::masks::{FAILS_IN_A_LATER_WORD, fails_in_a_later_word, masks};
use super::unique::unique_name;
use crate::ir::{INGESTED_AT, LOAD_ID, SOURCE_ROW_ID};
use crate::lower::EntityPlan;
use crate::lower::coerced::INGESTED_AT_TEXT;
use crate::lower::helper::helper;
use crate::lower::judged::Judged;
use crate::render::sql::{RejectType, Writer, condition};
use crate::sql::expr::{Comparison, Expr, Operator};
use crate::sql::print::indent;
use crate::sql::types::Type;

/// What an incremental entity's judged relation holds from earlier runs, and what becomes of it.
pub(super) struct Ledger {
    /// Around what is there only from the second run on.
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) rows: String,
    pub(super) same_key: String,
    pub(super) contender: String,
    /// The CTE of the rows that this run reaches.
    pub(super) reached: &'static str,
    pub(super) from: String,
    pub(super) route: String,
    pub(super) masks: String,
    pub(super) key: String,
    pub(super) key_is_repeated: String,
    pub(super) is_delivery: String,
    pub(super) run_at: String,
    pub(super) generation: String,
}

/// What the ledger shares with the deliveries that a run reads.
pub(super) struct Shared<'a> {
    pub(super) contested: &'a [Expr],
    pub(super) masks: &'a [(Expr, String)],
    pub(super) key_is_repeated: &'a Expr,
    pub(super) is_delivery: &'a Expr,
}

pub(super) fn ledger(
    plan: &EntityPlan<'_>,
    judged: &Judged,
    shared: &Shared<'_>,
    generation: &str,
    writer: &Writer<'_>,
) -> Ledger {
    let masks = held_masks(judged, shared.masks);
    let (open, close) = writer.names.around_ledger();
    let rows = writer
        .names
        .ledger(&plan.entity.name, &kept_columns(plan, judged));
    Ledger {
        open,
        close,
        rows: indent(&rows, 2),
        same_key: condition(writer, &same_key(plan), 4),
        contender: writer.list(shared.contested, 4),
        reached: match judged.uniques.is_empty() {
            true => "touched",
            false => "alike",
        },
        from: held_from(judged, writer),
        route: indent(&writer.expr(&held_route(judged, &masks)), 2),
        masks: writer.select(&masks, 2),
        key: indent(&writer.expr(&held_key(plan, judged, &masks)), 2),
        key_is_repeated: condition(writer, shared.key_is_repeated, 2),
        is_delivery: condition(writer, shared.is_delivery, 2),
        run_at: writer.names.judged_at(),
        generation: writer.expr(&Expr::text(generation)),
    }
}

/// The columns of an incremental entity's judged relation with their types, in order.
#[must_use]
pub fn ledger_columns(plan: &EntityPlan<'_>, judged: &Judged) -> Vec<(String, RejectType)> {
    let plain = |name: &str, ty: Type| (name.to_owned(), RejectType::Plain(ty));
    let mut columns = vec![
        plain("_source", Type::String),
        plain(SOURCE_ROW_ID, Type::String),
        plain(LOAD_ID, Type::String),
    ];
    columns.extend(
        plan.entity
            .fields
            .iter()
            .map(|field| plain(&field.name, field.ty)),
    );
    columns.push(plain(INGESTED_AT, Type::Timestamp));
    columns.push(plain(INGESTED_AT_TEXT, Type::String));
    columns.push(plain("_route", Type::String));
    columns.push(("_key".to_owned(), RejectType::Json));
    columns.push(plain("_key_repeats", Type::Bool));
    columns.push(plain("_gates", Type::Int));
    columns.extend(masks(judged).iter().map(|(_, name)| plain(name, Type::Int)));
    columns.push(plain("_delivered", Type::Int));
    columns.push(plain("_judged_at", Type::Timestamp));
    columns.push(plain("_generation", Type::String));
    columns
}

/// Those that a later run reads.
fn kept_columns(plan: &EntityPlan<'_>, judged: &Judged) -> Vec<String> {
    const UNREAD: [&str; 4] = ["_key", "_key_repeats", "_delivered", "_judged_at"];
    let is_read = |name: &String| !UNREAD.contains(&name.as_str());
    let columns = ledger_columns(plan, judged).into_iter();
    columns.map(|(name, _)| name).filter(is_read).collect()
}

fn same_key(plan: &EntityPlan<'_>) -> Expr {
    let keys = plan.entity.key.iter().map(|key| {
        Expr::qualified("ledger", key).compare(Comparison::Equal, Expr::qualified("coerced", key))
    });
    Expr::all(keys.collect())
}

/// The same of a delivery that was judged by an earlier run.
fn held_key(plan: &EntityPlan<'_>, judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut reasons = held_diverted(masks);
    if judged.key_can_repeat {
        reasons.push(Expr::column(&helper("_key__", &plan.entity.key[0])).is_not_null());
    }
    Expr::Case {
        arms: vec![(Expr::any(reasons), key_values(plan))],
        otherwise: None,
    }
}

/// Masks of a delivery that was judged by an earlier run: they stand, but for the rules that compare
/// rows.
fn held_masks(judged: &Judged, masks: &[(Expr, String)]) -> Vec<(Expr, String)> {
    let mut held = Vec::new();
    for (_, name) in masks {
        let mut mask = Expr::column(name);
        let own = judged
            .rules
            .iter()
            .filter(|rule| rule.is_unique && rule.failed.column == *name);
        for rule in own {
            mask = with_bit(mask, name, rule.failed.value, rule.violation.clone());
        }
        held.push((mask, name.clone()));
    }
    let mut uniques = judged.rules.iter().filter(|rule| rule.is_unique);
    if uniques.any(fails_in_a_later_word) {
        let later = held.iter().filter(|(_, name)| name.starts_with("_fail_"));
        let fails = later.map(|(mask, _)| mask.clone().compare(Comparison::NotEqual, Expr::int(0)));
        let fails = Expr::any(fails.collect());
        for (mask, name) in held.iter_mut().filter(|(_, name)| name == "_fail") {
            *mask = with_bit(mask.clone(), name, FAILS_IN_A_LATER_WORD, fails.clone());
        }
    }
    held
}

/// The mask, in which a bit of what `column` has kept is set anew.
fn with_bit(mask: Expr, column: &str, bit: i64, condition: Expr) -> Expr {
    let had = Expr::HasBit {
        mask: Expr::column(column).into(),
        bit,
    };
    let had = Expr::Mask(vec![(had, bit)]);
    let has = Expr::Mask(vec![(condition, bit)]);
    let without = Expr::Arithmetic(mask.into(), Operator::Subtract, had.into());
    Expr::Arithmetic(without.into(), Operator::Add, has.into())
}

fn held_diverted(masks: &[(Expr, String)]) -> Vec<Expr> {
    masks
        .iter()
        .filter(|(_, name)| name.starts_with("_quarantine"))
        .map(|(mask, _)| mask.clone().compare(Comparison::NotEqual, Expr::int(0)))
        .collect()
}

/// A delivery that has been replaced stays so.
fn held_route(judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut replaced = vec![Expr::column("_is_replaced")];
    let route = Expr::column("_route");
    if judged.uniques.is_empty() {
        return Expr::Case {
            arms: vec![(Expr::any(replaced), Expr::text("deduped"))],
            otherwise: Some(route.into()),
        };
    }
    replaced.insert(0, route.compare(Comparison::Equal, Expr::text("deduped")));
    Expr::Case {
        arms: vec![
            (Expr::any(replaced), Expr::text("deduped")),
            (Expr::any(held_diverted(masks)), Expr::text("quarantined")),
        ],
        otherwise: Some(Expr::text("admitted").into()),
    }
}

fn held_from(judged: &Judged, writer: &Writer<'_>) -> String {
    let mut from = "held".to_owned();
    for unique in &judged.uniques {
        let on =
            Expr::column(&unique.repeated).compare(Comparison::Equal, Expr::column(&unique.field));
        let on = condition(writer, &on, 2);
        from.push_str(&format!("\nLEFT JOIN {}\n  ON {on}", unique_name(unique)));
    }
    from
}
