//! `in_enum`: a text that `enum_map` does not know.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::Bag;
use crate::ir::{RuleKind, StepOp};

pub(super) const RULE: Rule = Rule {
    name: "in_enum",
    params: &[],
    build: Build::Field {
        fits: |_| true,
        takes: "every field",
        build,
    },
    page: "Fires when the chain has an `enum_map` and the text in front of it is none of those it \
           maps; such a text passes the step unchanged.\n\n\
           ```yaml\nstatus:\n  from: \"$.st\"\n  transform: [{enum_map: [N, new, D, done]}]\n  \
           quality: [{rule: in_enum, on_fail: quarantine}]\n```\n",
};

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let field = site.field.to_owned();
    if !site
        .mapped?
        .steps
        .iter()
        .any(|step| matches!(step.op, StepOp::EnumMap(_)))
    {
        let message = format!("`in_enum` on `{field}` can never fire");
        let why = "the chain has no `enum_map`";
        params::never_fires(site.rule.at.key("rule"), message, why, found);
        return None;
    }
    Some(Built {
        generated: format!("{field}_in_enum"),
        kind: RuleKind::InEnum { field },
    })
}
