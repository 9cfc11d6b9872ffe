//! `in_set`: a value that is not in a list.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::Bag;
use crate::ir::RuleKind;
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "in_set",
    params: &["values"],
    build: Build::Field {
        fits: |ty| ty != Type::Variant,
        takes: "every field but a variant",
        build,
    },
    page: "Fires when the value is none of `values`. For a string field each value is the text as \
           written: `NO`, `on` and `1.10` stay what they are.\n\n\
           ```yaml\nquality: [{rule: in_set, values: [SE, NO, DK], on_fail: quarantine}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let form = "{rule: in_set, values: [a, b], on_fail: …}";
    params::required(site.rule, &["values"], form, found);
    let values = params::list(site.rule, "values", found)?;
    let place = site.rule.param_place("values");
    let values = params::distinct(values, site.ty, &place, found)?;
    if site.ty == Type::Bool && values.len() == 2 {
        let message = "both values of a bool are allowed".to_owned();
        params::never_fires(place, message, "there is no third", found);
        return None;
    }
    let field = site.field.to_owned();
    Some(Built {
        generated: format!("{field}_in_set"),
        kind: RuleKind::InSet { field, values },
    })
}
