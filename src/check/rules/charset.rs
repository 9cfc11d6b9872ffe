//! `charset`: a text with a character that is not allowed.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::RuleKind;
use crate::sql::types::Type;

const LAST: u32 = 0x0010_FFFF;

pub(super) const RULE: Rule = Rule {
    name: "charset",
    params: &["allow", "forbid"],
    build: Build::Field {
        fits: |ty| ty == Type::String,
        takes: "strings",
        build,
    },
    page: "Fires when the text has a code point outside of `allow`, or inside of `forbid`. Write \
           `U+0041` or `U+0041-U+005A`, one or a list, and one of the two parameters.\n\n\
           ```yaml\nquality: [{rule: charset, forbid: [U+0000-U+001F, U+FFFD], on_fail: flag}]\n\
           ```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let rule = site.rule;
    let form = "{rule: charset, forbid: [U+0000-U+001F], on_fail: …}";
    params::required(rule, &["allow", "forbid"], form, found);
    let name = match (rule.param("allow"), rule.param("forbid")) {
        (Some(_), None) => "allow",
        (None, Some(_)) => "forbid",
        (None, None) => return None,
        (Some(_), Some(_)) => {
            found.push(
                Diagnostic::error(
                    e04xx::RULE_PARAMETER,
                    rule.param_place("forbid").at_key(),
                    "`allow` and `forbid` in one rule",
                )
                .help("write two rules"),
            );
            return None;
        }
    };
    let ranges = ranges(site, name, found)?;
    let place = rule.param_place(name);
    let allow = name == "allow";
    match (ranges.as_slice(), allow) {
        ([(0, LAST)], true) => {
            let message = "every character is allowed".to_owned();
            params::never_fires(place, message, "the rule can never fire", found);
            None
        }
        ([(0, LAST)], false) => {
            let message = "every character is forbidden".to_owned();
            params::never_passes(place, message, "only the empty text passes", found);
            None
        }
        ([], _) => {
            params::wrong(rule, name, "at least one range of code points", found);
            None
        }
        (_, _) => {
            let field = site.field.to_owned();
            let generated = format!("{field}_charset");
            Some(Built {
                generated,
                kind: RuleKind::Charset {
                    field,
                    ranges,
                    allow,
                },
            })
        }
    }
}

fn ranges(site: &FieldSite<'_>, name: &str, found: &mut Bag) -> Option<Vec<(u32, u32)>> {
    let written = params::list(site.rule, name, found)?;
    let mut ranges = Vec::new();
    for (index, value) in written.iter().enumerate() {
        match range(&value.text) {
            Some(range) => ranges.push(range),
            None => found.push(
                Diagnostic::error(
                    e04xx::RULE_PARAMETER,
                    site.rule.param_place(name).index(index),
                    format!("`{}` is not a range of code points", value.text),
                )
                .help("write `U+0041` or `U+0041-U+005A`"),
            ),
        }
    }
    (ranges.len() == written.len()).then(|| merged(ranges))
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (code_point(first)?, code_point(last)?),
        None => (code_point(text)?, code_point(text)?),
    };
    (first <= last).then_some((first, last))
}

fn code_point(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("U+")?;
    if !(4..=6).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let point = u32::from_str_radix(digits, 16).ok()?;
    char::from_u32(point).map(u32::from)
}

/// Sorted, and overlapping or adjacent ranges made one.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            Some(_) | None => merged.push((first, last)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::{merged, range};

    #[test]
    fn ranges_are_code_points() {
        for (text, expected) in [
            ("U+0041", Some((0x41, 0x41))),
            ("U+0041-U+005A", Some((0x41, 0x5A))),
            ("U+10FFFF", Some((0x0010_FFFF, 0x0010_FFFF))),
            ("U+005A-U+0041", None),
            ("U+110000", None),
            ("U+D800", None),
            ("U+41", None),
            ("A-Z", None),
        ] {
            assert_eq!(range(text), expected, "{text}");
        }
        assert_eq!(
            merged(vec![(5, 9), (1, 3), (4, 4), (20, 21)]),
            [(1, 9), (20, 21)]
        );
    }
}
