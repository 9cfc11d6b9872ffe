//! The alerts that a field's `assert:` asks for.

use askama::Template;

use super::{Relation, Writer, condition};
use crate::ir::{Assert, AssertKind};
use crate::lower::EntityPlan;
use crate::sql::expr::{Comparison, Expr};

#[derive(Template)]
#[template(path = "sql/asserts.sql", config = "templates/askama.toml")]
struct Body {
    entity: String,
    asserts: Vec<Line>,
}

struct Line {
    name: String,
    violation: String,
}

pub fn asserts(plan: &EntityPlan<'_>, writer: &Writer<'_>) -> String {
    let asserts = plan
        .entity
        .asserts
        .iter()
        .map(|assert| Line {
            name: writer.expr(&Expr::text(&assert.name)),
            violation: condition(writer, &violation(assert), 2),
        })
        .collect();
    let entity = writer.names.relation(&plan.entity.name, Relation::Entity);
    Body { entity, asserts }
        .render()
        .expect("a template over prepared text cannot fail")
}

fn violation(assert: &Assert) -> Expr {
    let value = Expr::column(&assert.field);
    match &assert.kind {
        AssertKind::Min(limit) => value.compare(Comparison::Less, Expr::Literal(limit.clone())),
        AssertKind::Max(limit) => value.compare(Comparison::Greater, Expr::Literal(limit.clone())),
        AssertKind::NotNull => value.is_null(),
        AssertKind::Enum(values) => Expr::In {
            value: value.into(),
            list: values.iter().cloned().map(Expr::Literal).collect(),
            negated: true,
        },
        AssertKind::Regex(regex) => Expr::Matches(value.into(), regex.clone()).not(),
    }
}
