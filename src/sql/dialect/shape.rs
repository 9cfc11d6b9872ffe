//! The exact texts that a date format takes, as regex pieces that RE2 and PostgreSQL read alike. No
//! piece captures, so that a dialect can put its own groups around them.

use crate::sql::expr::Directive;

/// Hours and minutes east or west of UTC.
pub(super) const OFFSET: &str = "(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)";

pub(super) fn piece(directive: &Directive) -> String {
    match directive {
        Directive::Year4 => "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])".to_owned(),
        Directive::Year2 => "[0-9]{2}".to_owned(),
        Directive::Month => "(?:0[1-9]|1[0-2])".to_owned(),
        Directive::MonthName => "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)".to_owned(),
        Directive::MonthFullName => "(?:January|February|March|April|May|June|July|August\
                                     |September|October|November|December)"
            .to_owned(),
        Directive::Day => "(?:0[1-9]|[12][0-9]|3[01])".to_owned(),
        Directive::Hour24 => "(?:[01][0-9]|2[0-3])".to_owned(),
        Directive::Hour12 => "(?:0[1-9]|1[0-2])".to_owned(),
        Directive::AmPm => "(?:AM|PM)".to_owned(),
        Directive::Minute | Directive::Second => "[0-5][0-9]".to_owned(),
        Directive::Fraction => "[0-9]{1,6}".to_owned(),
        Directive::Offset => OFFSET.to_owned(),
        Directive::Text(text) => escaped(text),
    }
}

fn escaped(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '.' | '+' | '*' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\\' => {
                format!("\\{character}")
            }
            other => other.to_string(),
        })
        .collect()
}
