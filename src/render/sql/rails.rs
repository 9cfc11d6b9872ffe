//! What a run would take from what is published, and whether its rails allow that.

use askama::Template;

use super::{Writer, condition, replaced_keys};
use crate::ir::{Rails, Share, UNKNOWN_MEMBER};
use crate::lower::EntityPlan;
use crate::sql::expr::{Comparison, Expr};
use crate::sql::print::indent;

/// How the framework writes the parts of the statement.
pub struct Candidate<'a> {
    /// A relation with the columns of the entity: current versions, without the unknown member.
    pub published: &'a str,
    pub judged: &'a str,
    /// Somebody has let this run through.
    pub allowed: &'a str,
}

#[derive(Template)]
#[template(path = "sql/rails.sql", config = "templates/askama.toml")]
struct Body<'a> {
    entity: &'a str,
    columns: String,
    published: &'a str,
    judged: &'a str,
    /// Somebody has let this run through.
    allowed: &'a str,
    keys: Option<Keys>,
    counts: String,
    losses: Vec<Loss>,
}

/// How the keys of two relations are compared: as text, since a type may have changed.
struct Keys {
    texts: String,
    names: String,
    are_own: String,
}

struct Loss {
    gate: String,
    what: String,
    was: String,
    lost: String,
    from: &'static str,
    share: Share,
}

/// `None` where the entity has no rails.
#[must_use]
pub fn rails(
    plan: &EntityPlan<'_>,
    candidate: &Candidate<'_>,
    writer: &Writer<'_>,
) -> Option<String> {
    let Rails {
        lost,
        null_share,
        deleted,
    } = plan.entity.rails?;
    let fields = || {
        plan.entity
            .fields
            .iter()
            .map(|field| Expr::column(&field.name))
    };
    let columns: Vec<Expr> = fields().collect();
    let mut losses = Vec::new();
    losses.extend(lost.map(|share| Loss {
        gate: writer.expr(&Expr::text("rail_lost")),
        what: writer.expr(&Expr::text("rows")),
        was: "counted_before._rows".to_owned(),
        lost: "counted_before._rows - counted_after._rows".to_owned(),
        from: COUNTED,
        share,
    }));
    if let Some(share) = null_share {
        losses.extend(plan.entity.fields.iter().map(|field| {
            let of = |relation: &str| writer.expr(&Expr::qualified(relation, &field.name));
            Loss {
                gate: writer.expr(&Expr::text(&format!("rail_null_share.{}", field.name))),
                what: writer.expr(&Expr::text(&format!("values of `{}`", field.name))),
                was: of("counted_before"),
                lost: format!("{} - {}", of("counted_before"), of("counted_after")),
                from: COUNTED,
                share,
            }
        }));
    }
    losses.extend(deleted.map(|share| Loss {
        gate: writer.expr(&Expr::text("rail_deleted")),
        what: writer.expr(&Expr::text("keys")),
        was: "(\n      SELECT\n        COUNT(*)\n      FROM keys\n    )".to_owned(),
        lost: "COUNT(*)".to_owned(),
        from: "FROM missing",
        share,
    }));
    let mut counts = vec!["COUNT(*) AS _rows".to_owned()];
    if null_share.is_some() {
        let names = fields().map(|field| writer.expr(&field));
        counts.extend(names.map(|name| format!("COUNT({name}) AS {name}")));
    }
    let body = Body {
        entity: &plan.entity.name,
        columns: writer.list(&columns, 4),
        published: candidate.published,
        judged: candidate.judged,
        allowed: candidate.allowed,
        keys: deleted.map(|_| keys(plan, writer)),
        counts: indent(&counts.join(",\n"), 4),
        losses,
    };
    let text = body.render();
    let text = text.expect("a template over prepared text cannot fail");
    Some(text.trim_end().to_owned())
}

const COUNTED: &str = "FROM counted_before\n  CROSS JOIN counted_after";

fn keys(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> Keys {
    let key = || plan.entity.key.iter();
    let texts: Vec<(Expr, String)> = key()
        .map(|name| (Expr::ToText(Expr::column(name).into()), name.clone()))
        .collect();
    let names: Vec<Expr> = key().map(|name| Expr::column(name)).collect();
    // The key of an orphan may be the unknown member's, and one with a NULL is none.
    let replaced = replaced_keys(plan);
    let are_own = key().flat_map(|name| {
        let key = Expr::column(name);
        let is_own = replaced.contains(name).then(|| {
            key.clone()
                .compare(Comparison::NotEqual, Expr::text(UNKNOWN_MEMBER))
        });
        [key.is_not_null()].into_iter().chain(is_own)
    });
    Keys {
        texts: writer.select(&texts, 4),
        names: writer.list(&names, 4),
        are_own: condition(writer, &Expr::all(are_own.collect()), 4),
    }
}
