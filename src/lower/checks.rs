//! What the relation of a check reads: the rows of finished entities, as they are now.

use crate::ir::{Check, Entity, Project, Scd, UNKNOWN_MEMBER, VALID_TO};
use crate::sql::expr::Expr;

#[derive(Debug)]
pub struct CheckPlan<'a> {
    pub check: &'a Check,
    /// In the order of `Check::reads`.
    pub rows: [Rows<'a>; 2],
}

/// The rows of an entity that somebody delivered and that are current.
#[derive(Debug)]
pub struct Rows<'a> {
    pub entity: &'a Entity,
    /// All must hold.
    pub filter: Vec<Expr>,
}

pub fn lower<'a>(check: &'a Check, project: &'a Project) -> CheckPlan<'a> {
    CheckPlan {
        check,
        rows: check.reads().map(|name| {
            let entity = project.entity(name);
            rows(entity.expect("a check reads entities that are there"))
        }),
    }
}

fn rows(entity: &Entity) -> Rows<'_> {
    let mut filter = Vec::new();
    match entity.scd {
        Scd::Type1 => {}
        Scd::Type2 => filter.push(Expr::column(VALID_TO).is_null()),
    }
    if entity.has_unknown_member {
        let differs = |key: &String| {
            Expr::Differs(Expr::column(key).into(), Expr::text(UNKNOWN_MEMBER).into())
        };
        filter.push(Expr::any(entity.key.iter().map(differs).collect()));
    }
    Rows { entity, filter }
}
