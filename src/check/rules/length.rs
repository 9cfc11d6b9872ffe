//! `length`: a text with too few or too many characters.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::Bag;
use crate::ir::{Bounds, RuleKind};
use crate::sql::types::Type;

const LONGEST: u32 = 1_000_000_000;

pub(super) const RULE: Rule = Rule {
    name: "length",
    params: &["min", "max"],
    build: Build::Field {
        fits: |ty| ty == Type::String,
        takes: "strings",
        build,
    },
    page: "Fires when the text has fewer than `min` or more than `max` characters, counted as \
           Unicode code points; both bounds are allowed lengths.\n\n\
           ```yaml\nquality: [{rule: length, min: 1, max: 40, on_fail: flag}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let rule = site.rule;
    params::required(
        rule,
        &["min", "max"],
        "{rule: length, max: 40, on_fail: …}",
        found,
    );
    let min = bound(site, "min", found);
    let max = bound(site, "max", found);
    let unread = |name: &str, bound: Option<u32>| rule.param(name).is_some() && bound.is_none();
    if unread("min", min) || unread("max", max) {
        return None;
    }
    let place = rule.param_place("min");
    let field = site.field.to_owned();
    let (suffix, bounds) = match (min, max) {
        (Some(min), Some(max)) if min > max => {
            let message = "`min` is above `max`".to_owned();
            params::never_passes(
                place,
                message,
                "no text is at once longer and shorter",
                found,
            );
            return None;
        }
        (Some(0), None) => {
            let message = "`min: 0` can never fire".to_owned();
            params::never_fires(place, message, "no text is shorter", found);
            return None;
        }
        (Some(min), Some(max)) => ("length", Bounds::Both(min, max)),
        (Some(min), None) => ("length_min", Bounds::Min(min)),
        (None, Some(max)) => ("length_max", Bounds::Max(max)),
        (None, None) => return None,
    };
    Some(Built {
        generated: format!("{field}_{suffix}"),
        kind: RuleKind::Length { field, bounds },
    })
}

fn bound(site: &FieldSite<'_>, name: &str, found: &mut Bag) -> Option<u32> {
    let text = &params::one(site.rule, name, found)?.text;
    let digits = text.strip_prefix('-').unwrap_or("");
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("`{name}` is negative");
        let why = "no text has fewer than 0 characters";
        let place = site.rule.param_place(name);
        if name == "max" {
            params::never_passes(place, message, why, found);
        } else {
            params::never_fires(place, message, why, found);
        }
        return None;
    }
    match text.parse::<u32>() {
        Ok(count) if count <= LONGEST => Some(count),
        Ok(_) | Err(_) => {
            params::wrong(site.rule, name, "a number of characters", found);
            None
        }
    }
}
