//! What the judged relation of an entity is made of: order keys, probes, rules and where each rule's
//! verdict is kept.

use super::coerced::{Coerced, INGESTED_AT_TEXT};
use super::helper::helper;
use super::predicate::{self, Undecided};
use crate::ir::{
    Dedupe, Disposition, Entity, INGESTED_AT, LOAD_ID, Mapping, OrderColumn, Project, RuleKind,
    SOURCE_ROW_ID, Scd, Scope, SourcePath, UNKNOWN_MEMBER,
};
use crate::sql::expr::{Comparison, Expr, Segment};

/// The bit of `_gates` that says a delivery came twice in one load.
pub const REPEATED: i64 = 128;

/// Rules in one mask word: a BIGINT keeps its sign bit free.
const BITS: usize = 60;

#[derive(Debug)]
pub struct Judged {
    /// Rows of one key are told apart by this, newest first; empty without `dedupe`.
    pub dedupe_order: Vec<Expr>,
    /// Deliveries of one source row, newest first.
    pub delivery_order: Vec<Expr>,
    pub parents: Vec<Parent>,
    pub uniques: Vec<Unique>,
    /// Sorted by name; the order in which names are listed everywhere.
    pub rules: Vec<JudgedRule>,
    /// The ingestion-metadata facts about a row, as bits of `_gates`.
    pub gates: Vec<(Expr, i64)>,
    /// One for each mapping.
    pub raw: Vec<Vec<(String, Expr)>>,
    /// Some rule can divert a row: there is a reject relation.
    pub has_reject: bool,
    /// Two admitted rows could carry one key: no dedupe, or several sources.
    pub key_can_repeat: bool,
}

/// An entity that foreign keys are looked up in.
#[derive(Debug)]
pub struct Parent {
    /// The probe's name: its columns are those of an admitted row, or NULL.
    pub probe: String,
    pub entity: String,
    pub scd: Scd,
    pub has_unknown_member: bool,
    /// (field here, field of the parent, alias of the parent's field in the probe)
    pub columns: Vec<(String, String, String)>,
}

/// The values of a field that occur more than once.
#[derive(Debug)]
pub struct Unique {
    pub repeated: String,
    pub field: String,
    pub filter: Option<Expr>,
}

#[derive(Debug)]
pub struct JudgedRule {
    pub name: String,
    pub disposition: Disposition,
    pub scope: Scope,
    pub violation: Expr,
    pub undecided: Undecided,
    /// Column that holds the verdict while masks are made: `_fails__<rule>`.
    pub column: String,
    pub failed: Bit,
    pub undecided_bit: Bit,
    pub is_coercible: bool,
    /// It compares a row with others, so its verdict changes with them.
    pub is_unique: bool,
    /// It looks a row up in another entity.
    pub is_lookup: bool,
    /// The fields an unknown member replaces.
    pub rewrites: Vec<String>,
}

/// A bit of a mask column of judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bit {
    pub column: String,
    pub value: i64,
}

pub fn probe_name(relationship: &str) -> String {
    helper("_parents__", relationship)
}

/// What a probe calls a field of the parent.
pub fn probed_column(relationship: &str, field: &str) -> String {
    helper("_", &format!("{relationship}__{field}"))
}

pub fn repeated_column(rule: &str) -> String {
    helper("_repeated__", rule)
}

pub fn lower(entity: &Entity, coerced: &Coerced, project: &Project) -> Judged {
    let rules = rules(entity, coerced);
    let has_reject = entity
        .quality
        .as_ref()
        .is_some_and(|quality| quality.quarantine.is_some());
    Judged {
        dedupe_order: entity.dedupe.as_ref().map(order).unwrap_or_default(),
        delivery_order: delivery_order(entity),
        parents: parents(entity, project),
        uniques: uniques(entity),
        rules,
        gates: gates(entity),
        raw: entity
            .mappings
            .iter()
            .map(|mapping| raw(entity, mapping))
            .collect(),
        has_reject,
        key_can_repeat: entity.dedupe.is_none() || coerced.is_merged,
    }
}

fn order(dedupe: &Dedupe) -> Vec<Expr> {
    let mut columns: Vec<&str> = Vec::new();
    let source_row_id = OrderColumn::SourceRowId;
    for column in [&dedupe.field]
        .into_iter()
        .chain(&dedupe.tie_break)
        .chain([&source_row_id])
    {
        let name = match column {
            OrderColumn::Field(field) => field.as_str(),
            OrderColumn::LoadId => LOAD_ID,
            OrderColumn::IngestedAt => INGESTED_AT,
            OrderColumn::SourceRowId => SOURCE_ROW_ID,
        };
        if !columns.contains(&name) {
            columns.push(name);
        }
    }
    // Two deliveries of one source row can agree in all of that.
    if !columns.contains(&LOAD_ID) {
        columns.push(LOAD_ID);
    }
    columns.into_iter().map(Expr::column).collect()
}

/// The dedupe order, and the arrival where none is declared; a load tells two deliveries apart.
fn delivery_order(entity: &Entity) -> Vec<Expr> {
    let mut order = match &entity.dedupe {
        Some(dedupe) => order(dedupe),
        None => vec![Expr::column(INGESTED_AT)],
    };
    let load = Expr::column(LOAD_ID);
    if !order.contains(&load) {
        order.push(load);
    }
    order.retain(|key| *key != Expr::column(SOURCE_ROW_ID));
    order
}

fn parents(entity: &Entity, project: &Project) -> Vec<Parent> {
    entity
        .referentials()
        .filter_map(|(_, referential)| {
            let parent = project.entity(&referential.parent)?;
            Some((referential, parent))
        })
        .map(|(referential, parent)| Parent {
            probe: probe_name(&referential.relationship),
            entity: parent.name.clone(),
            scd: parent.scd,
            has_unknown_member: parent.has_unknown_member,
            columns: referential
                .columns
                .iter()
                .map(|(here, there)| {
                    let alias = probed_column(&referential.relationship, there);
                    (here.clone(), there.clone(), alias)
                })
                .collect(),
        })
        .collect()
}

fn uniques(entity: &Entity) -> Vec<Unique> {
    let rules = entity.quality.iter().flat_map(|quality| &quality.rules);
    rules
        .filter_map(|rule| match &rule.kind {
            RuleKind::Unique { field, filter } => Some(Unique {
                repeated: repeated_column(&rule.name),
                field: field.clone(),
                filter: filter.clone(),
            }),
            RuleKind::Coercible { .. }
            | RuleKind::Exact { .. }
            | RuleKind::NotNull { .. }
            | RuleKind::Range { .. }
            | RuleKind::Length { .. }
            | RuleKind::Pattern { .. }
            | RuleKind::InEnum { .. }
            | RuleKind::InSet { .. }
            | RuleKind::NormalizeNfc { .. }
            | RuleKind::Charset { .. }
            | RuleKind::Expression { .. }
            | RuleKind::Referential(_) => None,
        })
        .collect()
}

fn rules(entity: &Entity, coerced: &Coerced) -> Vec<JudgedRule> {
    let mut masks = Masks::default();
    let Some(quality) = &entity.quality else {
        return Vec::new();
    };
    quality
        .rules
        .iter()
        .map(|rule| {
            let (violation, undecided) = predicate::violation(rule, entity, &coerced.inputs);
            let rewrites = match (&rule.kind, rule.disposition) {
                (RuleKind::Referential(referential), Disposition::UnknownMember) => referential
                    .columns
                    .iter()
                    .map(|(here, _)| here.clone())
                    .collect(),
                _ => Vec::new(),
            };
            let column = match rule.scope {
                Scope::Mapping(index) if coerced.is_merged => {
                    helper(&format!("_fails_{}__", index + 1), &rule.name)
                }
                Scope::Mapping(_) | Scope::Entity => helper("_fails__", &rule.name),
            };
            JudgedRule {
                name: rule.name.clone(),
                disposition: rule.disposition,
                scope: rule.scope,
                violation,
                undecided,
                column,
                failed: masks.failed(rule.disposition),
                undecided_bit: masks.undecided(),
                is_coercible: matches!(rule.kind, RuleKind::Coercible { .. }),
                is_lookup: rule.kind.referential().is_some(),
                is_unique: matches!(rule.kind, RuleKind::Unique { .. }),
                rewrites,
            }
        })
        .collect()
}

/// Hands out bits, rule by rule.
#[derive(Default)]
struct Masks {
    fail: usize,
    quarantine: usize,
    flag: usize,
    undecided: usize,
}

impl Masks {
    fn failed(&mut self, disposition: Disposition) -> Bit {
        match disposition {
            Disposition::Fail => take("_fail", &mut self.fail),
            Disposition::Quarantine => take("_quarantine", &mut self.quarantine),
            Disposition::Flag | Disposition::UnknownMember => take("_flag", &mut self.flag),
        }
    }

    fn undecided(&mut self) -> Bit {
        take("_undecided", &mut self.undecided)
    }
}

fn take(name: &str, taken: &mut usize) -> Bit {
    let word = *taken / BITS;
    let value = 1 << (*taken % BITS);
    *taken += 1;
    let column = if word == 0 {
        name.to_owned()
    } else {
        format!("{name}_{}", word + 1)
    };
    Bit { column, value }
}

/// The bits of `_gates`; their names are in `render::gates`.
fn gates(entity: &Entity) -> Vec<(Expr, i64)> {
    let typed = Expr::column(INGESTED_AT);
    let text = Expr::column(INGESTED_AT_TEXT);
    let mut gates = vec![
        (Expr::column(LOAD_ID).is_null(), 1),
        (text.clone().is_null(), 2),
        (Expr::And(vec![text.is_not_null(), typed.is_null()]), 4),
        (Expr::column(SOURCE_ROW_ID).is_null(), 8),
        (Expr::column("_has_two_keys"), 16),
    ];
    if entity.scd == Scd::Type2 && entity.quality.is_none() {
        // Nothing diverts such a row, and it is no version of anything.
        let missing = entity.key.iter().map(|key| Expr::column(key).is_null());
        gates.push((Expr::any(missing.collect()), 64));
    }
    if entity.has_unknown_member {
        let reserved = entity
            .key
            .iter()
            .map(|key| Expr::column(key).compare(Comparison::Equal, Expr::text(UNKNOWN_MEMBER)))
            .collect();
        gates.push((Expr::all(reserved), 32));
    }
    gates.push((Expr::column("_is_repeated"), REPEATED));
    gates
}

/// Every column the mapping names, as delivered, less what `redact` removes.
fn raw(entity: &Entity, mapping: &Mapping) -> Vec<(String, Expr)> {
    let quarantine = entity
        .quality
        .as_ref()
        .and_then(|quality| quality.quarantine.as_ref());
    let redact: &[SourcePath] = quarantine.map(|q| q.redact.as_slice()).unwrap_or_default();
    let mut out = Vec::new();
    for column in &mapping.columns {
        let paths: Vec<&SourcePath> = redact
            .iter()
            .filter(|path| &path.column == column)
            .collect();
        if paths.iter().any(|path| path.inner.is_empty()) {
            continue;
        }
        let text = Expr::ToText(Expr::qualified("delivered", column).into());
        let inner: Vec<Vec<Segment>> = paths.iter().map(|path| path.inner.clone()).collect();
        let value = if inner.is_empty() {
            text
        } else {
            Expr::ToText(
                Expr::Redacted {
                    document: text.into(),
                    paths: inner,
                }
                .into(),
            )
        };
        out.push((column.clone(), value));
    }
    out
}
