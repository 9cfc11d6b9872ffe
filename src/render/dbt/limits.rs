//! What holds a run within the limits of an entity.

use askama::Template;

use crate::ir::Project;
use crate::lower::EntityPlan;
use crate::render::marker;
use crate::render::sql::{self, Candidate, Limit, Writer};
use crate::sql::print::indent;

#[derive(Template)]
#[template(path = "dbt/limits.sql", config = "templates/askama.toml")]
pub struct Macros<'a> {
    marker: String,
    ceilings: Vec<Ceiling<'a>>,
    ceiling: String,
    rails: Vec<Rails<'a>>,
}

pub struct Rails<'a> {
    entity: &'a str,
    /// As a Jinja list.
    columns: String,
    body: String,
}

struct Ceiling<'a> {
    entity: &'a str,
    share: String,
    parts: u64,
    whole: u64,
}

/// `None` where no entity has limits.
pub fn macros<'a>(project: &'a Project, rails: Vec<Rails<'a>>) -> Option<Macros<'a>> {
    let ceilings: Vec<Ceiling<'_>> = project
        .entities
        .iter()
        .filter_map(|entity| {
            let share = entity.ceiling()?;
            Some(Ceiling {
                entity: &entity.name,
                share: share.to_string(),
                parts: share.parts,
                whole: share.whole(),
            })
        })
        .collect();
    let ceiling = sql::ceiling(&Limit {
        entity: "{{ entity }}",
        share: "{{ ceiling.share }}",
        judged: "{{ judged }}",
        parts: "{{ ceiling.parts }}",
        whole: "{{ ceiling.whole }}",
        pending: PENDING,
        allowed: "{{ 'TRUE' if entity in var('assay_allow_quarantine', []) else 'FALSE' }}",
    });
    let has_some = !ceilings.is_empty() || !rails.is_empty();
    has_some.then(|| Macros {
        marker: marker("every spec"),
        ceilings,
        ceiling,
        rails,
    })
}

/// `None` where the entity has no rails.
pub fn rails<'a>(plan: &EntityPlan<'a>, writer: &Writer<'_>) -> Option<Rails<'a>> {
    let candidate = Candidate {
        published: "{{ published }}",
        judged: "{{ judged }}",
        allowed: "{{ 'TRUE' if entity in var('assay_allow_loss', []) else 'FALSE' }}",
    };
    let fields = plan.entity.fields.iter();
    let columns: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    Some(Rails {
        entity: &plan.entity.name,
        columns: format!("['{}']", columns.join("', '")),
        body: indent(&sql::rails(plan, &candidate, writer)?, 2),
    })
}

/// Of a ledger, what a run has read since the entity was last published: also by a run that was
/// stopped. A replay asks nobody, and does not count either.
const PENDING: &str = "{% if is_ledger %}
    AND _delivered IS NOT NULL
    AND _judged_at > COALESCE(
      (
        SELECT
          MAX(until)
        FROM {{ ref('quality_log') }}
        WHERE
          action = 'published' AND entity = '{{ entity }}'
      ),
      '0001-01-01'::TIMESTAMP
    )
    AND NOT _judged_at IN (
      SELECT
        run_at
      FROM {{ ref('quality_log') }}
      WHERE
        action = 'replayed' AND entity = '{{ entity }}'
    ){% endif %}";
