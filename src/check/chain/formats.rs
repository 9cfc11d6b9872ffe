//! Date formats: `ISO8601`, or a strptime pattern of directives that every engine reads alike.

use crate::sql::expr::{DateFormat, Directive};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Date,
    Timestamp,
}

/// What went wrong, and what to do.
type Refused = (String, String);

pub(super) fn parse(text: &str, target: Target) -> Result<DateFormat, Refused> {
    if text == "ISO8601" {
        return Ok(DateFormat::Iso);
    }
    if !text.contains('%') {
        return Err((
            format!("`{text}` is not a date format"),
            "write `ISO8601` or a strptime pattern, as `%d.%m.%Y`".to_owned(),
        ));
    }
    let directives = directives(text)?;
    complete(&directives, target)?;
    Ok(DateFormat::Strptime(directives))
}

/// Every value of the format says how far it is from UTC.
pub(super) fn has_offset(format: &DateFormat) -> bool {
    match format {
        DateFormat::Iso => false,
        DateFormat::Strptime(directives) => directives.contains(&Directive::Offset),
    }
}

fn directives(text: &str) -> Result<Vec<Directive>, Refused> {
    let mut found: Vec<Directive> = Vec::new();
    let mut chars = text.chars();
    while let Some(character) = chars.next() {
        if character != '%' {
            push_text(&mut found, character);
            continue;
        }
        let Some(letter) = chars.next() else {
            return Err((
                "a format that ends with `%`".to_owned(),
                "write `%%`".to_owned(),
            ));
        };
        let directive = match letter {
            'Y' => Directive::Year4,
            'y' => Directive::Year2,
            'm' => Directive::Month,
            'b' => Directive::MonthName,
            'B' => Directive::MonthFullName,
            'd' => Directive::Day,
            'H' => Directive::Hour24,
            'I' => Directive::Hour12,
            'p' => Directive::AmPm,
            'M' => Directive::Minute,
            'S' => Directive::Second,
            'f' => Directive::Fraction,
            'z' => Directive::Offset,
            '%' => {
                push_text(&mut found, '%');
                continue;
            }
            other => return Err(not_portable(other)),
        };
        if found.contains(&directive) {
            return Err((
                format!("`%{letter}` stands twice in the format"),
                "read each part once".to_owned(),
            ));
        }
        if found.last() == Some(&Directive::Fraction) && letter_is_digits(letter) {
            return Err((
                format!("`%f` directly in front of `%{letter}`"),
                "a fraction has one to six digits; put a separator between".to_owned(),
            ));
        }
        found.push(directive);
    }
    Ok(found)
}

fn letter_is_digits(letter: char) -> bool {
    !matches!(letter, 'b' | 'B' | 'p' | 'z')
}

fn push_text(found: &mut Vec<Directive>, character: char) {
    match found.last_mut() {
        Some(Directive::Text(text)) => text.push(character),
        Some(_) | None => found.push(Directive::Text(character.to_string())),
    }
}

fn not_portable(letter: char) -> Refused {
    let help = match letter {
        'F' => "write `%Y-%m-%d`",
        'T' | 'X' => "write `%H:%M:%S`",
        'R' => "write `%H:%M`",
        'D' | 'x' => "write `%m/%d/%y`",
        'e' | '-' | '#' | 'k' | 'l' => "`%d %m %H` take two digits; data without them is not read",
        'Z' => "offsets are read by `%z`; for the zone of all values use `to_utc`",
        'a' | 'A' | 'w' | 'u' => "a weekday adds nothing to a date; cut it off in a step before",
        's' => "seconds since 1970 are a number; keep it as an `int`",
        _ => "the directives are `%Y %y %m %b %B %d %H %I %p %M %S %f %z`",
    };
    (
        format!("`%{letter}` is not read alike by every engine"),
        help.to_owned(),
    )
}

fn complete(directives: &[Directive], target: Target) -> Result<(), Refused> {
    let count = |wanted: &[Directive]| directives.iter().filter(|d| wanted.contains(d)).count();
    let refuse = |message: &str, help: &str| Err((message.to_owned(), help.to_owned()));
    for (part, wanted) in [
        ("year", &[Directive::Year4, Directive::Year2][..]),
        (
            "month",
            &[
                Directive::Month,
                Directive::MonthName,
                Directive::MonthFullName,
            ],
        ),
        ("day", &[Directive::Day]),
    ] {
        if count(wanted) != 1 {
            return refuse(
                &format!(
                    "a format with {} {part}",
                    if count(wanted) == 0 { "no" } else { "two" }
                ),
                "a date has one year, one month and one day",
            );
        }
    }
    let clock = [
        Directive::Hour24,
        Directive::Hour12,
        Directive::AmPm,
        Directive::Minute,
        Directive::Second,
        Directive::Fraction,
        Directive::Offset,
    ];
    match target {
        Target::Date if count(&clock) > 0 => {
            return refuse(
                "a date with a time of day",
                "use `parse_ts`, or cut the time off",
            );
        }
        Target::Date | Target::Timestamp => {}
    }
    let hours = count(&[Directive::Hour24, Directive::Hour12]);
    if hours == 2 || count(&[Directive::Hour12]) != count(&[Directive::AmPm]) {
        return refuse(
            "hours that do not agree",
            "write `%H`, or `%I` together with `%p`",
        );
    }
    for (fine, coarse) in [
        (
            &[Directive::Minute][..],
            &[Directive::Hour24, Directive::Hour12][..],
        ),
        (&[Directive::Second], &[Directive::Minute]),
        (&[Directive::Fraction], &[Directive::Second]),
        (
            &[Directive::Offset],
            &[Directive::Hour24, Directive::Hour12],
        ),
    ] {
        if count(fine) > 0 && count(coarse) == 0 {
            return refuse(
                "a time of day with a gap",
                "seconds need minutes, and minutes and offsets need hours",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Target, parse};

    #[test]
    fn formats_are_read_or_refused_by_directive() {
        for (text, target, refused) in [
            ("ISO8601", Target::Date, None),
            ("%d.%m.%Y", Target::Date, None),
            ("%d %b %y", Target::Date, None),
            ("%Y-%m-%dT%H:%M:%S.%f%z", Target::Timestamp, None),
            ("%m/%d/%Y %I:%M %p", Target::Timestamp, None),
            ("%Y%m%d", Target::Timestamp, None),
            ("iso", Target::Date, Some("not a date format")),
            ("%d.%m", Target::Date, Some("no year")),
            ("%Y %y %m %d", Target::Date, Some("two year")),
            ("%Y-%m-%d %H", Target::Date, Some("time of day")),
            ("%Y-%m-%d %I", Target::Timestamp, Some("do not agree")),
            ("%Y-%m-%d %S", Target::Timestamp, Some("gap")),
            ("%Y-%m-%d %q", Target::Date, Some("`%q`")),
            ("%-d.%m.%Y", Target::Date, Some("`%-`")),
            ("%Y-%Y", Target::Date, Some("twice")),
            ("%Y-%m-%d %", Target::Date, Some("ends with")),
            (
                "%H:%M:%S.%f%d%m%Y",
                Target::Timestamp,
                Some("`%f` directly"),
            ),
        ] {
            match (parse(text, target), refused) {
                (Ok(_), None) => {}
                (Err((message, _)), Some(part)) if message.contains(part) => {}
                (other, _) => panic!("{text}: {other:?}"),
            }
        }
    }
}
