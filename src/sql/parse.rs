//! Conditions that authors write: SQL text to our own tree, typed and narrowed. What the tree has
//! no variant for is refused by name; nothing is passed through as text.
//!
//! Numbers are exact. An int that takes part in arithmetic is widened to `decimal(19,0)` first, so
//! no sum or product of two columns overflows; a result that needs more than 38 digits is NULL.
//! A quotient is a decimal, rounded to six digits behind the point or to as many as its operands
//! have; division by a constant with a finite reciprocal (`/ 100`) is a product and exact. `7 / 2`
//! is `3.5` on every engine. The casts that say so are part of the tree.

mod arithmetic;
mod calls;
mod casts;
mod narrow;
mod refused;
mod unify;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use super::expr::Expr;
use super::types::Type;
use narrow::{Narrower, Typed};

/// What is wrong with an authored expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: Kind,
    /// One phrase, lower case, names the thing in backticks.
    pub message: String,
    pub help: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Not SQL, or more than one expression, or a comment.
    Syntax,
    /// The name as it was looked up.
    UnknownColumn(String),
    /// Another answer on another day, or for another user.
    NotDeterministic,
    /// A sub-query, aggregate, window or any other construct that the language does not name.
    Construct,
    Type,
    /// The same answer for every row.
    Constant,
}

const MOST_TOKENS: usize = 5_000;
const DEEPEST: usize = 40;

/// A boolean expression over the columns that `columns` knows.
pub fn condition(text: &str, columns: &dyn Fn(&str) -> Option<Type>) -> Result<Expr, Vec<Problem>> {
    let (Typed { expr, ty }, reads, mut problems) = narrowed(text, columns)?;
    match ty {
        Some(Type::Bool) | None => {}
        Some(other) => problems.push(Problem {
            kind: Kind::Type,
            message: format!("the expression is of type `{other}`, not a condition"),
            help: Some("compare it with something".to_owned()),
        }),
    }
    if problems.is_empty() && reads == 0 {
        problems.push(constant(
            "it is the same for every row; name a field of the entity",
        ));
    }
    match problems.is_empty() {
        true => Ok(expr),
        false => Err(problems),
    }
}

/// An expression of any type over the columns that `columns` knows, with its type.
pub fn value(
    text: &str,
    columns: &dyn Fn(&str) -> Option<Type>,
) -> Result<(Expr, Type), Vec<Problem>> {
    let (Typed { expr, ty }, reads, mut problems) = narrowed(text, columns)?;
    if problems.is_empty() && reads == 0 {
        problems.push(constant("it is the same for every row; name what it reads"));
    }
    match ty {
        Some(ty) if problems.is_empty() => return Ok((expr, ty)),
        Some(_) => {}
        None => problems.push(Problem {
            kind: Kind::Constant,
            message: "the expression is always NULL".to_owned(),
            help: None,
        }),
    }
    Err(problems)
}

fn constant(help: &str) -> Problem {
    Problem {
        kind: Kind::Constant,
        message: "the expression names no column".to_owned(),
        help: Some(help.to_owned()),
    }
}

/// With how often it names a column, and problems that still leave it a type.
fn narrowed(
    text: &str,
    columns: &dyn Fn(&str) -> Option<Type>,
) -> Result<(Typed, usize, Vec<Problem>), Vec<Problem>> {
    let parsed = parse(text).map_err(|problem| vec![problem])?;
    let mut narrower = Narrower::new(columns);
    let typed = narrower.expr(&parsed);
    let problems = std::mem::take(&mut narrower.problems);
    match typed {
        Some(typed) => Ok((typed, narrower.columns_read, problems)),
        None => Err(problems),
    }
}

fn parse(text: &str) -> Result<sqlparser::ast::Expr, Problem> {
    let dialect = PostgreSqlDialect {};
    let tokens = Tokenizer::new(&dialect, text).tokenize().map_err(|error| {
        syntax(format!(
            "not an SQL expression: {}",
            lower_first(&error.message)
        ))
    })?;
    let mut depth = 0_usize;
    for token in &tokens {
        match token {
            Token::Whitespace(
                Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_),
            ) => {
                return Err(syntax("a comment in an expression".to_owned())
                    .help("put it in the rule's `description`"));
            }
            Token::SemiColon => {
                return Err(syntax("`;` in an expression".to_owned())
                    .help("one expression a rule; leave the `;` out"));
            }
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(too_deep());
        }
    }
    if tokens.len() > MOST_TOKENS {
        return Err(
            syntax(format!("an expression of more than {MOST_TOKENS} words"))
                .help("split it into several rules, or use `in_set` for a long list"),
        );
    }
    if tokens
        .iter()
        .all(|token| matches!(token, Token::Whitespace(_)))
    {
        return Err(
            syntax("an empty expression".to_owned()).help("write the condition that must hold")
        );
    }
    let mut parser = Parser::new(&dialect).with_tokens(tokens);
    let parsed = parser.parse_expr().map_err(|error| match error {
        ParserError::RecursionLimitExceeded => too_deep(),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
            syntax(format!("not an SQL expression: {}", lower_first(&message)))
        }
    })?;
    match parser.peek_token().token {
        Token::EOF => Ok(parsed),
        trailing => Err(syntax(format!(
            "`{trailing}` behind the end of the expression"
        ))),
    }
}

fn syntax(message: String) -> Problem {
    Problem {
        kind: Kind::Syntax,
        message,
        help: None,
    }
}

fn too_deep() -> Problem {
    syntax(format!("an expression nested deeper than {DEEPEST} levels"))
        .help("split it into several rules")
}

/// sqlparser's messages start like sentences and end with a position in the expression.
fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().collect::<String>() + chars.as_str()
    })
}

impl Problem {
    fn help(mut self, help: &str) -> Self {
        self.help = Some(help.to_owned());
        self
    }
}

#[cfg(test)]
mod tests;
