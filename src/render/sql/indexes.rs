//! Which columns of a generated relation rows are looked up by.

use super::{DELIVERY, Relation, identity};
use crate::lower::EntityPlan;
use crate::sql::dialect::Spelling;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    pub columns: Vec<String>,
    pub uniqueness: Uniqueness,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniqueness {
    Unique,
    /// A gate says whether rows may share what is indexed, and says it better.
    Gated,
}

/// The indexes of one of an entity's relations; none on an engine that merges without.
#[must_use]
pub fn indexes(plan: &EntityPlan<'_>, relation: Relation, spelling: &Spelling) -> Vec<Index> {
    let Some(judged) = &plan.judged else {
        return Vec::new();
    };
    if !spelling.merges_by_index {
        return Vec::new();
    }
    let delivery = match relation {
        Relation::Judged => &DELIVERY,
        Relation::Entity | Relation::Reject => identity(plan),
    };
    match relation {
        Relation::Reject if judged.has_reject => vec![Index {
            columns: vec!["reject_id".to_owned()],
            uniqueness: Uniqueness::Unique,
        }],
        Relation::Entity | Relation::Judged if plan.entity.incremental().is_some() => vec![Index {
            columns: delivery.iter().map(|&name| name.to_owned()).collect(),
            uniqueness: Uniqueness::Gated,
        }],
        // Written anew and read whole: an index would cost more than any reader saves.
        Relation::Entity | Relation::Judged | Relation::Reject => Vec::new(),
    }
}
