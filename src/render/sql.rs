//! The SQL of the relations, shared word for word by both frameworks: prepared pieces for the
//! templates in `templates/sql/`.

mod asserts;
mod calendar;
mod ceiling;
mod checks;
mod coerced;
mod entity;
mod gates;
mod history;
mod indexes;
mod input_is_valid;
mod judged;
mod rails;
mod redelivery;
mod reject;
mod replay;
mod retention;
mod runs;

pub use asserts::asserts;
pub use calendar::{CALENDAR, calendar, calendar_description};
pub use ceiling::{Limit, ceiling};
pub use checks::{check, check_description};
pub use coerced::coerced;
pub use entity::{entity, entity_columns};
pub use gates::gates;
pub use history::{Ends, history, history_columns, history_gates, key_values, since};
pub use indexes::{Index, Uniqueness, indexes};
pub use input_is_valid::input_is_valid;
pub use judged::{compared, generation, judged, ledger_columns};
pub use rails::{Candidate, rails};
pub use redelivery::redeliveries;
pub use reject::{REJECT_COLUMNS, RejectType, reject};
pub use replay::{InOrder, Words, contest, held, parents_first};
pub use retention::retentions;
pub use runs::{
    GATES_OF_JUDGED, MART, QUALITY_RUNS, QUALITY_SUMMARY, check_verdict, no_delivery, outcome,
    quality_summary, rule_set, rule_set_of_check, verdicts,
};

use crate::ir::{INGESTED_AT, LOAD_ID, SOURCE_ROW_ID, Scope, UNKNOWN_MEMBER};
use crate::lower::judged::JudgedRule;
use crate::lower::{EntityPlan, Plan, is_judged};
use crate::sql::dialect::Spelling;
use crate::sql::expr::{Accept, Column, Comparison, DateFormat, Expr, Unit};
use crate::sql::print::{self, Style, indent};
use crate::sql::spell::spell;

/// Sources of the mappings whose rows a rule judges.
#[must_use]
pub fn mappings_of<'a>(plan: &'a EntityPlan<'_>, rule: &JudgedRule) -> Vec<&'a str> {
    let all = plan.coerced.inputs.iter().enumerate();
    all.filter(|(index, _)| match rule.scope {
        Scope::Mapping(own) => own == *index,
        Scope::Entity => true,
    })
    .map(|(_, input)| input.source.as_str())
    .collect()
}

/// Some rule or check is counted in `mart_data_quality`.
#[must_use]
pub fn is_counted(plan: &Plan<'_>) -> bool {
    plan.project.entities.iter().any(is_judged) || !plan.checks.is_empty()
}

/// One of an entity's generated relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Entity,
    Judged,
    Reject,
}

/// The name of a relation of `entity`.
#[must_use]
pub fn relation_name(entity: &str, relation: Relation) -> String {
    match relation {
        Relation::Entity => entity.to_owned(),
        Relation::Judged => format!("{entity}__judged"),
        Relation::Reject => format!("{entity}__reject"),
    }
}

/// How a framework writes what is not SQL: references to relations and the time of the run.
pub trait Names {
    fn bronze(&self, source: &str) -> String;
    fn relation(&self, entity: &str, relation: Relation) -> String;
    /// The deliveries that a run judges: a bronze relation, or what of it has arrived.
    fn deliveries(&self, source: &str) -> String;
    /// The condition that picks what has arrived, where `deliveries` is all of bronze.
    fn arrived(&self, plan: &EntityPlan<'_>) -> Option<String>;
    /// A SELECT of all coerced rows of an entity; `None` where its text stands in place.
    fn coerced(&self, plan: &EntityPlan<'_>) -> Option<String>;
    /// The relation that a run has judged into.
    fn judged(&self, entity: &str) -> String;
    /// What stands before and behind the parts of a statement that read the ledger.
    fn around_ledger(&self) -> (&'static str, &'static str);
    /// The CTE of all deliveries that compete with each other.
    fn contenders(&self) -> String;
    /// SELECT of what the judged relation of an incremental entity holds from earlier runs, but for rows
    /// that stopped one: the next run reads all of bronze, and those that have gone from there must
    /// not compete any more.
    fn ledger(&self, entity: &str, columns: &[String]) -> String;
    /// The stored rows that a replay compares those it judges with, and a SELECT of them behind
    /// another, there in a replay only.
    fn stored(&self) -> &'static str;
    fn where_stored(&self, select: &str) -> String;
    /// The end of a condition over judged: only what was judged since the reader was last written.
    /// `and` joins it to what stands before.
    fn since(&self, and: &str) -> String;
    /// A zoneless UTC timestamp, constant through the run.
    fn run_at(&self) -> String;
    /// The same, in microseconds, so that no two runs share it.
    fn judged_at(&self) -> String;
    /// SELECT of what the reject relation holds from earlier runs.
    fn held(&self, entity: &str) -> String;
    /// SELECT of the admitted rows of an entity whose relation is not they alone.
    fn admitted(&self, plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String;
    /// SELECT of these columns of the versions that the history of an entity holds; columns come
    /// with the name of their type.
    fn versions(&self, entity: &str, columns: &[(String, String)]) -> String;
    /// Makes what stands behind `start` safe from the framework's own templates.
    fn escape(&self, sql: &mut String, start: usize);
}

/// What tells one delivery from all others.
pub const DELIVERY: [&str; 3] = ["_source", SOURCE_ROW_ID, LOAD_ID];

/// The same within one entity, where a single source needs no name.
#[must_use]
pub fn identity(plan: &EntityPlan<'_>) -> &'static [&'static str] {
    match plan.coerced.is_merged {
        true => &DELIVERY,
        false => &DELIVERY[1..],
    }
}

/// Prints expressions for one engine and one framework.
pub struct Writer<'a> {
    pub spelling: &'a Spelling,
    pub style: Style,
    pub names: &'a dyn Names,
}

impl Writer<'_> {
    fn expr(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(expr, &mut out);
        out
    }

    fn write(&self, expr: &Expr, out: &mut String) {
        let start = out.len();
        if let Expr::Column(Column { relation, name }) = expr {
            // Most are names alone, which no dialect spells otherwise.
            print::write_name(relation.iter().chain([name]), out);
        } else {
            print::write(&spell(expr, self.spelling), self.style, out);
        }
        self.names.escape(out, start);
    }

    /// `expr AS "name"`, or the name alone where it already says it.
    fn aliased(&self, expr: &Expr, name: &str) -> String {
        let mut out = String::new();
        self.write_aliased(expr, name, &mut out);
        out
    }

    fn write_aliased(&self, expr: &Expr, name: &str, out: &mut String) {
        self.write(expr, out);
        let says_it = matches!(expr, Expr::Column(column) if column.name == name);
        if !says_it {
            out.push_str(" AS ");
            self.write(&Expr::column(name), out);
        }
    }

    /// A select list, an item a line, for a place `depth` spaces in.
    fn select(&self, columns: &[(Expr, String)], depth: usize) -> String {
        let mut out = String::new();
        for (index, (expr, name)) in columns.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ",\n" });
            self.write_aliased(expr, name, &mut out);
        }
        indent(&out, depth)
    }

    fn list(&self, exprs: &[Expr], depth: usize) -> String {
        let mut out = String::new();
        for (index, expr) in exprs.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ",\n" });
            self.write(expr, &mut out);
        }
        indent(&out, depth)
    }
}

/// The parts of the key that an orphan's row has replaced by the unknown member.
#[must_use]
pub fn replaced_keys(plan: &EntityPlan<'_>) -> Vec<String> {
    let rules: Vec<&JudgedRule> = plan
        .judged
        .iter()
        .flat_map(|judged| &judged.rules)
        .collect();
    let is_replaced = |key: &&String| rules.iter().any(|rule| rule.rewrites.contains(key));
    plan.entity
        .key
        .iter()
        .filter(is_replaced)
        .cloned()
        .collect()
}

/// The rows whose key is their own: those where no part was replaced by the unknown member.
#[must_use]
pub fn known(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let known = replaced_keys(plan)
        .into_iter()
        .map(|key| Expr::column(&key).compare(Comparison::NotEqual, Expr::text(UNKNOWN_MEMBER)));
    writer.expr(&Expr::all(known.collect()))
}

/// The arrival of a delivery as the text it came as, in an order that no locale changes.
#[must_use]
pub fn arrival_text(writer: &Writer<'_>, column: &str) -> String {
    writer.expr(&Expr::ToText(Expr::column(column).into()))
}

/// The arrival of a delivery as the pipeline reads it; NULL for what it does not take.
#[must_use]
pub fn arrival(writer: &Writer<'_>) -> String {
    writer.expr(&Expr::Parse(
        Expr::ToText(Expr::column(INGESTED_AT).into()).into(),
        Accept::Timestamp {
            format: DateFormat::Iso,
            zone: None,
        },
    ))
}

/// The interval of an hour.
#[must_use]
pub fn hour(writer: &Writer<'_>) -> String {
    print::print(&(writer.spelling.interval)(1, Unit::Hour), writer.style)
}

/// Judged has the typed values: reading them costs less than computing them again, what they were
/// computed from may be gone, or they are compared with what is published.
fn keeps_values(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> bool {
    writer.spelling.judged_keeps_values
        || plan.entity.incremental().is_some()
        || plan.entity.rails.is_some()
}

/// The body of `coerced` as the relations that read it have it.
fn coerced_rows(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let rows = writer.names.coerced(plan);
    rows.unwrap_or_else(|| coerced(plan, writer))
}

/// Items a line each, separated by commas, continued `depth` spaces in.
fn lines(items: Vec<String>, depth: usize) -> String {
    indent(&items.join(",\n"), depth)
}

/// A condition for a WHERE or ON that stands `depth` spaces in.
fn condition(writer: &Writer<'_>, expr: &Expr, depth: usize) -> String {
    indent(&writer.expr(expr), depth)
}
