//! Text as a value of a type, by the accept set that data is held to (semantics, section 3), but
//! nothing is rounded. Also the order of exact numbers.

use std::cmp::Ordering;

use super::Literal;
use crate::sql::types::{DecimalType, Type};

/// The most digits of a decimal on every engine.
pub const MOST_DIGITS: usize = 38;

/// `text` as a value of `ty`, or why not, as a phrase: "`x` is not a date (`YYYY-MM-DD`)".
pub fn read(ty: Type, text: &str) -> Result<Literal, String> {
    let found = match ty {
        Type::String => return Ok(Literal::Text(text.to_owned())),
        Type::Int => int(text),
        Type::Decimal(_) => decimal(text),
        Type::Bool => bool(text),
        Type::Date => date(text),
        Type::Timestamp => timestamp(text),
        Type::Variant => return Err("a variant has no literals".to_owned()),
    };
    found.ok_or_else(|| {
        let shape = match ty {
            Type::Int => "an int of 64 bits",
            Type::Decimal(_) => "an exact decimal of at most 38 digits",
            Type::Bool => "`true` or `false`",
            Type::Date => "a date (`YYYY-MM-DD`)",
            Type::Timestamp => "a timestamp (`YYYY-MM-DD HH:MM:SS`, UTC unless it has an offset)",
            Type::String | Type::Variant => "text",
        };
        format!("`{text}` is not {shape}")
    })
}

fn int(text: &str) -> Option<Literal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().map(Literal::Int)
}

fn bool(text: &str) -> Option<Literal> {
    match text {
        "true" => Some(Literal::Bool(true)),
        "false" => Some(Literal::Bool(false)),
        _ => None,
    }
}

/// Without a plus sign and without needless leading zeros; digits behind the point stay as written.
fn decimal(text: &str) -> Option<Literal> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    let zero = whole == "0" && fraction.bytes().all(|b| b == b'0');
    let sign = if text.starts_with('-') && !zero {
        "-"
    } else {
        ""
    };
    let number = match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    };
    let DecimalType { precision, .. } = digits(&number)?;
    (usize::from(precision) <= MOST_DIGITS).then_some(Literal::Decimal(number))
}

/// The smallest decimal type that holds a number in the canonical form of `decimal`.
#[must_use]
pub fn digits(number: &str) -> Option<DecimalType> {
    let unsigned = number.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let whole = if whole == "0" && !fraction.is_empty() {
        ""
    } else {
        whole
    };
    let precision = u8::try_from(whole.len() + fraction.len()).ok()?;
    let scale = u8::try_from(fraction.len()).ok()?;
    Some(DecimalType { precision, scale })
}

fn date(text: &str) -> Option<Literal> {
    calendar_date(text).map(|_| Literal::Date(text.to_owned()))
}

/// Year, month, day of `YYYY-MM-DD`, when that day exists.
fn calendar_date(text: &str) -> Option<(i64, i64, i64)> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (
        number(&text[..4])?,
        number(&text[5..7])?,
        number(&text[8..])?,
    );
    let exists = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= length(year, month);
    exists.then_some((year, month, day))
}

fn length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

fn number(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// The ISO shapes, moved to UTC.
fn timestamp(text: &str) -> Option<Literal> {
    if !text.is_ascii() {
        return None;
    }
    if text.len() == 10 {
        return calendar_date(text).map(|_| Literal::Timestamp(format!("{text} 00:00:00")));
    }
    let (year, month, day) = calendar_date(text.get(..10)?)?;
    let clock = text.get(10..)?.strip_prefix(['T', ' '])?;
    let (clock, offset) = match clock.find(['Z', '+', '-']) {
        Some(at) => (&clock[..at], minutes_of_offset(&clock[at..])?),
        None => (clock, 0),
    };
    let (hour, rest) = two_digits(clock, 23)?;
    let (minute, rest) = two_digits(rest.strip_prefix(':')?, 59)?;
    let (second, fraction) = match rest.strip_prefix(':') {
        None if rest.is_empty() => (0, ""),
        None => return None,
        Some(rest) => match two_digits(rest, 59)? {
            (second, "") => (second, ""),
            (second, rest) => {
                let fraction = rest.strip_prefix('.')?;
                let digits = fraction.bytes().all(|b| b.is_ascii_digit());
                if !digits || !(1..=6).contains(&fraction.len()) {
                    return None;
                }
                (second, fraction)
            }
        },
    };
    let total = days(year, month, day) * 1440 + hour * 60 + minute - offset;
    let (year, month, day) = date_of(total.div_euclid(1440));
    if !(1..=9999).contains(&year) {
        return None;
    }
    let (hour, minute) = (total.rem_euclid(1440) / 60, total.rem_euclid(60));
    let point = if fraction.is_empty() { "" } else { "." };
    Some(Literal::Timestamp(format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{point}{fraction}"
    )))
}

fn two_digits(text: &str, most: i64) -> Option<(i64, &str)> {
    let value = number(text.get(..2)?)?;
    (value <= most).then_some((value, &text[2..]))
}

/// `Z`, `±HH`, `±HHMM` or `±HH:MM`.
fn minutes_of_offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = two_digits(text.strip_prefix(['+', '-'])?, 23)?;
    let minutes = match rest.strip_prefix(':').unwrap_or(rest) {
        "" if rest.is_empty() => 0,
        digits => match two_digits(digits, 59)? {
            (minutes, "") => minutes,
            _ => return None,
        },
    };
    Some(sign * (hours * 60 + minutes))
}

/// Days since 0000-03-01 of the proleptic Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let of_year = (153 * months + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * of_year + 2) / 153;
    let day = of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// The order of two literals of one type; `None` where they have none.
#[must_use]
pub fn compare(left: &Literal, right: &Literal) -> Option<Ordering> {
    match (left, right) {
        (Literal::Int(a), Literal::Int(b)) => Some(a.cmp(b)),
        (Literal::Decimal(a), Literal::Decimal(b)) => Some(compare_decimals(a, b)),
        (Literal::Text(a), Literal::Text(b)) | (Literal::Date(a), Literal::Date(b)) => {
            Some(a.cmp(b))
        }
        (Literal::Timestamp(a), Literal::Timestamp(b)) => Some(
            a.trim_end_matches(['0', '.'])
                .cmp(b.trim_end_matches(['0', '.'])),
        ),
        (Literal::Bool(a), Literal::Bool(b)) => Some(a.cmp(b)),
        (
            Literal::Int(_)
            | Literal::Decimal(_)
            | Literal::Text(_)
            | Literal::Date(_)
            | Literal::Timestamp(_)
            | Literal::Bool(_)
            | Literal::Null(_),
            _,
        ) => None,
    }
}

/// The order of two numbers in the canonical form of `decimal`.
#[must_use]
pub fn compare_decimals(left: &str, right: &str) -> Ordering {
    let negative = |number: &str| number.starts_with('-');
    match (negative(left), negative(right)) {
        (true, false) => {
            if is_zero(left) && is_zero(right) {
                Ordering::Equal
            } else {
                Ordering::Less
            }
        }
        (false, true) => compare_decimals(right, left).reverse(),
        (false, false) => compare_magnitudes(left, right),
        (true, true) => compare_magnitudes(&right[1..], &left[1..]),
    }
}

#[must_use]
pub fn is_zero(number: &str) -> bool {
    !number.bytes().any(|b| b.is_ascii_digit() && b != b'0')
}

/// One by the number, when that is a finite decimal: engines divide exactly by multiplying with it.
#[must_use]
pub fn reciprocal(number: &Literal) -> Option<Literal> {
    const MOST_PLACES: u32 = 18;
    let text = match number {
        Literal::Int(number) => number.to_string(),
        Literal::Decimal(number) => number.clone(),
        Literal::Text(_)
        | Literal::Bool(_)
        | Literal::Date(_)
        | Literal::Timestamp(_)
        | Literal::Null(_) => return None,
    };
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let divisor: i128 = format!("{whole}{fraction}").parse().ok()?;
    if divisor == 0 {
        return None;
    }
    let places = (0..=MOST_PLACES).find(|places| 10_i128.pow(*places) % divisor == 0)?;
    let digits = (10_i128.pow(places) / divisor).to_string();
    // The digits, moved to the right by `places` and to the left by those of the fraction.
    let right = usize::try_from(places).ok()?;
    let padded = format!("{digits}{}", "0".repeat(fraction.len()));
    let padded = format!(
        "{}{padded}",
        "0".repeat((right + 1).saturating_sub(padded.len()))
    );
    let (whole, fraction) = padded.split_at(padded.len() - right);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    decimal(&format!("{sign}{whole}{point}{fraction}"))
}

fn compare_magnitudes(left: &str, right: &str) -> Ordering {
    let parts = |number: &str| {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        (
            whole.len(),
            whole,
            fraction.trim_end_matches('0').to_owned(),
        )
    };
    parts(left).cmp(&parts(right))
}

#[cfg(test)]
mod tests {
    use super::{compare, read, reciprocal};
    use crate::sql::literal::Literal;
    use crate::sql::types::{DecimalType, Type};
    use std::cmp::Ordering;

    const DECIMAL: Type = Type::Decimal(DecimalType {
        precision: 12,
        scale: 2,
    });

    #[test]
    fn numbers_are_exact_and_canonical() {
        for (text, expected) in [
            ("1.10", Some("1.10")),
            ("+007.5", Some("7.5")),
            ("-0.0", Some("0.0")),
            (".5", Some("0.5")),
            ("5.", Some("5")),
            ("-12", Some("-12")),
            ("1e5", None),
            (".", None),
            ("", None),
            ("NaN", None),
            ("1_000", None),
            ("1234567890123456789012345678901234567890", None),
        ] {
            let expected = expected.map(|e| Literal::Decimal(e.to_owned()));
            assert_eq!(read(DECIMAL, text).ok(), expected, "{text}");
        }
        assert_eq!(
            read(Type::Int, "-9223372036854775808"),
            Ok(Literal::Int(i64::MIN))
        );
        assert!(read(Type::Int, "9223372036854775808").is_err());
    }

    #[test]
    fn times_exist_and_are_utc() {
        for (text, expected) in [
            ("2024-01-05T10:00:00+02:00", Some("2024-01-05 08:00:00")),
            ("2024-01-05 10:00", Some("2024-01-05 10:00:00")),
            ("2024-02-29", Some("2024-02-29 00:00:00")),
            ("2024-12-31T23:30:00-0100", Some("2025-01-01 00:30:00")),
            ("2024-03-01T00:10:00.25+01", Some("2024-02-29 23:10:00.25")),
            ("2024-01-05T10:00:00Z", Some("2024-01-05 10:00:00")),
            ("2023-02-29", None),
            ("2024-01-05T10:00:60", None),
            ("2024-01-05T24:00:00", None),
            ("2024-01-05T10:00:00.1234567", None),
            ("2024-01-05T10:00:00 nonsense", None),
            ("0001-01-01T00:00:00+01:00", None),
            ("0000-01-01", None),
        ] {
            let expected = expected.map(|e| Literal::Timestamp(e.to_owned()));
            assert_eq!(read(Type::Timestamp, text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn literals_of_a_type_have_an_order() {
        for (left, right, expected) in [
            ("1.10", "1.1", Ordering::Equal),
            ("-2", "-1.5", Ordering::Less),
            ("10", "9.99", Ordering::Greater),
            ("-1", "1", Ordering::Less),
            ("0.09", "0.1", Ordering::Less),
        ] {
            let decimal = |text: &str| Literal::Decimal(text.to_owned());
            assert_eq!(
                compare(&decimal(left), &decimal(right)),
                Some(expected),
                "{left} {right}"
            );
        }
    }

    #[test]
    fn finite_reciprocals_are_exact() {
        for (number, expected) in [
            ("100", Some("0.01")),
            ("1", Some("1")),
            ("-8", Some("-0.125")),
            ("0.25", Some("4")),
            ("2.50", Some("0.4")),
            ("0.001", Some("1000")),
            ("3", None),
            ("0", None),
            ("0.7", None),
        ] {
            let actual = reciprocal(&Literal::Decimal(number.to_owned()));
            let expected = expected.map(|e| Literal::Decimal(e.to_owned()));
            assert_eq!(actual, expected, "{number}");
        }
    }
}
