//! A field that is computed: its aliases as columns, the value over them, and in one column whether
//! any of it failed.

use super::field::{Label, Lowered, Start, chain};
use super::helper::helper;
use super::layers::Layers;
use crate::ir::{Alias, MappedField, Recipe, SourcePath};
use crate::sql::expr::Expr;
use crate::sql::literal::Literal;
use crate::sql::types::Type;

pub const FAILED: &str = "_failed__";
pub const INEXACT: &str = "_inexact__";

pub fn lower(
    field: &MappedField,
    recipe: &Recipe,
    start: impl Fn(&SourcePath) -> Start,
    raises: bool,
    layers: &mut Layers,
) -> Lowered {
    let mut verdict = Verdict::default();
    let mut level = 0;
    let mut columns = Vec::new();
    for (index, alias) in recipe.aliases.iter().enumerate() {
        let spoken = spoken(alias, index);
        let label = Label {
            field: &field.field,
            alias: Some(&spoken),
        };
        let (lowered, of_alias) = chain(label, &alias.steps, start(&alias.from), raises, layers);
        level = level.max(of_alias + 1);
        verdict.add(&lowered);
        columns.push((alias.name.as_str(), label.value()));
    }
    let over_columns = |expr: &Expr| {
        let column = |part: &Expr| {
            let Expr::Column(named) = part else {
                return None;
            };
            let mut columns = columns.iter();
            let (_, column) = columns.find(|(alias, _)| *alias == named.name)?;
            Some(Expr::column(column))
        };
        expr.within_calendar().replace(&column)
    };
    let value = exactly(over_columns(&recipe.value), recipe);
    let failure = recipe.value.failure().map(|failure| over_columns(&failure));
    let reads: Vec<String> = columns.iter().map(|(_, column)| column.clone()).collect();
    let mut begin = Start {
        expr: value.clone(),
        level,
        reads: reads.clone(),
    };
    if let Some(failure) = failure {
        let computed = match field.steps.is_empty() && !raises {
            true => field.field.clone(),
            false => {
                let computed = helper("_recipe__", &field.field);
                define(layers, &computed, value.clone(), level, &reads);
                begin = Start {
                    expr: Expr::column(&computed),
                    level: level + 1,
                    reads: vec![computed.clone()],
                };
                computed
            }
        };
        if raises {
            let failed = helper(FAILED, &field.field);
            let is_failed = Expr::Case {
                arms: vec![(failure, Expr::Literal(Literal::Bool(true)))],
                otherwise: None,
            };
            define(layers, &failed, is_failed, level, &reads);
            begin.expr = Expr::OrRaise {
                value: begin.expr.into(),
                input: Expr::column(&failed).into(),
                what: format!("assay: {} cannot be computed", field.field),
            };
            begin.reads.push(failed);
        } else {
            // What has been computed is not computed again.
            let whole = inside_casts(&value).clone();
            let column = Expr::column(&computed);
            let is_whole = |part: &Expr| (*part == whole || *part == value).then(|| column.clone());
            verdict.reads.extend(reads);
            verdict.reads.push(computed);
            verdict.failures.push(failure.replace(&is_whole));
        }
    }
    let label = Label {
        field: &field.field,
        alias: None,
    };
    let (lowered, level) = chain(label, &field.steps, begin, raises, layers);
    layers.output(&field.field);
    if raises {
        return Lowered {
            markers: Vec::new(),
            decimal_text: None,
            ..lowered
        };
    }
    verdict.add(&lowered);
    match field.ty {
        Type::Decimal(_) => {}
        // No rule asks what became of the digits.
        Type::String | Type::Int | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            verdict.losses.clear();
        }
    }
    verdict.define(&field.field, level + 1, layers)
}

/// Columns of ours that the field's value and its verdict are made of.
#[must_use]
pub fn columns(field: &str, recipe: &Recipe) -> Vec<String> {
    let mut columns: Vec<String> = ["_recipe__", FAILED, INEXACT]
        .into_iter()
        .map(|prefix| helper(prefix, field))
        .collect();
    for (index, alias) in recipe.aliases.iter().enumerate() {
        let spoken = spoken(alias, index);
        let label = Label {
            field,
            alias: Some(&spoken),
        };
        columns.extend([label.text(), label.value()]);
    }
    columns
}

/// A name of its own would be taken for the end of the alias and the beginning of the field.
fn spoken(alias: &Alias, index: usize) -> String {
    match alias.name.contains("__") || alias.name.ends_with('_') {
        true => (index + 1).to_string(),
        false => alias.name.clone(),
    }
}

fn define(layers: &mut Layers, name: &str, expr: Expr, level: usize, reads: &[String]) {
    let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
    layers.define(name, expr, level, &reads);
}

/// Engines compute in types of their own; the column is of ours.
fn exactly(value: Expr, recipe: &Recipe) -> Expr {
    let ty = recipe.ty;
    let is_exact = match (&value, ty) {
        (Expr::Column(_) | Expr::Parse(..), _) => recipe.made == ty,
        (Expr::Cast(_, own) | Expr::NullOnError(_, own), ty) => *own == ty,
        (_, Type::String | Type::Bool | Type::Variant) => true,
        (_, Type::Int | Type::Date | Type::Timestamp | Type::Decimal(_)) => false,
    };
    match is_exact {
        true => value,
        false => Expr::Cast(value.into(), ty),
    }
}

fn inside_casts(value: &Expr) -> &Expr {
    match value {
        Expr::Cast(inner, _) => inside_casts(inner),
        other => other,
    }
}

/// What is wrong with the parts of a value, and the columns that say so.
#[derive(Default)]
struct Verdict {
    failures: Vec<Expr>,
    losses: Vec<Expr>,
    reads: Vec<String>,
}

impl Verdict {
    fn add(&mut self, chain: &Lowered) {
        for (input, output) in &chain.markers {
            self.failures.push(Expr::And(vec![
                Expr::column(input).is_not_null(),
                Expr::column(output).is_null(),
            ]));
            self.reads.extend([input.clone(), output.clone()]);
        }
        if let Some((text, scale)) = &chain.decimal_text {
            self.losses.push(Expr::LosesDigits {
                text: Expr::column(text).into(),
                scale: *scale,
            });
            self.reads.push(text.clone());
        }
    }

    fn define(self, field: &str, level: usize, layers: &mut Layers) -> Lowered {
        let Self {
            failures,
            losses,
            reads,
        } = self;
        let mut mark = |prefix: &str, reasons: Vec<Expr>| {
            if reasons.is_empty() {
                return None;
            }
            let name = helper(prefix, field);
            define(layers, &name, Expr::any(reasons), level, &reads);
            layers.output(&name);
            Some(name)
        };
        Lowered {
            markers: Vec::new(),
            decimal_text: None,
            enum_input: None,
            failed: mark(FAILED, failures),
            inexact: mark(INEXACT, losses),
        }
    }
}
