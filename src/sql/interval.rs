//! Times that are moved no further than the calendar of the semantics goes: 0001-01-01 to 9999-12-31.

use super::expr::{Expr, Unit};
use super::literal::Literal;
use super::types::Type;

const FIRST_YEAR: i64 = 1;
const LAST_YEAR: i64 = 9999;
const SECONDS_OF_A_DAY: i64 = 86_400;

impl Expr {
    /// With NULL for a time that an interval moves out of the calendar, where engines raise or go on.
    #[must_use]
    pub fn within_calendar(&self) -> Self {
        self.replace(&|part| {
            let Self::AddInterval {
                value,
                amount,
                unit,
            } = part
            else {
                return None;
            };
            let value = value.within_calendar();
            let Some((first, last)) = movable(*amount, *unit) else {
                return Some(Self::null(Type::Timestamp));
            };
            let is_movable = Self::Between {
                value: value.clone().into(),
                low: Self::Literal(Literal::Timestamp(first)).into(),
                high: Self::Literal(Literal::Timestamp(last)).into(),
                negated: false,
            };
            let moved = Self::AddInterval {
                value: value.into(),
                amount: *amount,
                unit: *unit,
            };
            Some(Self::Case {
                arms: vec![(is_movable, moved)],
                otherwise: None,
            })
        })
    }
}

/// The first and the last time that stay in the calendar when they are moved.
fn movable(amount: i64, unit: Unit) -> Option<(String, String)> {
    match unit {
        Unit::Month => by_months(amount),
        Unit::Year => by_months(amount * 12),
        Unit::Day => by_seconds(amount * SECONDS_OF_A_DAY),
        Unit::Hour => by_seconds(amount * 3_600),
        Unit::Minute => by_seconds(amount * 60),
        Unit::Second => by_seconds(amount),
    }
}

/// A month is moved as a whole: its last days become the last day of a shorter one.
fn by_months(amount: i64) -> Option<(String, String)> {
    let (first, last) = (FIRST_YEAR * 12, LAST_YEAR * 12 + 11);
    let low = first.max(first - amount);
    let high = last.min(last - amount);
    let month = |months: i64| (months.div_euclid(12), months.rem_euclid(12) + 1);
    let (year, number) = month(low);
    let (next_year, next_number) = month(high + 1);
    let end = day_number(next_year, next_number, 1) * SECONDS_OF_A_DAY - 1;
    (low <= high).then(|| {
        let start = day_number(year, number, 1) * SECONDS_OF_A_DAY;
        (timestamp(start, ""), timestamp(end, ".999999"))
    })
}

fn by_seconds(amount: i64) -> Option<(String, String)> {
    let first = day_number(FIRST_YEAR, 1, 1) * SECONDS_OF_A_DAY;
    let last = day_number(LAST_YEAR + 1, 1, 1) * SECONDS_OF_A_DAY - 1;
    let (low, high) = (first.max(first - amount), last.min(last - amount));
    (low <= high).then(|| (timestamp(low, ""), timestamp(high, ".999999")))
}

/// Days since 0000-03-01 of the proleptic Gregorian calendar.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let months = year * 12 + month - 3;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (month * 153 + 2) / 5
        + day
        - 1
}

fn timestamp(seconds: i64, fraction: &str) -> String {
    let (days, of_day) = (
        seconds.div_euclid(SECONDS_OF_A_DAY),
        seconds.rem_euclid(SECONDS_OF_A_DAY),
    );
    // The year that begins in March, found from above.
    let mut year = days.div_euclid(365);
    while day_number(year, 3, 1) > days {
        year -= 1;
    }
    let of_year = days - day_number(year, 3, 1);
    let month = (of_year * 5 + 2) / 153;
    let day = of_year - (month * 153 + 2) / 5 + 1;
    let months = year * 12 + month + 2;
    format!(
        "{:04}-{:02}-{day:02} {:02}:{:02}:{:02}{fraction}",
        months.div_euclid(12),
        months.rem_euclid(12) + 1,
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::movable;
    use crate::sql::expr::Unit;

    #[test]
    fn the_calendar_ends_where_a_moved_time_would_leave_it() {
        let first = "0001-01-01 00:00:00";
        let last = "9999-12-31 23:59:59.999999";
        for (amount, unit, low, high) in [
            (0, Unit::Day, first, last),
            (1, Unit::Day, first, "9999-12-30 23:59:59.999999"),
            (-1, Unit::Day, "0001-01-02 00:00:00", last),
            (-60, Unit::Day, "0001-03-02 00:00:00", last),
            (1, Unit::Month, first, "9999-11-30 23:59:59.999999"),
            (10, Unit::Month, first, "9999-02-28 23:59:59.999999"),
            (-14, Unit::Month, "0002-03-01 00:00:00", last),
            (1, Unit::Year, first, "9998-12-31 23:59:59.999999"),
            (9998, Unit::Year, first, "0001-12-31 23:59:59.999999"),
            (90, Unit::Second, first, "9999-12-31 23:58:29.999999"),
            (-25, Unit::Hour, "0001-01-02 01:00:00", last),
        ] {
            let expected = Some((low.to_owned(), high.to_owned()));
            assert_eq!(movable(amount, unit), expected, "{amount} {unit:?}");
        }
        assert_eq!(movable(9999, Unit::Year), None);
        assert_eq!(movable(-100_000_000, Unit::Day), None);
    }
}
