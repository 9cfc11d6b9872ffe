//! The macro that judges what was rejected again.

use askama::Template;

use super::{BARE, columns, texts};
use crate::lower::EntityPlan;
use crate::render::marker;
use crate::render::sql::{self, Words};

#[derive(Template)]
#[template(path = "dbt/replay.sql", config = "templates/askama.toml")]
pub struct ReplayMacros {
    marker: String,
    names: String,
    at: Words,
    entities: Vec<Replayed>,
}

/// What the driver has to know of an entity.
pub struct Replayed {
    name: String,
    pub is_history: bool,
    columns: String,
    identity: String,
    key: String,
    replaced: String,
    is_ledger: bool,
    compares: bool,
}

pub fn macros(replayed: Vec<Replayed>) -> ReplayMacros {
    let names: Vec<&str> = replayed.iter().map(|each| each.name.as_str()).collect();
    ReplayMacros {
        marker: marker("every spec"),
        names: texts(&names),
        at: Words::new(|name| format!("{{{{ {name} }}}}")),
        entities: replayed,
    }
}

/// `None` where nothing can be rejected.
pub fn entity(plan: &EntityPlan<'_>) -> Option<Replayed> {
    let judged = plan.judged.as_ref().filter(|judged| judged.has_reject)?;
    Some(Replayed {
        name: plan.entity.name.clone(),
        is_history: plan.history.is_some(),
        columns: texts(&sql::entity_columns(plan)),
        identity: texts(sql::identity(plan)),
        key: columns(&plan.entity.key, BARE),
        replaced: columns(&sql::replaced_keys(plan), BARE),
        is_ledger: plan.entity.incremental().is_some(),
        compares: !judged.uniques.is_empty(),
    })
}
