//! Groups whose totals do not agree. A group that one side lacks differs; one whose total is NULL, or
//! whose value several rows claim, is undecided. An average is compared as a sum, multiplied by the
//! rows of the other side, since no division is exact.

use askama::Template;

use super::{OUTCOME, Source, UNDECIDED, named, source};
use crate::ir::{DIGITS_OF_AVERAGE, Measure, Reconcile, Side};
use crate::lower::checks::Rows;
use crate::render::sql::{Writer, condition};
use crate::sql::expr::{Aggregate, Comparison, Expr, Func, Operator};
use crate::sql::literal::Literal;
use crate::sql::types::{DecimalType, Type};

#[derive(Template)]
#[template(path = "sql/reconcile.sql", config = "templates/askama.toml")]
struct Body {
    left: SideBody,
    right: SideBody,
    compared: String,
    /// `None` where the whole entity is one group.
    groups: Option<String>,
    listed: String,
    found: String,
}

struct SideBody {
    source: Source,
    groups: Option<String>,
    /// Its columns and those of the other side.
    stacked: String,
}

/// The names of a side's columns.
#[derive(Debug, PartialEq, Eq)]
struct Names {
    total: &'static str,
    /// Of an average: its sum, and the rows that have a value.
    sum: &'static str,
    rows: &'static str,
    /// How many rows the side has of a group.
    count: &'static str,
}

const LEFT: Names = Names {
    total: "_left",
    sum: "_left_sum",
    rows: "_left_rows",
    count: "_on_left",
};
const RIGHT: Names = Names {
    total: "_right",
    sum: "_right_sum",
    rows: "_right_rows",
    count: "_on_right",
};

pub(super) fn body(
    reconcile: &Reconcile,
    [left_rows, right_rows]: &[Rows<'_>; 2],
    writer: &Writer<'_>,
) -> String {
    let Reconcile {
        left,
        right,
        tolerance: _,
        scale: _,
    } = reconcile;
    let groups = || left.by.iter().map(|name| named(name));
    let mut compared: Vec<_> = groups().collect();
    compared.extend(agreed(left, &LEFT));
    compared.extend(agreed(right, &RIGHT));
    let (one, other) = (Expr::column(LEFT.total), Expr::column(RIGHT.total));
    let mut listed: Vec<_> = groups().collect();
    listed.push(named(LEFT.total));
    listed.push(named(RIGHT.total));
    listed.push((minus(one, other), "_difference".to_owned()));
    listed.push((outcome(), OUTCOME.to_owned()));
    Body {
        left: side_body(reconcile, left, &LEFT, left_rows, writer),
        right: side_body(reconcile, right, &RIGHT, right_rows, writer),
        compared: writer.select(&compared, 4),
        groups: grouping(left, writer),
        listed: writer.select(&listed, 2),
        found: condition(writer, &found(reconcile), 2),
    }
    .render()
    .expect("a template over prepared text cannot fail")
}

fn side_body(
    reconcile: &Reconcile,
    side: &Side,
    names: &Names,
    rows: &Rows<'_>,
    writer: &Writer<'_>,
) -> SideBody {
    let mut columns: Vec<_> = side.by.iter().map(|name| named(name)).collect();
    columns.extend(measured(side, names, reconcile.scale));
    SideBody {
        source: source(&columns, rows, writer),
        groups: match side.measure {
            Measure::Value => None,
            Measure::Sum | Measure::Count | Measure::Avg | Measure::Min | Measure::Max => {
                grouping(side, writer)
            }
        },
        stacked: writer.select(&stacked(reconcile, side, names), 4),
    }
}

fn grouping(side: &Side, writer: &Writer<'_>) -> Option<String> {
    let groups: Vec<Expr> = side.by.iter().map(|name| Expr::column(name)).collect();
    (!groups.is_empty()).then(|| writer.list(&groups, 4))
}

/// What a side computes of each of its groups.
fn measured(side: &Side, names: &Names, scale: u8) -> Vec<(Expr, String)> {
    let column = || Expr::column(&side.column);
    let of = |aggregate| Expr::Aggregate(aggregate, column().into());
    let total = |value: Expr| (exact(value, scale), names.total.to_owned());
    match side.measure {
        Measure::Value => vec![total(column())],
        Measure::Sum => vec![total(of(Aggregate::Sum))],
        Measure::Count => vec![total(of(Aggregate::Count))],
        Measure::Min => vec![total(of(Aggregate::Min))],
        Measure::Max => vec![total(of(Aggregate::Max))],
        Measure::Avg => vec![
            (exact(of(Aggregate::Sum), scale), names.sum.to_owned()),
            (of(Aggregate::Count), names.rows.to_owned()),
        ],
    }
}

/// The columns of both sides, with nothing in those of the other.
fn stacked(reconcile: &Reconcile, own: &Side, names: &Names) -> Vec<(Expr, String)> {
    let Reconcile {
        left,
        right,
        tolerance: _,
        scale,
    } = reconcile;
    let groups = left.by.iter().zip(&own.by);
    let mut columns: Vec<_> = groups
        .map(|(name, own)| (Expr::column(own), name.clone()))
        .collect();
    for (side, of) in [(left, &LEFT), (right, &RIGHT)] {
        let is_own = of == names;
        let mut add = |name: &str, value: Expr, ty: Type| {
            let value = if is_own { value } else { Expr::null(ty) };
            columns.push((value, name.to_owned()));
        };
        let total = Expr::column(of.total);
        match side.measure {
            Measure::Avg => {
                let shown = scale + DIGITS_OF_AVERAGE;
                add(of.total, average(of, shown), decimal(shown));
                add(of.sum, Expr::column(of.sum), decimal(*scale));
                add(of.rows, Expr::column(of.rows), Type::Int);
            }
            Measure::Value | Measure::Sum | Measure::Count | Measure::Min | Measure::Max => {
                add(of.total, total, decimal(*scale));
            }
        }
        columns.push((Expr::int(i64::from(is_own)), of.count.to_owned()));
    }
    columns
}

/// The columns of a side, a row for each group.
fn agreed(side: &Side, names: &Names) -> Vec<(Expr, String)> {
    let the_only = |name: &str| Expr::Aggregate(Aggregate::Max, Expr::column(name).into());
    let count = Expr::Aggregate(Aggregate::Sum, Expr::column(names.count).into());
    // Several rows of one key have no one value.
    let total = match side.measure {
        Measure::Value => Expr::Case {
            arms: vec![(
                count.clone().compare(Comparison::Equal, Expr::int(1)),
                the_only(names.total),
            )],
            otherwise: None,
        },
        Measure::Sum | Measure::Count | Measure::Avg | Measure::Min | Measure::Max => {
            the_only(names.total)
        }
    };
    let mut columns = vec![(total, names.total.to_owned())];
    if side.measure == Measure::Avg {
        columns.extend([names.sum, names.rows].map(|name| (the_only(name), name.to_owned())));
    }
    columns.push((count, names.count.to_owned()));
    columns
}

fn outcome() -> Expr {
    let [lacks_left, lacks_right] = lacking();
    Expr::Case {
        arms: vec![
            (lacks_right, Expr::text("left only")),
            (lacks_left, Expr::text("right only")),
            (Expr::any(unknown().into()), Expr::text(UNDECIDED)),
        ],
        otherwise: Some(Expr::text("differs").into()),
    }
}

fn found(reconcile: &Reconcile) -> Expr {
    let mut any: Vec<Expr> = lacking().into_iter().chain(unknown()).collect();
    any.push(is_apart(reconcile));
    Expr::Or(any)
}

fn lacking() -> [Expr; 2] {
    [LEFT, RIGHT].map(|names| Expr::column(names.count).compare(Comparison::Equal, Expr::int(0)))
}

fn unknown() -> [Expr; 2] {
    [LEFT, RIGHT].map(|names| Expr::column(names.total).is_null())
}

/// The totals differ by more than is tolerated; both sides of the comparison are multiplied by the
/// rows of an average.
fn is_apart(reconcile: &Reconcile) -> Expr {
    let sides = [(&reconcile.left, LEFT), (&reconcile.right, RIGHT)];
    let [(left, left_rows), (right, right_rows)] = sides.map(|(side, names)| match side.measure {
        Measure::Avg => (Expr::column(names.sum), Some(Expr::column(names.rows))),
        Measure::Value | Measure::Sum | Measure::Count | Measure::Min | Measure::Max => {
            (Expr::column(names.total), None)
        }
    });
    let tolerance = Expr::Literal(Literal::Decimal(reconcile.tolerance.clone()));
    let difference = minus(times(left, &right_rows), times(right, &left_rows));
    Expr::Call(Func::Abs, vec![difference]).compare(
        Comparison::Greater,
        times(times(tolerance, &left_rows), &right_rows),
    )
}

/// Cut behind the last digit that is shown.
fn average(names: &Names, shown: u8) -> Expr {
    let zeros = "0".repeat(usize::from(shown));
    let number = |digits: String| Box::new(Expr::Literal(Literal::Decimal(digits)));
    let whole = Expr::Arithmetic(
        Expr::column(names.sum).into(),
        Operator::Multiply,
        number(format!("1{zeros}")),
    );
    let quotient = Expr::Quotient(whole.into(), Expr::column(names.rows).into());
    let one_of_them = number(format!("0.{}1", &zeros[1..]));
    exact(
        Expr::Arithmetic(quotient.into(), Operator::Multiply, one_of_them),
        shown,
    )
}

fn times(value: Expr, rows: &Option<Expr>) -> Expr {
    match rows {
        Some(rows) => Expr::Arithmetic(value.into(), Operator::Multiply, rows.clone().into()),
        None => value,
    }
}

fn minus(left: Expr, right: Expr) -> Expr {
    Expr::Arithmetic(left.into(), Operator::Subtract, right.into())
}

fn exact(value: Expr, scale: u8) -> Expr {
    Expr::Cast(value.into(), decimal(scale))
}

fn decimal(scale: u8) -> Type {
    Type::Decimal(DecimalType {
        precision: 38,
        scale,
    })
}
