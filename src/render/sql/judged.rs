//! The body that judges every delivery once.

mod ledger;
pub(super) mod masks;
mod unique;

use askama::Template;

pub use self::ledger::ledger_columns;
use self::ledger::{Ledger, Shared};
use self::masks::{is_diverted, masks};
pub use self::unique::compared;
use self::unique::{Unique, uniques};

use super::{Relation, Writer, coerced_rows, condition, keeps_values, lines};
use crate::ir::{Disposition, INGESTED_AT, LOAD_ID, REPLAY_LOAD, SOURCE_ROW_ID, Scd, VALID_TO};
use crate::lower::EntityPlan;
use crate::lower::coerced::INGESTED_AT_TEXT;
use crate::lower::helper::{digest, helper};
use crate::lower::history::History;
use crate::lower::judged::Judged;
use crate::sql::expr::{Comparison, Expr, Func};
use crate::sql::print::indent;

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
    is_delivery_deeper: String,
    probes: Vec<Probe>,
    masks: String,
    mask_names: String,
    route: String,
    kept_key: String,
    since: Option<String>,
    delivered: String,
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
    let shared = Shared {
        contested: &contested,
        masks: &masks,
        key_is_repeated: &key_is_repeated,
        is_delivery: &is_delivery,
    };
    let is_incremental = plan.entity.incremental().is_some();
    let ledger = is_incremental.then(|| ledger::ledger(plan, judged, &shared, generation, writer));
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

fn probes(judged: &Judged, writer: &Writer<'_>) -> Vec<Probe> {
    let parents = judged.parents.iter().map(|parent| {
        let columns: Vec<(Expr, String)> = parent
            .columns
            .iter()
            .map(|(_, there, alias)| (Expr::column(there), alias.clone()))
            .collect();
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
            alias: parent.probe.clone(),
            on: condition(writer, &Expr::all(on), 4),
        }
    });
    parents.collect()
}

/// A delivery that a better one of its key, or a newer one of its source row, has replaced is not
/// judged any more, however it would have fared.
fn route(judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut arms = vec![(Expr::column("_is_replaced"), Expr::text("deduped"))];
    let can_divert = judged
        .rules
        .iter()
        .any(|rule| rule.disposition == Disposition::Quarantine);
    if can_divert {
        arms.push((Expr::any(is_diverted(masks)), Expr::text("quarantined")));
    }
    Expr::Case {
        arms,
        otherwise: Some(Expr::text("admitted").into()),
    }
}

/// The key of a row that somebody may have to look into.
fn kept_key(plan: &EntityPlan<'_>, judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut reasons = is_diverted(masks);
    if judged.key_can_repeat {
        reasons.push(Expr::column("_key_repeats"));
    }
    Expr::Case {
        arms: vec![(Expr::any(reasons), key_values(plan))],
        otherwise: None,
    }
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
