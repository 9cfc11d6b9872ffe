//! `range`: a number, date or timestamp below or above its bounds.

use std::cmp::Ordering;

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::code::e03xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Bounds, RuleKind};
use crate::sql::literal::{Literal, read};
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "range",
    params: &["min", "max"],
    build: Build::Field {
        fits: |ty| ty.is_number() || ty.is_time(),
        takes: "numbers, dates and timestamps",
        build,
    },
    page: "Fires when the value is below `min` or above `max`; both bounds are allowed values. \
           Decimals are exact, so write them in quotes.\n\n\
           ```yaml\nquality: [{rule: range, min: 0, max: \"900.5\", on_fail: quarantine}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let rule = site.rule;
    params::required(
        rule,
        &["min", "max"],
        "{rule: range, min: 0, on_fail: …}",
        found,
    );
    let min = bound(site, "min", found);
    let max = bound(site, "max", found);
    let unread =
        |name: &str, bound: &Option<Literal>| rule.param(name).is_some() && bound.is_none();
    if unread("min", &min) || unread("max", &max) {
        return None;
    }
    if let (Some(min), Some(max)) = (&min, &max) {
        params::check_order(min, max, rule.param_place("min"), found);
    }
    check_limits(site, min.as_ref(), max.as_ref(), found);
    let field = site.field.to_owned();
    let (suffix, bounds) = match (min, max) {
        (Some(min), Some(max)) => ("range", Bounds::Both(min, max)),
        (Some(min), None) => ("range_min", Bounds::Min(min)),
        (None, Some(max)) => ("range_max", Bounds::Max(max)),
        (None, None) => return None,
    };
    Some(Built {
        generated: format!("{field}_{suffix}"),
        kind: RuleKind::Range { field, bounds },
    })
}

fn bound(site: &FieldSite<'_>, name: &str, found: &mut Bag) -> Option<Literal> {
    let value = params::one(site.rule, name, found)?;
    match read::read(site.ty, &value.text) {
        Ok(literal) => Some(literal),
        Err(reason) => {
            let place = site.rule.param_place(name);
            found.push(
                Diagnostic::error(e03xx::LITERAL_TYPE, place, reason)
                    .label(format!("the field is of type `{}`", site.ty)),
            );
            None
        }
    }
}

/// A bound at or beyond what the type can hold says nothing, or refuses everything.
fn check_limits(
    site: &FieldSite<'_>,
    min: Option<&Literal>,
    max: Option<&Literal>,
    found: &mut Bag,
) {
    let ty = site.ty;
    let Some((least, most)) = limits(ty) else {
        return;
    };
    if let Some(min) = min {
        let place = site.rule.param_place("min");
        if read::compare(min, &most) == Some(Ordering::Greater) {
            let why = format!("no `{ty}` is that large");
            params::never_passes(place, "`min` refuses every value".to_owned(), &why, found);
        } else if read::compare(min, &least) != Some(Ordering::Greater) {
            let why = format!("no `{ty}` is below it");
            params::never_fires(place, "`min` can never fire".to_owned(), &why, found);
        }
    }
    if let Some(max) = max {
        let place = site.rule.param_place("max");
        if read::compare(max, &least) == Some(Ordering::Less) {
            let why = format!("no `{ty}` is that small");
            params::never_passes(place, "`max` refuses every value".to_owned(), &why, found);
        } else if read::compare(max, &most) != Some(Ordering::Less) {
            let why = format!("no `{ty}` is above it");
            params::never_fires(place, "`max` can never fire".to_owned(), &why, found);
        }
    }
}

fn limits(ty: Type) -> Option<(Literal, Literal)> {
    match ty {
        Type::Int => Some((Literal::Int(i64::MIN), Literal::Int(i64::MAX))),
        Type::Decimal(ty) => {
            let whole = "9".repeat(usize::from(ty.precision - ty.scale));
            let fraction = "9".repeat(usize::from(ty.scale));
            let most = match (whole.as_str(), fraction.as_str()) {
                (whole, "") => whole.to_owned(),
                ("", fraction) => format!("0.{fraction}"),
                (whole, fraction) => format!("{whole}.{fraction}"),
            };
            Some((Literal::Decimal(format!("-{most}")), Literal::Decimal(most)))
        }
        Type::Date => {
            let date = |text: &str| Literal::Date(text.to_owned());
            Some((date("0001-01-01"), date("9999-12-31")))
        }
        Type::String | Type::Bool | Type::Timestamp | Type::Variant => None,
    }
}
