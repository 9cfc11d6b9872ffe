//! Parents that too few rows refer to. A parent that has no value to refer to is undecided.

use askama::Template;

use super::{OUTCOME, Source, UNDECIDED, named, source};
use crate::ir::Coverage;
use crate::lower::checks::Rows;
use crate::render::sql::{Writer, condition};
use crate::sql::expr::{Comparison, Expr, Func};

#[derive(Template)]
#[template(path = "sql/coverage.sql", config = "templates/askama.toml")]
struct Body {
    parents: Source,
    children: Source,
    listed: String,
    refers: String,
    found: String,
}

const PARENTS: &str = "_parents";
const REFERRING: &str = "_referring";

pub(super) fn body(
    coverage: &Coverage,
    [parents, children]: &[Rows<'_>; 2],
    writer: &Writer<'_>,
) -> String {
    let Coverage {
        relationship: _,
        parent: _,
        child: _,
        columns,
        min,
    } = coverage;
    let of_parent = |name: &str| Expr::qualified(PARENTS, name);
    let mut shown = parents.entity.key.clone();
    for (name, _) in columns {
        if !shown.contains(name) {
            shown.push(name.clone());
        }
    }
    let referring = Expr::Call(
        Func::Coalesce,
        vec![Expr::qualified(REFERRING, "_rows"), Expr::int(0)],
    );
    let has_no_value = Expr::any(
        columns
            .iter()
            .map(|(name, _)| of_parent(name).is_null())
            .collect(),
    );
    let outcome = Expr::Case {
        arms: vec![(has_no_value.clone(), Expr::text(UNDECIDED))],
        otherwise: Some(Expr::text("uncovered").into()),
    };
    let mut listed: Vec<(Expr, String)> = shown
        .iter()
        .map(|name| (of_parent(name), name.clone()))
        .collect();
    listed.push((referring.clone(), "_children".to_owned()));
    listed.push((outcome, OUTCOME.to_owned()));
    let too_few = referring.compare(Comparison::Less, Expr::int(i64::from(*min)));
    let refers = columns.iter().map(|(here, there)| {
        Expr::qualified(REFERRING, there).compare(Comparison::Equal, of_parent(here))
    });
    let mut found = match has_no_value {
        Expr::Or(operands) => operands,
        one => vec![one],
    };
    found.push(too_few);
    let of_children: Vec<_> = columns.iter().map(|(_, name)| named(name)).collect();
    let of_parents: Vec<_> = shown.iter().map(|name| named(name)).collect();
    Body {
        parents: source(&of_parents, parents, writer),
        children: source(&of_children, children, writer),
        listed: writer.select(&listed, 2),
        refers: condition(writer, &Expr::all(refers.collect()), 2),
        found: condition(writer, &Expr::Or(found), 2),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}
