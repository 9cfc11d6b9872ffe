//! The body of a type 2 entity: the versions that begin with a run. Closing those that end is the
//! framework's, or `closed`.

use askama::Template;

use super::{RejectType, Writer, condition};
use crate::ir::{INGESTED_AT, LOAD_ID, SOURCE_ROW_ID, VALID_FROM, VALID_TO};
use crate::lower::EntityPlan;
use crate::lower::history::History;
use crate::sql::expr::{Comparison, Expr, Func};
use crate::sql::print::indent;
use crate::sql::types::Type;

#[derive(Template)]
#[template(path = "sql/history.sql", config = "templates/askama.toml")]
struct Body {
    admitted: String,
    versions: String,
    key: String,
    published: String,
    is_latest: String,
    has_ended: String,
    begins: String,
}

#[derive(Template)]
#[template(path = "sql/history_gates.sql", config = "templates/askama.toml")]
struct Gates<'a> {
    history: &'a str,
    key: &'a str,
}

/// When the newest version of the key that is closed ended.
const ENDED: &str = "_ended_at";

/// Who writes the ends of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The framework adds both columns.
    Framework,
    /// The query selects them.
    Query,
}

pub fn history(
    plan: &EntityPlan<'_>,
    history: &History,
    ends: Ends,
    writer: &Writer<'_>,
) -> String {
    let entity = plan.entity;
    let since = since_of(plan, history, "admitted");
    let mut published: Vec<(Expr, String)> = columns(plan)
        .into_iter()
        .map(|(name, _)| (Expr::qualified("admitted", &name), name))
        .collect();
    match ends {
        Ends::Framework => {}
        Ends::Query => {
            published.push((since.clone(), VALID_FROM.to_owned()));
            published.push((Expr::null(Type::Timestamp), VALID_TO.to_owned()));
        }
    }
    let key: Vec<Expr> = entity.key.iter().map(|key| Expr::column(key)).collect();
    Body {
        admitted: indent(&writer.names.admitted(plan, writer), 2),
        versions: indent(
            &writer
                .names
                .versions(&entity.name, &kept(plan, history, writer)),
            2,
        ),
        key: writer.list(&key, 4),
        published: writer.select(&published, 2),
        is_latest: condition(writer, &is_latest(plan), 2),
        has_ended: condition(writer, &Expr::all(same_key(plan, "ended")), 2),
        begins: condition(writer, &begins(history, &since), 2),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}

/// The columns of the entity and their types, without the ends of a version.
fn columns(plan: &EntityPlan<'_>) -> Vec<(String, RejectType)> {
    let plain = |name: &str, ty| (name.to_owned(), RejectType::Plain(ty));
    let fields = plan.entity.fields.iter();
    let mut columns: Vec<(String, RejectType)> =
        fields.map(|field| plain(&field.name, field.ty)).collect();
    if plan.coerced.is_merged {
        columns.push(plain("_source", Type::String));
    }
    columns.push(plain(INGESTED_AT, Type::Timestamp));
    columns.push(plain(LOAD_ID, Type::String));
    columns.push(plain(SOURCE_ROW_ID, Type::String));
    if plan.entity.quality.is_some() {
        columns.push(("_quality_flags".to_owned(), RejectType::Names));
        columns.push(plain("_quality_ok", Type::Bool));
    }
    columns
}

/// The columns of the history and their types.
#[must_use]
pub fn history_columns(plan: &EntityPlan<'_>) -> Vec<(String, RejectType)> {
    let ends = [VALID_FROM, VALID_TO];
    let ends = ends.map(|name| (name.to_owned(), RejectType::Plain(Type::Timestamp)));
    let mut columns = columns(plan);
    columns.extend(ends);
    columns
}

/// The columns of the history that a new version is compared with, and their types.
fn kept(plan: &EntityPlan<'_>, history: &History, writer: &Writer<'_>) -> Vec<(String, String)> {
    let name_of = writer.spelling.type_name;
    let fields = plan.entity.fields.iter().filter(|field| {
        plan.entity.key.contains(&field.name) || history.values.contains(&field.name)
    });
    let ends = [VALID_FROM, VALID_TO].map(|name| (name.to_owned(), name_of(Type::Timestamp)));
    fields
        .map(|field| (field.name.clone(), name_of(field.ty)))
        .chain(ends)
        .collect()
}

fn same_key(plan: &EntityPlan<'_>, relation: &str) -> Vec<Expr> {
    let same = |key: &String| {
        Expr::qualified(relation, key).compare(Comparison::Equal, Expr::qualified("admitted", key))
    };
    plan.entity.key.iter().map(same).collect()
}

fn is_latest(plan: &EntityPlan<'_>) -> Expr {
    let mut all = same_key(plan, "latest");
    all.push(Expr::qualified("latest", VALID_TO).is_null());
    Expr::all(all)
}

/// A version begins where the key has none, or another one that is not newer. One that began at the
/// same instant is replaced: it was valid for no time.
fn begins(history: &History, since: &Expr) -> Expr {
    let not_before = |end: Expr| since.clone().compare(Comparison::GreaterOrEqual, end);
    let ended = Expr::qualified("ended", ENDED);
    let follows = Expr::Or(vec![ended.clone().is_null(), not_before(ended)]);
    let began = Expr::qualified("latest", VALID_FROM);
    let differs = history.values.iter().map(|name| {
        let of = |relation: &str| Box::new(Expr::qualified(relation, name));
        Expr::Differs(of("admitted"), of("latest"))
    });
    let mut replaces = vec![not_before(began.clone())];
    if let Some(recency) = &history.recency {
        let of = |relation: &str| Expr::qualified(relation, recency);
        replaces.push(Expr::Or(vec![
            of("latest").is_null(),
            of("admitted").compare(Comparison::GreaterOrEqual, of("latest")),
        ]));
    }
    replaces.push(Expr::any(differs.collect()));
    Expr::And(vec![
        follows,
        Expr::Or(vec![began.is_null(), Expr::And(replaces)]),
    ])
}

/// The key of a version as judged writes it, for a relation called `of`.
pub fn key_values(plan: &EntityPlan<'_>, of: &str, writer: &Writer<'_>) -> String {
    let parts = plan.entity.key.iter().map(|key| {
        let text = Expr::ToText(Expr::qualified(of, key).into());
        (key.clone(), text)
    });
    writer.expr(&Expr::JsonObject(parts.collect()))
}

/// When the version that an admitted row brings begins.
fn since_of(plan: &EntityPlan<'_>, history: &History, relation: &str) -> Expr {
    or_always(plan, history.since(relation))
}

/// The same over the entity's own columns.
pub fn since(plan: &EntityPlan<'_>, history: &History, writer: &Writer<'_>) -> String {
    writer.expr(&or_always(plan, history.since_here()))
}

/// The unknown member was delivered by nobody.
fn or_always(plan: &EntityPlan<'_>, since: Expr) -> Expr {
    match plan.entity.has_unknown_member {
        true => Expr::Call(Func::Coalesce, vec![since, History::always()]),
        false => since,
    }
}

/// The facts that no history may show; `key` is a list of columns.
pub fn history_gates(history: &str, key: &str) -> String {
    let body = Gates { history, key };
    body.render()
        .expect("a template over prepared text cannot fail")
        .trim_end()
        .to_owned()
}
