//! Authored conditions over an entity's columns and recipes over their aliases, with their problems as diagnostics.

use super::world::EntityView;
use crate::diag::code::e03xx;
use crate::diag::{Bag, Diagnostic};
use crate::place::Place;
use crate::sql::expr::Expr;
use crate::sql::parse::{self, Kind, Problem};
use crate::sql::types::Type;

/// `None`: every problem has been reported at `place`.
pub(super) fn condition(
    text: &str,
    place: &Place,
    entity: &EntityView<'_>,
    found: &mut Bag,
) -> Option<Expr> {
    match parse::condition(text, &|name| entity.columns.get(name).copied()) {
        Ok(expr) => Some(expr),
        Err(problems) => {
            for problem in problems {
                found.push(of_condition(problem, place.clone(), entity));
            }
            None
        }
    }
}

/// The value of a recipe over its aliases, with its type. `None`: every problem has been reported.
pub(super) fn value(
    text: &str,
    place: &Place,
    aliases: &[(String, Type)],
    found: &mut Bag,
) -> Option<(Expr, Type)> {
    let ty = |name: &str| {
        let mut aliases = aliases.iter();
        aliases.find(|(alias, _)| alias == name).map(|(_, ty)| *ty)
    };
    match parse::value(text, &ty) {
        Ok(value) => Some(value),
        Err(problems) => {
            for problem in problems {
                let kind = problem.kind.clone();
                let diagnostic = diagnostic(problem, place.clone());
                found.push(match kind {
                    Kind::UnknownColumn(name) => diagnostic
                        .label("no alias that the recipe requires")
                        .help_nearest(&name, aliases.iter().map(|(alias, _)| alias.as_str())),
                    Kind::Syntax
                    | Kind::NotDeterministic
                    | Kind::Construct
                    | Kind::Type
                    | Kind::Constant => diagnostic,
                });
            }
            None
        }
    }
}

fn of_condition(problem: Problem, place: Place, entity: &EntityView<'_>) -> Diagnostic {
    let kind = problem.kind.clone();
    let diagnostic = diagnostic(problem, place);
    match kind {
        Kind::UnknownColumn(name) if entity.fields.contains_key(name.as_str()) => diagnostic
            .label("the field is declared, but no mapping fills it")
            .help("map it, or leave it out of the rule"),
        Kind::UnknownColumn(name) => diagnostic
            .label(format!("not a field of `{}`", entity.name()))
            .help_nearest(&name, entity.columns.keys().map(String::as_str)),
        Kind::Syntax | Kind::NotDeterministic | Kind::Construct | Kind::Type | Kind::Constant => {
            diagnostic
        }
    }
}

fn diagnostic(problem: Problem, place: Place) -> Diagnostic {
    let Problem {
        kind,
        message,
        help,
    } = problem;
    let code = match &kind {
        Kind::Syntax => e03xx::EXPRESSION_SYNTAX,
        Kind::UnknownColumn(_) => e03xx::EXPRESSION_COLUMN,
        Kind::NotDeterministic => e03xx::EXPRESSION_NOT_DETERMINISTIC,
        Kind::Construct => e03xx::EXPRESSION_CONSTRUCT,
        Kind::Type => e03xx::EXPRESSION_TYPE,
        Kind::Constant => e03xx::EXPRESSION_CONSTANT,
    };
    let mut diagnostic = Diagnostic::error(code, place, message);
    if let Some(help) = help {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}
