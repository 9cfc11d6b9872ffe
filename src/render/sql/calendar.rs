//! The body of the relation of all days.

use askama::Template;

use super::Writer;
use crate::ir::Calendar;
use crate::sql::expr::{Expr, Part, Period};
use crate::sql::literal::Literal;

#[derive(Template)]
#[template(path = "sql/calendar.sql", config = "templates/askama.toml")]
struct Body {
    days: String,
    columns: String,
}

/// What one of its columns says.
pub struct CalendarColumn {
    pub name: &'static str,
    pub about: &'static str,
    value: fn(Box<Expr>) -> Expr,
}

/// The key first.
pub const CALENDAR: [CalendarColumn; 8] = [
    CalendarColumn {
        name: "day",
        about: "The date; one row each.",
        value: |moment| Expr::StartOf(Period::Day, moment),
    },
    CalendarColumn {
        name: "week",
        about: "The Monday on which the ISO week begins.",
        value: |moment| Expr::StartOf(Period::Week, moment),
    },
    CalendarColumn {
        name: "month",
        about: "The first day of the month.",
        value: |moment| Expr::StartOf(Period::Month, moment),
    },
    CalendarColumn {
        name: "quarter",
        about: "The first day of the quarter.",
        value: |moment| Expr::StartOf(Period::Quarter, moment),
    },
    CalendarColumn {
        name: "year",
        about: "The first day of the year.",
        value: |moment| Expr::StartOf(Period::Year, moment),
    },
    CalendarColumn {
        name: "iso_year",
        about: "The year that the ISO week belongs to.",
        value: |moment| Expr::Extract(Part::IsoYear, moment),
    },
    CalendarColumn {
        name: "iso_week",
        about: "The number of the ISO week in that year, 1 to 53.",
        value: |moment| Expr::Extract(Part::IsoWeek, moment),
    },
    CalendarColumn {
        name: "iso_weekday",
        about: "1 for Monday to 7 for Sunday.",
        value: |moment| Expr::Extract(Part::IsoWeekday, moment),
    },
];

const MOMENT: &str = "_moment";

#[must_use]
pub fn calendar(calendar: &Calendar, writer: &Writer<'_>) -> String {
    let Calendar {
        name: _,
        place: _,
        first_year,
        last_year,
    } = calendar;
    let day = |text: String| Box::new(Expr::Literal(Literal::Timestamp(text)));
    let first = day(format!("{first_year:04}-01-01"));
    let last = day(format!("{last_year:04}-12-31"));
    let days = (Expr::EachDay(first, last), MOMENT.to_owned());
    let columns = CALENDAR.map(|column| {
        let moment = Expr::column(MOMENT).into();
        ((column.value)(moment), column.name.to_owned())
    });
    Body {
        days: writer.select(&[days], 4),
        columns: writer.select(&columns, 2),
    }
    .render()
    .expect("a template over prepared text cannot fail")
    .trim_end()
    .to_owned()
}

/// What the relation is, in words.
#[must_use]
pub fn calendar_description(calendar: &Calendar) -> String {
    let Calendar {
        first_year,
        last_year,
        ..
    } = calendar;
    format!("One row per day from {first_year} to {last_year}, with the periods it lies in.")
}
