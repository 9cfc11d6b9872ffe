//! The functions that authors may call.

use sqlparser::ast::{
    self, DateTimeField, FunctionArg, FunctionArgExpr, FunctionArguments, Value as SqlValue,
};

use super::narrow::{Narrower, Typed};
use super::refused;
use crate::sql::expr::{Expr, Func, Part};
use crate::sql::types::Type;

impl Narrower<'_> {
    pub(super) fn call(&mut self, function: &ast::Function) -> Option<Typed> {
        let name = function.name.to_string().to_lowercase();
        if let Some(problem) = refused::function(&name, function) {
            self.problems.push(problem);
            return None;
        }
        let FunctionArguments::List(list) = &function.args else {
            self.problems.push(refused::unknown_function(&name));
            return None;
        };
        let mut args = Vec::new();
        for arg in &list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) = arg else {
                return self.construct("named arguments", "pass plain values");
            };
            args.push(arg);
        }
        let plain = list.duplicate_treatment.is_none() && list.clauses.is_empty();
        if !plain {
            return self.construct(&format!("clauses inside `{name}(…)`"), "pass plain values");
        }
        match name.as_str() {
            "coalesce" => self.variadic(&name, Func::Coalesce, &args),
            "greatest" => self.variadic(&name, Func::Greatest, &args),
            "least" => self.variadic(&name, Func::Least, &args),
            "nullif" => {
                let [_, _] = self.exactly(&name, &args)?;
                self.variadic(&name, Func::NullIf, &args)
            }
            "abs" => {
                let [value] = self.exactly(&name, &args)?;
                let value = self.expr(value)?;
                self.abs(value)
            }
            "round" => self.round_call(&args),
            "length" => self.text_function(&name, Func::Length, &args, Type::Int),
            "lower" => self.text_function(&name, Func::Lower, &args, Type::String),
            "upper" => self.text_function(&name, Func::Upper, &args, Type::String),
            _ => {
                self.problems.push(refused::unknown_function(&name));
                None
            }
        }
    }

    fn exactly<'e, const N: usize>(
        &mut self,
        name: &str,
        args: &[&'e ast::Expr],
    ) -> Option<[&'e ast::Expr; N]> {
        match <[&ast::Expr; N]>::try_from(args) {
            Ok(args) => Some(args),
            Err(_) => self.type_error(
                format!("`{name}` takes {N} arguments, and {} are given", args.len()),
                None,
            ),
        }
    }

    fn variadic(&mut self, name: &str, func: Func, args: &[&ast::Expr]) -> Option<Typed> {
        if args.len() < 2 {
            return self.type_error(format!("`{name}` takes two arguments or more"), None);
        }
        let args: Vec<Option<Typed>> = args.iter().map(|arg| self.expr(arg)).collect();
        let args: Vec<Typed> = args.into_iter().collect::<Option<_>>()?;
        let (args, ty) = self.unify(args, &format!("the arguments of one `{name}`"))?;
        Some(Typed {
            expr: Expr::Call(func, args),
            ty,
        })
    }

    fn text_function(
        &mut self,
        name: &str,
        func: Func,
        args: &[&ast::Expr],
        result: Type,
    ) -> Option<Typed> {
        let [value] = self.exactly(name, args)?;
        let value = self.expr(value)?;
        self.expect(&value, Type::String, name)?;
        Some(Typed::new(Expr::Call(func, vec![value.expr]), result))
    }

    fn round_call(&mut self, args: &[&ast::Expr]) -> Option<Typed> {
        let (value, places) = match args {
            [value] => (self.expr(value)?, 0),
            [value, places] => {
                let value = self.expr(value);
                let places = self.whole_number(places, "the digits of `round`")?;
                (value?, u8::try_from(places).unwrap_or(u8::MAX))
            }
            _ => {
                return self.type_error(
                    "`round` takes a value and a number of digits".to_owned(),
                    None,
                );
            }
        };
        self.round(value, places)
    }

    fn whole_number(&mut self, expr: &ast::Expr, what: &str) -> Option<i64> {
        if let ast::Expr::Value(value) = expr
            && let SqlValue::Number(text, _) = &value.value
            && let Ok(number) = text.parse::<i64>()
            && number <= i64::from(i32::MAX)
        {
            return Some(number);
        }
        self.construct(&format!("{what} other than a plain number"), "write digits")
    }

    pub(super) fn trim(&mut self, value: &ast::Expr) -> Option<Typed> {
        self.text_function("trim", Func::Trim, &[value], Type::String)
    }

    pub(super) fn substring(
        &mut self,
        value: &ast::Expr,
        from: Option<&ast::Expr>,
        length: Option<&ast::Expr>,
    ) -> Option<Typed> {
        let value = self.expr(value)?;
        self.expect(&value, Type::String, "substring")?;
        let start = match from {
            Some(from) => self.whole_number(from, "a start of `substring`")?,
            None => 1,
        };
        if start < 1 {
            return self.type_error("`substring` starts at 1".to_owned(), None);
        }
        let mut args = vec![value.expr, Expr::int(start)];
        if let Some(length) = length {
            args.push(Expr::int(
                self.whole_number(length, "a length of `substring`")?,
            ));
        }
        Some(Typed::new(Expr::Call(Func::Substring, args), Type::String))
    }

    pub(super) fn extract(&mut self, field: &DateTimeField, value: &ast::Expr) -> Option<Typed> {
        let part = match field.to_string().to_lowercase().as_str() {
            "year" => Part::Year,
            "month" => Part::Month,
            "day" => Part::Day,
            "hour" => Part::Hour,
            "minute" => Part::Minute,
            "second" => Part::Second,
            other => {
                return self.construct(
                    &format!("EXTRACT of `{other}`"),
                    "the parts are `year month day hour minute second`",
                );
            }
        };
        let value = self.expr(value)?;
        let of_clock = match part {
            Part::Hour | Part::Minute | Part::Second => true,
            Part::Year
            | Part::Month
            | Part::Day
            | Part::IsoYear
            | Part::IsoWeek
            | Part::IsoWeekday => false,
        };
        match value.ty {
            Some(Type::Timestamp) => {}
            Some(Type::Date) if !of_clock => {}
            Some(_) | None => {
                return self.type_error(
                    format!("EXTRACT of `{field}` from a `{}`", value.type_name()),
                    Some("a timestamp has it; cast the value"),
                );
            }
        }
        Some(Typed::new(
            Expr::Extract(part, Box::new(value.expr)),
            Type::Int,
        ))
    }
}
