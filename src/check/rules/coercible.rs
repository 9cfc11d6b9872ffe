//! `coercible`: a value that was delivered did not become a value of the field's type.

use super::{Build, Built, FieldSite, Rule, params};
use crate::check::chain;
use crate::diag::Bag;
use crate::ir::{MappedField, RuleKind, Source};

pub(super) const RULE: Rule = Rule {
    name: "coercible",
    params: &[],
    build: Build::Field {
        fits: |_| true,
        takes: "every field",
        build,
    },
    page: "Fires when the delivered value is not NULL and a step of the chain could make nothing of \
           it: `12,50 €` as a decimal, `2024-02-30` as a date, a path into malformed JSON. Every \
           mapped field that can fail has it without being asked, at `quarantine`; a field that \
           `dedupe` orders by has it at `fail`. Declare it to change that.\n\n\
           ```yaml\nquality: [{rule: coercible, on_fail: flag}]\n```\n",
};

/// Some step can make nothing of a text, or the way to it leads through JSON.
pub(super) fn can_fire(mapped: &MappedField) -> bool {
    let reads_json = mapped.paths().iter().any(|path| !path.inner.is_empty());
    let computes = match &mapped.from {
        Source::Path(_) => false,
        Source::Recipe(recipe) => {
            let mut aliases = recipe.aliases.iter();
            aliases.any(|alias| chain::can_fail(&alias.steps)) || recipe.value.failure().is_some()
        }
    };
    reads_json || computes || chain::can_fail(&mapped.steps)
}

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let field = site.field.to_owned();
    if !can_fire(site.mapped?) {
        let message = format!("`coercible` on `{field}` can never fire");
        let why = "every text becomes a value of this field";
        params::never_fires(site.rule.at.key("rule"), message, why, found);
        return None;
    }
    Some(Built {
        generated: format!("{field}_coercible"),
        kind: RuleKind::Coercible { field },
    })
}
