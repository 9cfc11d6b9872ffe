//! `not_null`: the value is missing.

use super::{Build, Built, FieldSite, Rule};
use crate::diag::Bag;
use crate::ir::RuleKind;

pub(super) const RULE: Rule = Rule {
    name: "not_null",
    params: &[],
    build: Build::Field {
        fits: |_| true,
        takes: "every field",
        build,
    },
    page: "Fires when the value is NULL; `''` and the text `NULL` are values. Key fields have it \
           without being asked, at `quarantine`: a row with a NULL in its key has no identity. A \
           weaker disposition on a key field is allowed; such rows then stay in the entity and are \
           never deduplicated against each other.\n\n\
           ```yaml\nquality: [{rule: not_null, on_fail: quarantine}]\n```\n",
};

fn build(site: &FieldSite<'_>, _found: &mut Bag) -> Option<Built> {
    let field = site.field.to_owned();
    Some(Built {
        generated: format!("{field}_not_null"),
        kind: RuleKind::NotNull { field },
    })
}
