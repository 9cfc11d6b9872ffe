//! The walk over sqlparser's tree: what we name becomes ours, the rest is refused.

use sqlparser::ast::{self, BinaryOperator, CaseWhen, InTarget, UnaryOperator, Value as SqlValue};

use super::refused;
use super::{DEEPEST, Kind, Problem, too_deep};
use crate::sql::expr::{Comparison, Expr};
use crate::sql::literal::{Literal, read};
use crate::sql::types::Type;

/// An expression with its type; `None` is the bare NULL, which fits every type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) ty: Option<Type>,
}

impl Typed {
    pub(super) fn new(expr: Expr, ty: Type) -> Self {
        Self { expr, ty: Some(ty) }
    }

    /// For messages.
    pub(super) fn type_name(&self) -> String {
        self.ty.map_or_else(|| "NULL".to_owned(), Type::spec_name)
    }
}

pub(super) struct Narrower<'a> {
    columns: &'a dyn Fn(&str) -> Option<Type>,
    pub(super) problems: Vec<Problem>,
    /// How often a column has been named so far.
    pub(super) columns_read: usize,
    depth: usize,
}

impl<'a> Narrower<'a> {
    pub(super) fn new(columns: &'a dyn Fn(&str) -> Option<Type>) -> Self {
        Self {
            columns,
            problems: Vec::new(),
            columns_read: 0,
            depth: 0,
        }
    }

    /// `None`: a problem has been reported.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<Typed> {
        if self.depth == DEEPEST * 2 {
            self.problems.push(too_deep());
            return None;
        }
        self.depth += 1;
        let typed = self.expr_at_depth(expr);
        self.depth -= 1;
        typed
    }

    fn expr_at_depth(&mut self, expr: &ast::Expr) -> Option<Typed> {
        match expr {
            ast::Expr::Nested(inner) => self.expr(inner),
            ast::Expr::Identifier(name) => self.column(name),
            ast::Expr::Value(value) => self.value(&value.value),
            ast::Expr::TypedString(typed) => self.typed_string(typed),
            ast::Expr::IsNull(inner) => {
                let value = self.expr(inner)?;
                Some(Typed::new(value.expr.is_null(), Type::Bool))
            }
            ast::Expr::IsNotNull(inner) => {
                let value = self.expr(inner)?;
                Some(Typed::new(value.expr.is_not_null(), Type::Bool))
            }
            ast::Expr::UnaryOp { op, expr: operand } => self.unary(*op, operand),
            ast::Expr::BinaryOp { left, op, right } => self.binary(expr, left, op, right),
            ast::Expr::In {
                expr,
                target,
                negated,
                global: _,
            } => self.in_list(expr, target, *negated),
            ast::Expr::Between {
                expr,
                negated,
                low,
                high,
            } => self.between(expr, low, high, *negated),
            ast::Expr::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                if *any || escape_char.is_some() {
                    return self.construct("LIKE … ESCAPE", "`%` and `_` are the only wildcards");
                }
                self.like(expr, pattern, *negated)
            }
            ast::Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(operand.as_deref(), conditions, else_result.as_deref()),
            ast::Expr::Cast {
                kind,
                expr,
                data_type,
                format,
            } => self.cast_call(kind, expr, data_type, format.as_ref()),
            ast::Expr::Extract { field, expr, .. } => self.extract(field, expr),
            ast::Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => self.substring(expr, substring_from.as_deref(), substring_for.as_deref()),
            ast::Expr::Trim {
                expr,
                trim_where,
                trim_what,
                trim_characters,
            } => {
                if trim_where.is_some() || trim_what.is_some() || trim_characters.is_some() {
                    return self
                        .construct("TRIM of given characters", "`TRIM(x)` takes spaces off");
                }
                self.trim(expr)
            }
            ast::Expr::Function(function) => self.call(function),
            other => {
                self.problems.push(refused::expression(other));
                None
            }
        }
    }

    fn column(&mut self, ident: &ast::Ident) -> Option<Typed> {
        let name = match ident.quote_style {
            Some(_) => ident.value.clone(),
            None => ident.value.to_lowercase(),
        };
        if let Some(ty) = (self.columns)(&name) {
            self.columns_read += 1;
            return Some(Typed::new(Expr::column(&name), ty));
        }
        let problem = match ident.quote_style {
            None => refused::not_deterministic(&name),
            Some(_) => None,
        };
        self.problems.push(problem.unwrap_or_else(|| Problem {
            kind: Kind::UnknownColumn(name.clone()),
            message: format!("unknown column `{name}`"),
            help: None,
        }));
        None
    }

    fn value(&mut self, value: &SqlValue) -> Option<Typed> {
        match value {
            SqlValue::Null => Some(Typed {
                expr: Expr::Literal(Literal::Null(Type::String)),
                ty: None,
            }),
            SqlValue::Boolean(value) => {
                Some(Typed::new(Expr::Literal(Literal::Bool(*value)), Type::Bool))
            }
            SqlValue::SingleQuotedString(text) => {
                if text.contains('\0') {
                    return self.type_error("a text with a NUL character".to_owned(), None);
                }
                Some(Typed::new(Expr::text(text), Type::String))
            }
            SqlValue::Number(text, _) => self.number(text),
            other => self.construct(&format!("the literal `{other}`"), "write it as `'text'`"),
        }
    }

    fn number(&mut self, text: &str) -> Option<Typed> {
        if let Ok(literal) = read::read(Type::Int, text) {
            return Some(Typed::new(Expr::Literal(literal), Type::Int));
        }
        let widest = Type::Decimal(crate::sql::types::DecimalType {
            precision: 38,
            scale: 0,
        });
        match read::read(widest, text) {
            Ok(Literal::Decimal(number)) => {
                let ty = read::digits(&number)?;
                Some(Typed::new(
                    Expr::Literal(Literal::Decimal(number)),
                    Type::Decimal(ty),
                ))
            }
            Ok(_) | Err(_) => self.type_error(
                format!("the number `{text}` is not exact"),
                Some("write plain digits, at most 38 of them"),
            ),
        }
    }

    fn typed_string(&mut self, typed: &ast::TypedString) -> Option<Typed> {
        let ty = match &typed.data_type {
            ast::DataType::Date if !typed.uses_odbc_syntax => Type::Date,
            ast::DataType::Timestamp(None, ast::TimezoneInfo::None) if !typed.uses_odbc_syntax => {
                Type::Timestamp
            }
            other => {
                let help = "`DATE '…'` and `TIMESTAMP '…'` are the typed literals";
                return self.construct(&format!("the literal `{other} …`"), help);
            }
        };
        match &typed.value.value {
            SqlValue::SingleQuotedString(text) => self.literal(ty, text),
            other => self.construct(&format!("the literal `{other}`"), "write it as `'text'`"),
        }
    }

    pub(super) fn literal(&mut self, ty: Type, text: &str) -> Option<Typed> {
        match read::read(ty, text) {
            Ok(literal) => Some(Typed::new(Expr::Literal(literal), ty)),
            Err(reason) => self.type_error(reason, None),
        }
    }

    fn unary(&mut self, op: UnaryOperator, operand: &ast::Expr) -> Option<Typed> {
        match op {
            UnaryOperator::Not => {
                let value = self.condition(operand, "NOT")?;
                Some(Typed::new(value.not(), Type::Bool))
            }
            UnaryOperator::Minus => self.negate(operand),
            UnaryOperator::Plus => {
                let value = self.expr(operand)?;
                self.expect_number(&value, "+")?;
                Some(value)
            }
            other => self.construct(&format!("the operator `{other}`"), refused::OPERATORS),
        }
    }

    fn binary(
        &mut self,
        whole: &ast::Expr,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
    ) -> Option<Typed> {
        let comparison = match op {
            BinaryOperator::And | BinaryOperator::Or => return self.logic(whole, op),
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => return self.arithmetic(left, op, right),
            BinaryOperator::Eq => Comparison::Equal,
            BinaryOperator::NotEq => Comparison::NotEqual,
            BinaryOperator::Lt => Comparison::Less,
            BinaryOperator::LtEq => Comparison::LessOrEqual,
            BinaryOperator::Gt => Comparison::Greater,
            BinaryOperator::GtEq => Comparison::GreaterOrEqual,
            other => {
                return self.construct(&format!("the operator `{other}`"), refused::OPERATORS);
            }
        };
        let (left, right) = (self.expr(left), self.expr(right));
        self.compare(left?, comparison, right?)
    }

    pub(super) fn compare(
        &mut self,
        left: Typed,
        comparison: Comparison,
        right: Typed,
    ) -> Option<Typed> {
        if left.ty.is_none() || right.ty.is_none() {
            return self.null_operand();
        }
        let (mut both, _) = self.unify(vec![left, right], "compared")?;
        let right = both.pop()?;
        let left = both.pop()?;
        Some(Typed::new(left.compare(comparison, right), Type::Bool))
    }

    pub(super) fn null_operand(&mut self) -> Option<Typed> {
        self.problems.push(Problem {
            kind: Kind::Constant,
            message: "a comparison with NULL is never true".to_owned(),
            help: Some("write `IS NULL` or `IS NOT NULL`".to_owned()),
        });
        None
    }

    /// The operands of a chain of one operator, however long.
    fn logic(&mut self, whole: &ast::Expr, op: &BinaryOperator) -> Option<Typed> {
        let mut operands = Vec::new();
        let mut at = whole;
        loop {
            match at {
                ast::Expr::BinaryOp {
                    left,
                    op: own,
                    right,
                } if own == op => {
                    operands.push(right.as_ref());
                    at = left;
                }
                other => {
                    operands.push(other);
                    break;
                }
            }
        }
        operands.reverse();
        let name = if *op == BinaryOperator::And {
            "AND"
        } else {
            "OR"
        };
        let mut narrowed = Vec::new();
        for operand in operands {
            let read_before = self.columns_read;
            let operand = self.condition(operand, name);
            if operand.is_some() && self.columns_read == read_before {
                self.problems.push(Problem {
                    kind: Kind::Constant,
                    message: format!("an operand of `{name}` names no column"),
                    help: Some("it is the same for every row; leave it out".to_owned()),
                });
            }
            narrowed.push(operand);
        }
        let narrowed: Vec<Expr> = narrowed.into_iter().collect::<Option<_>>()?;
        let expr = if name == "AND" {
            Expr::And(narrowed)
        } else {
            Expr::Or(narrowed)
        };
        Some(Typed::new(expr, Type::Bool))
    }

    fn condition(&mut self, expr: &ast::Expr, of: &str) -> Option<Expr> {
        let value = self.expr(expr)?;
        match value.ty {
            Some(Type::Bool) => Some(value.expr),
            Some(_) | None => self.type_error(
                format!("an operand of `{of}` is of type `{}`", value.type_name()),
                Some("it takes conditions only"),
            ),
        }
    }

    fn in_list(&mut self, value: &ast::Expr, target: &InTarget, negated: bool) -> Option<Typed> {
        let InTarget::List(items) = target else {
            self.problems.push(refused::subquery());
            return None;
        };
        if items.is_empty() {
            return self.construct("an empty list", "name at least one value");
        }
        let mut all = vec![self.expr(value)];
        all.extend(items.iter().map(|item| self.expr(item)).collect::<Vec<_>>());
        let all: Vec<Typed> = all.into_iter().collect::<Option<_>>()?;
        if all.iter().any(|item| item.ty.is_none()) {
            return self.null_operand();
        }
        let (mut list, _) = self.unify(all, "compared")?;
        let value = Box::new(list.remove(0));
        Some(Typed::new(
            Expr::In {
                value,
                list,
                negated,
            },
            Type::Bool,
        ))
    }

    fn between(
        &mut self,
        value: &ast::Expr,
        low: &ast::Expr,
        high: &ast::Expr,
        negated: bool,
    ) -> Option<Typed> {
        let all = [self.expr(value), self.expr(low), self.expr(high)];
        let all: Vec<Typed> = all.into_iter().collect::<Option<_>>()?;
        if all.iter().any(|item| item.ty.is_none()) {
            return self.null_operand();
        }
        let (all, _) = self.unify(all, "compared")?;
        let [value, low, high] = all.try_into().ok()?;
        let (value, low, high) = (Box::new(value), Box::new(low), Box::new(high));
        Some(Typed::new(
            Expr::Between {
                value,
                low,
                high,
                negated,
            },
            Type::Bool,
        ))
    }

    fn like(&mut self, value: &ast::Expr, pattern: &ast::Expr, negated: bool) -> Option<Typed> {
        let value = self.expr(value)?;
        self.expect(&value, Type::String, "LIKE")?;
        let pattern = self.expr(pattern)?;
        match pattern.expr {
            Expr::Literal(Literal::Text(pattern)) => {
                let value = Box::new(value.expr);
                Some(Typed::new(
                    Expr::Like {
                        value,
                        pattern,
                        negated,
                    },
                    Type::Bool,
                ))
            }
            _ => self.construct(
                "LIKE with a computed pattern",
                "write the pattern as `'text'`",
            ),
        }
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&ast::Expr>,
    ) -> Option<Typed> {
        let mut whens = Vec::new();
        let mut results = Vec::new();
        for arm in conditions {
            whens.push(match operand {
                None => self.condition(&arm.condition, "CASE WHEN"),
                Some(operand) => {
                    let (left, right) = (self.expr(operand), self.expr(&arm.condition));
                    match (left, right) {
                        (Some(left), Some(right)) => self
                            .compare(left, Comparison::Equal, right)
                            .map(|typed| typed.expr),
                        (Some(_) | None, _) => None,
                    }
                }
            });
            results.push(self.expr(&arm.result));
        }
        results.extend(otherwise.map(|otherwise| self.expr(otherwise)));
        let whens: Vec<Expr> = whens.into_iter().collect::<Option<_>>()?;
        let results: Vec<Typed> = results.into_iter().collect::<Option<_>>()?;
        let (mut results, ty) = self.unify(results, "the results of one CASE")?;
        let otherwise = match otherwise {
            Some(_) => results.pop().map(Box::new),
            None => None,
        };
        let arms = whens.into_iter().zip(results).collect();
        Some(Typed {
            expr: Expr::Case { arms, otherwise },
            ty,
        })
    }

    pub(super) fn expect(&mut self, value: &Typed, ty: Type, of: &str) -> Option<()> {
        if value.ty.is_none_or(|own| own == ty) {
            return Some(());
        }
        self.type_error(
            format!(
                "`{of}` takes a `{ty}`, and this is of type `{}`",
                value.type_name()
            ),
            Some("cast it"),
        )
    }

    pub(super) fn expect_number(&mut self, value: &Typed, of: &str) -> Option<()> {
        if value.ty.is_some_and(Type::is_number) {
            return Some(());
        }
        self.type_error(
            format!(
                "`{of}` takes numbers, and this is of type `{}`",
                value.type_name()
            ),
            None,
        )
    }

    pub(super) fn construct<T>(&mut self, name: &str, help: &str) -> Option<T> {
        self.problems.push(refused::construct(name, help));
        None
    }

    pub(super) fn type_error<T>(&mut self, message: String, help: Option<&str>) -> Option<T> {
        self.problems.push(Problem {
            kind: Kind::Type,
            message,
            help: help.map(str::to_owned),
        });
        None
    }
}
