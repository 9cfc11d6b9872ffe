//! `unique`: a value that another row has too.

use super::{Build, Built, FieldSite, Rule, params};
use crate::check::expression;
use crate::diag::Bag;
use crate::ir::RuleKind;
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "unique",
    params: &["where"],
    build: Build::Field {
        fits: |ty| ty != Type::Variant,
        takes: "every field but a variant",
        build,
    },
    page: "Fires on every row whose value another surviving row has too. `where` says which rows \
           are compared, and only those can be blamed.\n\n\
           ```yaml\nquality: [{rule: unique, where: \"state = 'open'\", on_fail: flag}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let field = site.field.to_owned();
    let filter = match site.rule.param("where") {
        None => None,
        Some(_) => {
            let text = &params::one(site.rule, "where", found)?.text;
            let place = site.rule.param_place("where");
            Some(expression::condition(text, &place, site.entity, found)?)
        }
    };
    Some(Built {
        generated: format!("{field}_unique"),
        kind: RuleKind::Unique { field, filter },
    })
}
