//! What a replay needs beside the bodies that the build has.

use std::collections::BTreeSet;

use askama::Template;

use super::{Writer, condition, identity};
use crate::ir::{Disposition, LOAD_ID, SOURCE_ROW_ID, UNKNOWN_MEMBER};
use crate::lower::EntityPlan;
use crate::lower::coerced::Input;
use crate::lower::judged::Judged;
use crate::sql::expr::{Comparison, Expr, Func, Segment};
use crate::sql::print::indent;

#[derive(Template)]
#[template(path = "sql/held.sql", config = "templates/askama.toml")]
struct Held<'a> {
    columns: String,
    reject: &'a str,
    source: String,
    stored: &'a str,
    orphans: Option<Orphans>,
}

/// Admitted rows that point at no parent: a lookup that failed may not fail any more.
struct Orphans {
    columns: String,
    bronze: String,
    are_flagged: String,
}

/// The rejected deliveries of a source, each with the columns that its mapping names.
#[must_use]
pub fn held(
    plan: &EntityPlan<'_>,
    judged: &Judged,
    input: usize,
    (reject, stored): (&str, &str),
    writer: &Writer<'_>,
) -> String {
    let source: &Input = &plan.coerced.inputs[input];
    let raw = Expr::qualified("held", "raw");
    let columns: Vec<(Expr, String)> = judged.raw[input]
        .iter()
        .map(|(name, _)| {
            let member = Expr::JsonMember {
                document: raw.clone().into(),
                paths: Vec::new(),
                path: vec![Segment::Key(name.clone())],
            };
            (member, name.clone())
        })
        .collect();
    text(&Held {
        columns: writer.select(&columns, 2),
        reject,
        source: writer.expr(&Expr::text(&source.source)),
        stored,
        orphans: orphans(plan, judged, input, writer),
    })
}

fn orphans(
    plan: &EntityPlan<'_>,
    judged: &Judged,
    input: usize,
    writer: &Writer<'_>,
) -> Option<Orphans> {
    let rules = judged.rules.iter().filter(|rule| rule.is_lookup);
    let flagged: Vec<String> = rules
        .filter(|rule| match rule.disposition {
            Disposition::Flag | Disposition::UnknownMember => true,
            Disposition::Fail | Disposition::Quarantine => false,
        })
        .map(|rule| format!("'{}' = ANY(stored._quality_flags)", rule.name))
        .collect();
    if flagged.is_empty() {
        return None;
    }
    let source = &plan.coerced.inputs[input].source;
    let columns: Vec<Expr> = judged.raw[input]
        .iter()
        .map(|(name, _)| Expr::ToText(Expr::qualified("delivered", name).into()))
        .collect();
    let flagged = match flagged.as_slice() {
        [only] => only.clone(),
        _ => format!("({})", flagged.join(" OR ")),
    };
    Some(Orphans {
        columns: writer.list(&columns, 2),
        bronze: writer.names.bronze(source),
        are_flagged: match plan.coerced.is_merged {
            true => format!(
                "stored._source = {} AND {flagged}",
                writer.expr(&Expr::text(source))
            ),
            false => flagged,
        },
    })
}

#[derive(Template)]
#[template(path = "sql/contest.sql", config = "templates/askama.toml")]
struct Contest<'a> {
    columns: String,
    passing: &'a str,
    entity: &'a str,
    same_key: String,
    same_delivery: String,
    identity: String,
    place: String,
}

/// Which of the rows of a key stay, by the order that dedupes. Rows without a key of their own have no
/// rival.
#[must_use]
pub fn contest(
    plan: &EntityPlan<'_>,
    judged: &Judged,
    passing: &str,
    entity: &str,
    writer: &Writer<'_>,
) -> String {
    let key: Vec<Expr> = plan
        .entity
        .key
        .iter()
        .map(|key| Expr::column(key))
        .collect();
    let identity: Vec<Expr> = identity(plan)
        .iter()
        .map(|name| Expr::column(name))
        .collect();
    let mut columns = key.clone();
    for column in identity.iter().chain(&judged.dedupe_order) {
        if !columns.contains(column) {
            columns.push(column.clone());
        }
    }
    let is_own = key.iter().flat_map(|key| {
        let known = super::replaced_keys(plan)
            .iter()
            .any(|name| *key == Expr::column(name));
        let known = known.then(|| {
            key.clone()
                .compare(Comparison::NotEqual, Expr::text(UNKNOWN_MEMBER))
        });
        [Some(key.clone().is_not_null()), known]
            .into_iter()
            .flatten()
    });
    let alone = Expr::Call(
        Func::Concat,
        vec![
            Expr::ToText(Expr::column(SOURCE_ROW_ID).into()),
            Expr::text(" "),
            Expr::ToText(Expr::column(LOAD_ID).into()),
        ],
    );
    let source = plan.coerced.is_merged.then(|| Expr::column("_source"));
    let mut partition: Vec<Expr> = source.into_iter().chain(key.clone()).collect();
    partition.push(Expr::Case {
        arms: vec![(Expr::all(is_own.collect()).not(), alone)],
        otherwise: None,
    });
    let same_key = plan.entity.key.iter().map(|key| {
        Expr::qualified("passing", key).compare(Comparison::Equal, Expr::qualified("entity", key))
    });
    let same_delivery = identity
        .iter()
        .map(|column| match column {
            Expr::Column(column) => Expr::qualified("passing", &column.name)
                .compare(Comparison::Equal, Expr::qualified("entity", &column.name)),
            other => other.clone(),
        })
        .collect();
    text(&Contest {
        columns: writer.list(&columns, 4),
        passing,
        entity,
        same_key: condition(writer, &Expr::all(same_key.collect()), 8),
        same_delivery: condition(writer, &Expr::all(same_delivery), 8),
        identity: writer.list(&identity, 2),
        place: match judged.dedupe_order.is_empty() {
            true => "1".to_owned(),
            false => indent(
                &writer.expr(&Expr::NewestFirst {
                    partition,
                    order: judged.dedupe_order.clone(),
                }),
                2,
            ),
        },
    })
}

/// An entity in the order of replays, and what a framework wants to know of it.
pub struct InOrder<T> {
    name: String,
    parents: Vec<String>,
    /// `None` where nothing can be rejected.
    replayed: Option<T>,
}

impl<T> InOrder<T> {
    pub fn new(plan: &EntityPlan<'_>, replayed: Option<T>) -> Self {
        let parents = plan.judged.iter().flat_map(|judged| &judged.parents);
        Self {
            name: plan.entity.name.clone(),
            parents: parents.map(|parent| parent.entity.clone()).collect(),
            replayed,
        }
    }
}

/// The entities whose rejected rows can be replayed, parents before their children.
#[must_use]
pub fn parents_first<T>(entities: Vec<InOrder<T>>) -> Vec<T> {
    let mut done: Vec<InOrder<T>> = Vec::new();
    let mut waiting = entities;
    while !waiting.is_empty() {
        let names: BTreeSet<String> = waiting.iter().map(|entity| entity.name.clone()).collect();
        let is_ready = |entity: &InOrder<T>| {
            let mut parents = entity.parents.iter();
            !parents.any(|parent| names.contains(parent))
        };
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_ready);
        // `check` has refused circles.
        if ready.is_empty() {
            done.extend(rest);
            break;
        }
        done.extend(ready);
        waiting = rest;
    }
    let replayed = done.into_iter().map(|entity| entity.replayed);
    replayed.flatten().collect()
}

fn text(template: &impl Template) -> String {
    let text = template.render();
    let text = text.expect("a template over prepared text cannot fail");
    text.trim_end().to_owned()
}

/// How a framework names the parts of the statements in `templates/sql/replay`.
pub struct Words {
    pub rows: String,
    pub stored: String,
    pub judged: String,
    pub reject: String,
    pub same: String,
    pub admitted: String,
    pub contest: String,
    pub news: String,
    pub key: String,
    pub key_and_identity: String,
    pub own_key: String,
    pub now: String,
    pub judged_now: String,
    pub columns: String,
    pub judged_columns: String,
}

impl Words {
    /// `written` makes a name that the framework's own language fills in.
    #[must_use]
    pub fn new(written: impl Fn(&str) -> String) -> Self {
        Self {
            rows: written("rows"),
            stored: written("stored"),
            judged: written("judged"),
            reject: written("reject"),
            same: written("same"),
            admitted: written("admitted"),
            contest: written("contest"),
            news: written("news"),
            key: written("key"),
            key_and_identity: written("key_and_identity"),
            own_key: written("own_key"),
            now: written("now"),
            judged_now: written("judged_now"),
            columns: written("columns"),
            judged_columns: written("judged_columns"),
        }
    }
}
