//! The body that judges every delivery once.

use askama::Template;

use super::{RejectType, Relation, Writer, coerced_rows, condition, keeps_values, lines};
use crate::ir::{Disposition, INGESTED_AT, LOAD_ID, REPLAY_LOAD, SOURCE_ROW_ID, Scd, VALID_TO};
use crate::lower::EntityPlan;
use crate::lower::coerced::INGESTED_AT_TEXT;
use crate::lower::helper::{digest, helper};
use crate::lower::history::History;
use crate::lower::judged::{self, Judged, JudgedRule};
use crate::lower::predicate::Undecided;
use crate::sql::expr::{Comparison, Expr, Func, Operator};
use crate::sql::literal::Literal;
use crate::sql::print::indent;
use crate::sql::types::Type;

#[derive(Template)]
#[template(path = "sql/judged.sql", config = "templates/askama.toml")]
struct Body {
    inline: &'static str,
    coerced: String,
    /// Where the deliveries are that compete with each other.
    contenders: String,
    ledger: Option<Ledger>,
    key: String,
    /// What `rules` and `masks` hand on: the key, or all values where judged keeps them.
    carried: String,
    values: Option<String>,
    fence: Option<&'static str>,
    key_as_repeated: String,
    has_key: String,
    key_is_repeated: String,
    key_was_repeated: String,
    key_text: String,
    key_can_repeat: bool,
    dedupes: bool,
    delivery: String,
    delivery_as_lost: String,
    delivery_as_own: String,
    row: String,
    row_on_a_line: String,
    delivery_on_a_line: String,
    row_as_repeated: String,
    row_is_repeated: String,
    row_was_repeated: String,
    contested: String,
    rank: String,
    rivals: String,
    key_of_winner: String,
    delivery_rank: String,
    is_lost: String,
    was_lost: String,
    is_delivery: String,
    gates: String,
    rules: Vec<String>,
    uniques: Vec<Unique>,
    is_lost_deeper: String,
    is_delivery_deeper: String,
    probes: Vec<Probe>,
    masks: String,
    mask_names: String,
    route: String,
    kept_key: String,
    since: Option<String>,
    delivered: String,
}

/// What an incremental entity's judged relation holds from earlier runs, and what becomes of it.
struct Ledger {
    /// Around what is there only from the second run on.
    open: &'static str,
    close: &'static str,
    rows: String,
    same_key: String,
    contender: String,
    /// The CTE of the rows that this run reaches.
    reached: &'static str,
    from: String,
    route: String,
    masks: String,
    key: String,
    key_is_repeated: String,
    is_lost: String,
    is_delivery: String,
    run_at: String,
    generation: String,
}

/// The values of a field that occur more than once among the rows that survive.
struct Unique {
    name: String,
    column: String,
    field: String,
    filter: String,
    filter_of_held: String,
    stored: String,
    on: String,
}

struct Probe {
    columns: String,
    from: String,
    filter: Option<String>,
    alias: String,
    on: String,
}

pub fn judged(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
    body(plan, judged, writer, &generation(plan, judged, writer))
}

/// Tells rows of one text of judged from those of another: the bits of a mask mean something only
/// together with the text that set them.
#[must_use]
pub fn generation(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
    match plan.entity.incremental() {
        Some(_) => digest(&body(plan, judged, writer, "")),
        None => String::new(),
    }
}

fn body(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>, generation: &str) -> String {
    let key: Vec<Expr> = plan
        .entity
        .key
        .iter()
        .map(|key| Expr::column(key))
        .collect();
    let has_key = Expr::all(key.iter().map(|key| key.clone().is_not_null()).collect());
    let same = |left: &str, right: &str| {
        Expr::column(left).compare(Comparison::Equal, Expr::column(right))
    };
    let row = row(plan);
    let delivery = delivery(plan);
    let named = |prefix: &str, columns: &[(&str, &str)]| {
        let columns = columns.iter().map(|(column, short)| {
            let name = format!("_{prefix}_{short}");
            (Expr::column(column), name)
        });
        writer.select(&columns.collect::<Vec<_>>(), 4)
    };
    let is_lost = is("lost", &delivery);
    let is_delivery = is("delivery", &delivery);
    let repeated_key = |name: &str| helper("_key__", name);
    let key_is_repeated = Expr::all(
        plan.entity
            .key
            .iter()
            .map(|key| same(&repeated_key(key), key))
            .collect(),
    );
    let masks = masks(judged);
    let keeps_values = keeps_values(plan, writer);
    let values = values(plan);
    let mut carried = key.clone();
    let times = plan.history.iter().flat_map(History::times);
    for time in times.map(Expr::column) {
        if !carried.contains(&time) {
            carried.push(time);
        }
    }
    let since = plan.history.as_ref().map(History::since_here);
    let mask_columns: Vec<Expr> = masks.iter().map(|(_, name)| Expr::column(name)).collect();
    let source = row.iter().filter(|(column, _)| *column == "_source");
    let mut partition: Vec<Expr> = source.map(|(column, _)| Expr::column(column)).collect();
    partition.extend(key.clone());
    let contested = distinct([
        &columns(&delivery),
        &judged.dedupe_order,
        &judged.delivery_order,
        &key,
    ]);
    let held_masks = held_masks(judged, &masks);
    let (open, close) = writer.names.around_ledger();
    let ledger = plan.entity.incremental().map(|_| Ledger {
        open,
        close,
        rows: indent(
            &writer
                .names
                .ledger(&plan.entity.name, &kept_columns(plan, judged)),
            2,
        ),
        same_key: condition(writer, &same_key(plan, "ledger", "coerced"), 4),
        contender: writer.list(&contested, 4),
        reached: if judged.uniques.is_empty() {
            "touched"
        } else {
            "alike"
        },
        from: held_from(judged, writer),
        route: indent(&writer.expr(&held_route(judged, &held_masks)), 2),
        masks: writer.select(&held_masks, 2),
        key: indent(&writer.expr(&held_key(plan, judged, &held_masks)), 2),
        key_is_repeated: condition(writer, &key_is_repeated, 2),
        is_lost: condition(writer, &is_lost, 2),
        is_delivery: condition(writer, &is_delivery, 2),
        run_at: writer.names.judged_at(),
        generation: writer.expr(&Expr::text(generation)),
    });
    Body {
        inline: writer.spelling.shared_cte,
        coerced: indent(&coerced_rows(plan, writer), 2),
        contenders: match plan.entity.incremental() {
            Some(_) => writer.names.contenders(),
            None => "coerced".to_owned(),
        },
        ledger,
        key: writer.list(&key, 4),
        carried: writer.list(if keeps_values { &values } else { &carried }, 4),
        values: keeps_values.then(|| writer.list(&values, 2)),
        fence: writer.spelling.fence,
        key_as_repeated: writer.select(
            &plan
                .entity
                .key
                .iter()
                .map(|key| (Expr::column(key), repeated_key(key)))
                .collect::<Vec<_>>(),
            4,
        ),
        has_key: condition(writer, &has_key, 4),
        key_is_repeated: condition(writer, &key_is_repeated, 4),
        key_was_repeated: writer
            .expr(&Expr::column(&repeated_key(&plan.entity.key[0])).is_not_null()),
        key_text: indent(&writer.expr(&key_text(plan, &has_key)), 4),
        key_can_repeat: judged.key_can_repeat,
        dedupes: !judged.dedupe_order.is_empty(),
        delivery: writer.list(&columns(&delivery), 4),
        delivery_as_lost: named("lost", &delivery),
        delivery_as_own: named("delivery", &delivery),
        row: writer.list(&columns(&row), 4),
        row_on_a_line: on_a_line(&columns(&row), writer),
        delivery_on_a_line: on_a_line(&columns(&delivery), writer),
        row_as_repeated: named("repeated", &row),
        row_is_repeated: condition(writer, &is("repeated", &row), 4),
        row_was_repeated: writer.expr(&Expr::column("_repeated_row_id").is_not_null()),
        contested: writer.list(&contested, 4),
        rank: indent(
            &writer.expr(&Expr::NewestFirst {
                partition,
                order: newest_first(plan, &judged.dedupe_order),
            }),
            4,
        ),
        key_of_winner: indent(&writer.expr(&key_of_winner(plan, &has_key)), 4),
        rivals: writer.list(&distinct([&columns(&delivery), &judged.delivery_order]), 4),
        delivery_rank: indent(
            &writer.expr(&Expr::NewestFirst {
                partition: columns(&row),
                order: newest_first(plan, &judged.delivery_order),
            }),
            4,
        ),
        is_lost: condition(writer, &is_lost, 4),
        was_lost: writer.expr(&Expr::column("_lost_row_id").is_not_null()),
        is_delivery: condition(writer, &is_delivery, 4),
        gates: indent(&writer.expr(&Expr::Mask(judged.gates.clone())), 4),
        rules: judged
            .rules
            .iter()
            .map(|rule| indent(&writer.aliased(&rule.violation, &rule.column), 4))
            .collect(),
        probes: probes(judged, writer),
        uniques: uniques(judged, writer),
        is_lost_deeper: condition(writer, &is_lost, 6),
        is_delivery_deeper: condition(writer, &is_delivery, 6),
        masks: writer.select(&masks, 4),
        mask_names: writer.list(&mask_columns, 2),
        route: indent(&writer.expr(&route(judged, &masks)), 2),
        since: since.map(|since| indent(&writer.expr(&since), 2)),
        kept_key: indent(&writer.expr(&kept_key(plan, judged, &masks)), 2),
        delivered: delivered(plan, writer),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}

/// What judged keeps of a delivery's values, and, where it is kept for later runs, the text by which
/// they find out what has arrived.
fn values(plan: &EntityPlan<'_>) -> Vec<Expr> {
    let fields = plan.entity.fields.iter();
    let mut values: Vec<Expr> = fields.map(|field| Expr::column(&field.name)).collect();
    values.push(Expr::column(INGESTED_AT));
    if plan.entity.incremental().is_some() {
        values.push(Expr::column(INGESTED_AT_TEXT));
    }
    values
}

/// The columns of an incremental entity's judged relation with a NULL of their type, in order.
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

fn same_key(plan: &EntityPlan<'_>, left: &str, right: &str) -> Expr {
    let keys = plan.entity.key.iter().map(|key| {
        Expr::qualified(left, key).compare(Comparison::Equal, Expr::qualified(right, key))
    });
    Expr::all(keys.collect())
}

fn on_a_line(columns: &[Expr], writer: &Writer<'_>) -> String {
    let columns: Vec<String> = columns.iter().map(|column| writer.expr(column)).collect();
    columns.join(", ")
}

/// What a source row is known by, with the end of its name where it stands for another relation's.
/// A single mapping has one source, which need not be compared.
fn row(plan: &EntityPlan<'_>) -> Vec<(&'static str, &'static str)> {
    let source = plan.coerced.is_merged.then_some(("_source", "source"));
    source
        .into_iter()
        .chain([(SOURCE_ROW_ID, "row_id")])
        .collect()
}

/// What a delivery of a source row is known by.
fn delivery(plan: &EntityPlan<'_>) -> Vec<(&'static str, &'static str)> {
    row(plan)
        .into_iter()
        .chain([(LOAD_ID, "load_id")])
        .collect()
}

/// The columns are those that another relation shows as `_<prefix>_…`.
fn is(prefix: &str, named: &[(&str, &str)]) -> Expr {
    let same = named.iter().map(|(column, short)| {
        let theirs = Expr::column(&format!("_{prefix}_{short}"));
        theirs.compare(Comparison::Equal, Expr::column(column))
    });
    Expr::all(same.collect())
}

/// A delivery that was brought back is as old as the one it repeats: at the same time it wins over no
/// other load, however that is called.
fn newest_first(plan: &EntityPlan<'_>, order: &[Expr]) -> Vec<Expr> {
    let load = Expr::column(LOAD_ID);
    let order = order.iter().map(|key| match &plan.history {
        Some(_) if *key == load => {
            let replay = Expr::text(REPLAY_LOAD);
            Expr::Call(Func::NullIf, vec![key.clone(), replay])
        }
        Some(_) | None => key.clone(),
    });
    order.collect()
}

fn columns(named: &[(&str, &str)]) -> Vec<Expr> {
    named
        .iter()
        .map(|(column, _)| Expr::column(column))
        .collect()
}

fn distinct<const N: usize>(lists: [&Vec<Expr>; N]) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for column in lists.into_iter().flatten() {
        if !found.contains(column) {
            found.push(column.clone());
        }
    }
    found
}

/// The key as one text, NULL when a part is.
fn key_text(plan: &EntityPlan<'_>, has_key: &Expr) -> Expr {
    match plan.entity.key.as_slice() {
        [only] => Expr::ToText(Expr::column(only).into()),
        _ => Expr::Case {
            arms: vec![(has_key.clone(), Expr::ToText(key_values(plan).into()))],
            otherwise: None,
        },
    }
}

/// The same, of a delivery that a better one of its key has not replaced.
fn key_of_winner(plan: &EntityPlan<'_>, has_key: &Expr) -> Expr {
    let is_winner = Expr::column("_lost_row_id").is_null();
    let (condition, key) = match plan.entity.key.as_slice() {
        [only] => (is_winner, Expr::ToText(Expr::column(only).into())),
        _ => (
            Expr::And(vec![is_winner, has_key.clone()]),
            Expr::ToText(key_values(plan).into()),
        ),
    };
    Expr::Case {
        arms: vec![(condition, key)],
        otherwise: None,
    }
}

/// `{"order_id": "A-1", "line_no": "1"}`
fn key_values(plan: &EntityPlan<'_>) -> Expr {
    Expr::JsonObject(
        plan.entity
            .key
            .iter()
            .map(|key| (key.clone(), Expr::ToText(Expr::column(key).into())))
            .collect(),
    )
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

fn stored_values(
    unique: &judged::Unique,
    stored: &str,
    depth: usize,
    writer: &Writer<'_>,
) -> String {
    let field = Expr::column(&unique.field);
    let mut filters = vec![field.clone().is_not_null()];
    filters.extend(unique.filter.clone());
    let shown = writer.expr(&field);
    let filter = condition(writer, &Expr::all(filters), 2);
    let rows = format!("SELECT\n  {shown}\nFROM {stored}\nWHERE\n  {filter}");
    indent(&rows, depth)
}

fn uniques(judged: &Judged, writer: &Writer<'_>) -> Vec<Unique> {
    let dedupes = !judged.dedupe_order.is_empty();
    let uniques = judged.uniques.iter().map(|unique| {
        let field = Expr::column(&unique.field);
        let mut survives = vec![field.clone().is_not_null()];
        survives.extend(unique.filter.clone());
        if dedupes {
            survives.push(Expr::column("_lost_row_id").is_null());
        }
        let is_older = vec![
            Expr::column("_is_older"),
            Expr::Literal(Literal::Bool(false)),
        ];
        survives.push(Expr::Call(Func::Coalesce, is_older).not());
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

fn unique_name(unique: &judged::Unique) -> String {
    format!("{}_values", unique.repeated)
}

fn probes(judged: &Judged, writer: &Writer<'_>) -> Vec<Probe> {
    let parents = judged.parents.iter().map(|parent| {
        let mut columns: Vec<(Expr, String)> = parent
            .columns
            .iter()
            .map(|(_, there, alias)| (Expr::column(there), alias.clone()))
            .collect();
        columns.push((Expr::Literal(Literal::Bool(true)), parent.found.clone()));
        let is_no_member = Expr::column(SOURCE_ROW_ID)
            .compare(Comparison::NotEqual, Expr::text(crate::ir::UNKNOWN_MEMBER));
        // A history may still hold a member that nobody points at any more.
        let filters: Vec<Expr> = match parent.scd {
            Scd::Type1 if parent.has_unknown_member => vec![is_no_member],
            Scd::Type1 => Vec::new(),
            Scd::Type2 => vec![Expr::column(VALID_TO).is_null(), is_no_member],
        };
        let on = parent
            .columns
            .iter()
            .map(|(here, _, alias)| {
                Expr::column(alias).compare(Comparison::Equal, Expr::column(here))
            })
            .collect();
        Probe {
            columns: writer.select(&columns, 6),
            from: writer.names.relation(&parent.entity, Relation::Entity),
            filter: (!filters.is_empty()).then(|| condition(writer, &Expr::all(filters), 6)),
            alias: parent.found.replacen("_found__", "_parents__", 1),
            on: condition(writer, &Expr::all(on), 4),
        }
    });
    parents.collect()
}

/// Every mask column with its expression over the verdicts; a disposition without rules is 0.
fn masks(judged: &Judged) -> Vec<(Expr, String)> {
    let mut columns: Vec<(String, Vec<(Expr, i64)>)> =
        ["_fail", "_quarantine", "_flag", "_undecided"]
            .map(|name| (name.to_owned(), Vec::new()))
            .into();
    let mut add = |column: &str, condition: Expr, bit: i64| {
        let index = columns
            .iter()
            .position(|(name, _)| name == column)
            .unwrap_or_else(|| {
                columns.push((column.to_owned(), Vec::new()));
                columns.len() - 1
            });
        let bits = &mut columns[index].1;
        match bits.iter_mut().find(|(known, _)| *known == condition) {
            Some((_, known)) => *known |= bit,
            None => bits.push((condition, bit)),
        }
    };
    for rule in &judged.rules {
        add(
            &rule.failed.column,
            Expr::column(&rule.column),
            rule.failed.value,
        );
    }
    for rule in &judged.rules {
        if let Some(condition) = undecided(rule, judged) {
            add(
                &rule.undecided_bit.column,
                condition,
                rule.undecided_bit.value,
            );
        }
    }
    columns.sort_by_key(|(name, _)| order_of(name));
    columns
        .into_iter()
        .map(|(name, bits)| (Expr::Cast(Expr::Mask(bits).into(), Type::Int), name))
        .collect()
}

fn order_of(mask: &str) -> (usize, String) {
    let kinds = ["_fail", "_quarantine", "_flag", "_undecided"];
    (
        kinds
            .iter()
            .position(|kind| mask.starts_with(kind))
            .unwrap_or(kinds.len()),
        mask.to_owned(),
    )
}

/// Rules of one field are undecided together: the first of them stands for all.
fn undecided(rule: &JudgedRule, judged: &Judged) -> Option<Expr> {
    match &rule.undecided {
        Undecided::Never => None,
        Undecided::Predicate => Some(Expr::column(&rule.column).is_null()),
        Undecided::WhereNull(_) => judged
            .rules
            .iter()
            .find(|other| other.undecided == rule.undecided)
            .map(|first| Expr::column(&first.column).is_null()),
    }
}

fn is_diverted(masks: &[(Expr, String)], comparison: Comparison) -> Vec<Expr> {
    masks
        .iter()
        .filter(|(_, name)| name.starts_with("_quarantine"))
        .map(|(_, name)| Expr::column(name).compare(comparison, Expr::int(0)))
        .collect()
}

/// A delivery that a better one of its key, or a newer one of its source row, has replaced is not
/// judged any more, however it would have fared.
fn route(judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut replaced = vec![Expr::column("_is_older")];
    if !judged.dedupe_order.is_empty() {
        replaced.insert(0, Expr::column("_is_superseded"));
    }
    let mut arms = vec![(Expr::any(replaced), Expr::text("deduped"))];
    let can_divert = judged
        .rules
        .iter()
        .any(|rule| rule.disposition == Disposition::Quarantine);
    if can_divert {
        arms.push((
            Expr::any(is_diverted(masks, Comparison::NotEqual)),
            Expr::text("quarantined"),
        ));
    }
    Expr::Case {
        arms,
        otherwise: Some(Expr::text("admitted").into()),
    }
}

/// The key of a row that somebody may have to look into.
fn kept_key(plan: &EntityPlan<'_>, judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut reasons = is_diverted(masks, Comparison::NotEqual);
    if judged.key_can_repeat {
        reasons.push(Expr::column("_key_repeats"));
    }
    Expr::Case {
        arms: vec![(Expr::any(reasons), key_values(plan))],
        otherwise: None,
    }
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
            let bit = rule.failed.value;
            let had = Expr::HasBit {
                mask: Expr::column(name).into(),
                bit,
            };
            let had = Expr::Mask(vec![(had, bit)]);
            let has = Expr::Mask(vec![(rule.violation.clone(), bit)]);
            mask = Expr::Arithmetic(mask.into(), Operator::Subtract, had.into());
            mask = Expr::Arithmetic(mask.into(), Operator::Add, has.into());
        }
        held.push((mask, name.clone()));
    }
    held
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
    let mut replaced = vec![Expr::column("_is_older")];
    if !judged.dedupe_order.is_empty() {
        replaced.insert(0, Expr::column("_lost_row_id").is_not_null());
    }
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

/// How many deliveries the bronze relations held when this was judged.
fn delivered(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let counts: Vec<String> = plan
        .coerced
        .inputs
        .iter()
        .map(|input| {
            format!(
                "(\n  SELECT\n    COUNT(*)\n  FROM {}\n)",
                writer.names.bronze(&input.source)
            )
        })
        .collect();
    lines(vec![counts.join(" + ")], 2)
}
