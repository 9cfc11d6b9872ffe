//! The body that judges every delivery once.

use askama::Template;

use super::{Relation, Writer, condition, lines};
use crate::ir::{Disposition, SOURCE_ROW_ID};
use crate::lower::EntityPlan;
use crate::lower::judged::{Judged, JudgedRule};
use crate::lower::predicate::Undecided;
use crate::sql::expr::{Comparison, Expr};
use crate::sql::print::indent;
use crate::sql::types::Type;

#[derive(Template)]
#[template(path = "sql/judged.sql", config = "templates/askama.toml")]
struct Body {
    inline: &'static str,
    coerced: String,
    key: String,
    key_as_repeated: String,
    has_key: String,
    key_is_repeated: String,
    key_was_repeated: String,
    key_text: String,
    key_can_repeat: bool,
    dedupes: bool,
    rank: String,
    delivery_order: String,
    delivery_rank: String,
    is_lost: String,
    was_lost: String,
    is_delivery: String,
    was_redelivered: String,
    gates: String,
    rules: Vec<String>,
    probes: Vec<Probe>,
    masks: String,
    mask_names: String,
    route: String,
    kept_key: String,
    delivered: String,
}

struct Probe {
    distinct: bool,
    columns: String,
    from: String,
    filter: Option<String>,
    group: Option<String>,
    alias: String,
    on: String,
}

pub fn judged(plan: &EntityPlan<'_>, judged: &Judged, writer: &Writer<'_>) -> String {
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
    let identity = |source: &str, row: &str, load: &str| {
        Expr::And(vec![
            same(source, "_source"),
            same(row, "_source_row_id"),
            same(load, "_load_id"),
        ])
    };
    let repeated_key = |name: &str| format!("_key__{name}");
    let key_is_repeated = Expr::all(
        plan.entity
            .key
            .iter()
            .map(|key| same(&repeated_key(key), key))
            .collect(),
    );
    let masks = masks(judged);
    let mask_columns: Vec<Expr> = masks.iter().map(|(_, name)| Expr::column(name)).collect();
    let mut partition = vec![Expr::column("_source")];
    partition.extend(key.clone());
    Body {
        inline: writer.spelling.inline_cte,
        coerced: indent(&writer.names.coerced(&plan.entity.name), 2),
        key: writer.list(&key, 4),
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
        rank: indent(
            &writer.expr(&Expr::NewestFirst {
                partition,
                order: judged.dedupe_order.clone(),
            }),
            4,
        ),
        delivery_order: writer.list(
            &judged
                .delivery_order
                .iter()
                .filter(|key| **key != Expr::column("_load_id"))
                .cloned()
                .collect::<Vec<_>>(),
            4,
        ),
        delivery_rank: indent(
            &writer.expr(&Expr::NewestFirst {
                partition: vec![Expr::column("_source"), Expr::column(SOURCE_ROW_ID)],
                order: judged.delivery_order.clone(),
            }),
            4,
        ),
        is_lost: condition(
            writer,
            &identity("_lost_source", "_lost_row_id", "_lost_load_id"),
            4,
        ),
        was_lost: writer.expr(&Expr::column("_lost_row_id").is_not_null()),
        is_delivery: condition(
            writer,
            &identity("_delivery_source", "_delivery_row_id", "_delivery_load_id"),
            4,
        ),
        was_redelivered: writer.expr(&Expr::column("_delivery_row_id").is_not_null()),
        gates: indent(&writer.expr(&Expr::Mask(judged.gates.clone())), 4),
        rules: judged
            .rules
            .iter()
            .map(|rule| indent(&writer.aliased(&rule.violation, &rule.column), 4))
            .collect(),
        probes: probes(judged, writer),
        masks: writer.select(&masks, 4),
        mask_names: writer.list(&mask_columns, 2),
        route: indent(&writer.expr(&route(judged, &masks)), 2),
        kept_key: indent(&writer.expr(&kept_key(plan, judged, &masks)), 2),
        delivered: delivered(plan, writer),
    }
    .render()
    .expect("a template over prepared text cannot fail")
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
    let unique = judged.uniques.iter().map(|unique| {
        let mut filters = vec![Expr::column(&unique.field).is_not_null()];
        filters.extend(unique.filter.clone());
        let from = if judged.dedupe_order.is_empty() {
            "coerced".to_owned()
        } else {
            let lost = Expr::And(vec![
                Expr::column("_lost_source").compare(Comparison::Equal, Expr::column("_source")),
                Expr::column("_lost_row_id")
                    .compare(Comparison::Equal, Expr::column("_source_row_id")),
                Expr::column("_lost_load_id").compare(Comparison::Equal, Expr::column("_load_id")),
            ]);
            filters.push(Expr::column("_lost_row_id").is_null());
            format!(
                "coerced\n    LEFT JOIN superseded\n      ON {}",
                condition(writer, &lost, 6)
            )
        };
        Probe {
            distinct: false,
            columns: writer.aliased(&Expr::column(&unique.field), &unique.repeated),
            from,
            filter: Some(condition(writer, &Expr::all(filters), 6)),
            group: Some(writer.expr(&Expr::column(&unique.field))),
            alias: format!("{}_values", unique.repeated),
            on: condition(
                writer,
                &Expr::column(&unique.repeated)
                    .compare(Comparison::Equal, Expr::column(&unique.field)),
                4,
            ),
        }
    });
    let parents = judged.parents.iter().map(|parent| {
        let mut columns: Vec<(Expr, String)> = parent
            .columns
            .iter()
            .map(|(_, there, alias)| (Expr::column(there), alias.clone()))
            .collect();
        columns.push((
            Expr::Literal(crate::sql::literal::Literal::Bool(true)),
            parent.found.clone(),
        ));
        let is_member = Expr::column(SOURCE_ROW_ID)
            .compare(Comparison::NotEqual, Expr::text(crate::ir::UNKNOWN_MEMBER));
        let on = parent
            .columns
            .iter()
            .map(|(here, _, alias)| {
                Expr::column(alias).compare(Comparison::Equal, Expr::column(here))
            })
            .collect();
        Probe {
            distinct: true,
            columns: writer.select(&columns, 6),
            from: writer.names.relation(&parent.entity, Relation::Entity),
            filter: parent
                .has_unknown_member
                .then(|| condition(writer, &is_member, 6)),
            group: None,
            alias: parent.found.replacen("_found__", "_parents__", 1),
            on: condition(writer, &Expr::all(on), 4),
        }
    });
    unique.chain(parents).collect()
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

fn route(judged: &Judged, masks: &[(Expr, String)]) -> Expr {
    let mut arms = Vec::new();
    if !judged.dedupe_order.is_empty() {
        arms.push((Expr::column("_is_superseded"), Expr::text("deduped")));
    }
    if !judged
        .rules
        .iter()
        .any(|rule| rule.disposition == Disposition::Quarantine)
    {
        return match arms.is_empty() {
            true => Expr::text("admitted"),
            false => Expr::Case {
                arms,
                otherwise: Some(Expr::text("admitted").into()),
            },
        };
    }
    arms.push((
        Expr::all(is_diverted(masks, Comparison::Equal)),
        Expr::text("admitted"),
    ));
    arms.push((Expr::column("_is_older"), Expr::text("deduped")));
    Expr::Case {
        arms,
        otherwise: Some(Expr::text("quarantined").into()),
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
