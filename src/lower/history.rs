//! What the history of a type 2 entity is made of: when a version begins, and what makes a new one.

use crate::ir::{Entity, INGESTED_AT, OrderColumn, Scd};
use crate::sql::expr::{Expr, Func};
use crate::sql::literal::Literal;
use crate::sql::types::Type;

/// Where the version of the unknown member begins: before everything that can be looked up.
const FIRST_INSTANT: &str = "0001-01-01 00:00:00";

#[derive(Debug)]
pub struct History {
    /// The columns that say when a version begins; the first that is filled.
    times: Vec<String>,
    /// The field that says which of two deliveries is newer, where that is no timestamp.
    pub recency: Option<String>,
    /// The fields of which one has to differ for a new version: all but the key.
    pub values: Vec<String>,
}

impl History {
    /// When the version that a delivery brings begins: at its recency where that is a timestamp and
    /// filled, else at its arrival. `of` is the relation that has the delivery's columns.
    #[must_use]
    pub fn since(&self, of: &str) -> Expr {
        let times = self.times.iter();
        coalesced(times.map(|time| Expr::qualified(of, time)).collect())
    }

    /// The same where only one relation is in scope.
    #[must_use]
    pub fn since_here(&self) -> Expr {
        coalesced(self.times.iter().map(|time| Expr::column(time)).collect())
    }

    /// Where that of the unknown member begins.
    #[must_use]
    pub fn always() -> Expr {
        Expr::Literal(Literal::Timestamp(FIRST_INSTANT.to_owned()))
    }

    /// The columns of a delivery that `since` reads.
    pub fn times(&self) -> impl Iterator<Item = &str> {
        self.times.iter().map(String::as_str)
    }
}

fn coalesced(mut times: Vec<Expr>) -> Expr {
    match times.len() {
        1 => times.remove(0),
        _ => Expr::Call(Func::Coalesce, times),
    }
}

#[must_use]
pub fn lower(entity: &Entity) -> Option<History> {
    match entity.scd {
        Scd::Type1 => return None,
        Scd::Type2 => {}
    }
    let recency = entity.dedupe.as_ref().and_then(|by| match &by.field {
        OrderColumn::Field(field) => entity.fields.iter().find(|known| known.name == *field),
        OrderColumn::LoadId | OrderColumn::IngestedAt | OrderColumn::SourceRowId => None,
    });
    let (time, recency) = match recency {
        Some(field) if field.ty == Type::Timestamp => (Some(field.name.clone()), None),
        Some(field) => (None, Some(field.name.clone())),
        None => (None, None),
    };
    let fields = entity.fields.iter().map(|field| field.name.clone());
    Some(History {
        times: time.into_iter().chain([INGESTED_AT.to_owned()]).collect(),
        recency,
        values: fields.filter(|name| !entity.key.contains(name)).collect(),
    })
}
