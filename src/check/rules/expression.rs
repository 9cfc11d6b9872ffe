//! `expression`: a condition over several columns that does not hold.

use super::{Build, Built, EntitySite, Rule, params};
use crate::check::expression;
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::RuleKind;

pub(super) const RULE: Rule = Rule {
    name: "expression",
    params: &["expr"],
    build: Build::Entity(build),
    page: "`expr` is the condition that must hold. Fires when it is false; where a NULL makes it \
           undecidable it does not fire and is counted as undecided. It is SQL over the entity's \
           own columns: comparisons, `AND OR NOT`, `IS NULL`, `IN`, `BETWEEN`, `LIKE`, `CASE`, \
           arithmetic, `coalesce nullif abs round length lower upper trim substring extract \
           greatest least`, casts between our types, dates and intervals.\n\n\
           ```yaml\nquality:\n  - {rule: expression, name: heavy_has_crane, expr: \"kilos < 500 OR \
           crane\", on_fail: flag}\n```\n",
};

fn build(site: &EntitySite<'_>, found: &mut Bag) -> Option<Built> {
    let form = "{rule: expression, name: …, expr: \"a < b\", on_fail: …}";
    params::required(site.rule, &["expr"], form, found);
    if site.rule.name.is_none() {
        found.push(
            Diagnostic::error(
                e04xx::RULE_PARAMETER,
                site.rule.at.place(),
                "`expression` without `name`",
            )
            .label("flags and counts would have nothing to call it")
            .help("write `name:`, as `heavy_has_crane`"),
        );
    }
    let text = &params::one(site.rule, "expr", found)?.text;
    let place = site.rule.param_place("expr");
    let holds = expression::condition(text, &place, site.entity, found)?;
    let generated = site.rule.name.clone()?;
    Some(Built {
        generated,
        kind: RuleKind::Expression { holds },
    })
}
