//! What the language does not take, by name.

use sqlparser::ast::{self, FunctionArguments};

use super::{Kind, Problem};

pub(super) const OPERATORS: &str =
    "the operators are `= <> < <= > >= + - * / %`, `AND OR NOT`, `IN BETWEEN LIKE IS NULL`";
const FUNCTIONS: &str = "the functions are `coalesce nullif abs round length lower upper trim \
                         substring extract greatest least` and `cast`";

/// Sorted.
const NOT_DETERMINISTIC: &[&str] = &[
    "clock_timestamp",
    "current_catalog",
    "current_database",
    "current_date",
    "current_datetime",
    "current_role",
    "current_schema",
    "current_setting",
    "current_time",
    "current_timestamp",
    "current_user",
    "currval",
    "gen_random_uuid",
    "get_current_time",
    "get_current_timestamp",
    "getdate",
    "getutcdate",
    "getvariable",
    "localtime",
    "localtimestamp",
    "newid",
    "nextval",
    "now",
    "pg_backend_pid",
    "rand",
    "random",
    "session_user",
    "setseed",
    "statement_timestamp",
    "sysdate",
    "systimestamp",
    "timeofday",
    "today",
    "transaction_timestamp",
    "txid_current",
    "unix_timestamp",
    "user",
    "utc_timestamp",
    "uuid",
    "uuid_generate_v4",
    "uuidv4",
    "uuidv7",
    "version",
];

/// Sorted.
const AGGREGATES: &[&str] = &[
    "any_value",
    "array_agg",
    "avg",
    "bool_and",
    "bool_or",
    "count",
    "first",
    "last",
    "list",
    "listagg",
    "max",
    "median",
    "min",
    "mode",
    "quantile",
    "stddev",
    "string_agg",
    "sum",
    "variance",
];

/// Sorted.
const WINDOWS: &[&str] = &[
    "cume_dist",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "row_number",
];

pub(super) fn construct(name: &str, help: &str) -> Problem {
    Problem {
        kind: Kind::Construct,
        message: format!("{name} is not part of the expression language"),
        help: Some(help.to_owned()),
    }
}

pub(super) fn subquery() -> Problem {
    construct(
        "a sub-query",
        "a rule reads one row; use `referential` for another entity",
    )
}

pub(super) fn not_deterministic(name: &str) -> Option<Problem> {
    NOT_DETERMINISTIC.binary_search(&name).ok()?;
    Some(Problem {
        kind: Kind::NotDeterministic,
        message: format!("`{name}` is not deterministic"),
        help: Some(format!(
            "a rule gives the same verdict whenever it runs; to name a column, write `\"{name}\"`"
        )),
    })
}

/// Known functions that are never taken, and clauses that make a function something else.
pub(super) fn function(name: &str, function: &ast::Function) -> Option<Problem> {
    if let Some(problem) = not_deterministic(name) {
        return Some(problem);
    }
    if function.over.is_some() || WINDOWS.binary_search(&name).is_ok() {
        return Some(construct(
            &format!("the window function `{name}`"),
            "a rule reads one row",
        ));
    }
    if function.filter.is_some()
        || !function.within_group.is_empty()
        || AGGREGATES.binary_search(&name).is_ok()
    {
        let help = "a rule reads one row; compare totals with `reconcile`";
        return Some(construct(&format!("the aggregate `{name}`"), help));
    }
    match &function.args {
        FunctionArguments::Subquery(_) => Some(subquery()),
        FunctionArguments::None | FunctionArguments::List(_) => {
            let odd = function.null_treatment.is_some()
                || function.uses_odbc_syntax
                || !matches!(function.parameters, FunctionArguments::None);
            odd.then(|| unknown_function(name))
        }
    }
}

pub(super) fn unknown_function(name: &str) -> Problem {
    construct(&format!("the function `{name}`"), FUNCTIONS)
}

/// An expression that has no arm in `narrow`.
pub(super) fn expression(expr: &ast::Expr) -> Problem {
    let (name, help) = match expr {
        ast::Expr::Subquery(_) | ast::Expr::Exists { .. } => return subquery(),
        ast::Expr::CompoundIdentifier(_) | ast::Expr::CompoundFieldAccess { .. } => {
            return construct(
                &format!("the qualified name `{expr}`"),
                "name a field of the entity alone",
            );
        }
        ast::Expr::IsTrue(_)
        | ast::Expr::IsNotTrue(_)
        | ast::Expr::IsFalse(_)
        | ast::Expr::IsNotFalse(_)
        | ast::Expr::IsUnknown(_)
        | ast::Expr::IsNotUnknown(_) => ("IS TRUE", "write the condition, `NOT`, or `IS NULL`"),
        ast::Expr::IsDistinctFrom(..) | ast::Expr::IsNotDistinctFrom(..) => {
            ("IS DISTINCT FROM", "compare, and name NULLs with `IS NULL`")
        }
        ast::Expr::ILike { .. } => ("ILIKE", "write `lower(x) LIKE '…'`"),
        ast::Expr::SimilarTo { .. } | ast::Expr::RLike { .. } => {
            ("a regex match", "use a `pattern` rule on the field")
        }
        ast::Expr::Interval(_) => ("an interval alone", "add it to a date or timestamp"),
        ast::Expr::AtTimeZone { .. } => ("AT TIME ZONE", "use `to_utc` in the mapping's chain"),
        ast::Expr::Collate { .. } => ("COLLATE", "text is compared by code points"),
        ast::Expr::Tuple(_) => ("a tuple", "compare column by column, joined with `AND`"),
        ast::Expr::Ceil { .. } | ast::Expr::Floor { .. } => ("CEIL and FLOOR", FUNCTIONS),
        ast::Expr::Position { .. } => ("POSITION", FUNCTIONS),
        ast::Expr::Overlay { .. } => ("OVERLAY", FUNCTIONS),
        ast::Expr::AnyOp { .. } | ast::Expr::AllOp { .. } => ("ANY and ALL", "use `IN (…)`"),
        ast::Expr::Array(_) => ("an array", "use `IN (…)`"),
        other => return construct(&format!("`{other}`"), OPERATORS),
    };
    construct(name, help)
}

#[cfg(test)]
mod tests {
    use super::{AGGREGATES, NOT_DETERMINISTIC, WINDOWS};

    #[test]
    fn the_tables_are_sorted() {
        for table in [AGGREGATES, NOT_DETERMINISTIC, WINDOWS] {
            assert!(table.is_sorted());
        }
    }
}
