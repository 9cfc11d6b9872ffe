//! Rules that nobody has to write: they hold unless the field declares its own.

use super::{Rule, coercible, exact, not_null};
use crate::check::recipe::direct_name;
use crate::check::world::EntityView;
use crate::ir::{Disposition, MappedField, RuleKind, Scope};
use crate::spec::mapping::MappedFieldSpec;
use crate::spec::rule::RuleSpec;
use crate::sql::expr::{Comparison, Expr};

pub(super) fn rules(
    mapped: &MappedField,
    declared: &[RuleSpec],
    entity: &EntityView<'_>,
    orders_dedupe: bool,
    scope: Scope,
) -> Vec<crate::ir::Rule> {
    let is_declared = |rule: &Rule| declared.iter().any(|spec| spec.rule == rule.name);
    let mut rules = Vec::new();
    let mut push = |kind: RuleKind, suffix: &str, disposition: Disposition| {
        rules.push(crate::ir::Rule {
            name: format!("{}_{suffix}", mapped.field),
            scope,
            disposition,
            kind,
            description: None,
            place: mapped.place.clone(),
        });
    };
    let field = mapped.field.clone();
    if coercible::can_fire(mapped) && !is_declared(&coercible::RULE) {
        let disposition = if orders_dedupe {
            Disposition::Fail
        } else {
            Disposition::Quarantine
        };
        push(
            RuleKind::Coercible {
                field: field.clone(),
            },
            "coercible",
            disposition,
        );
    }
    if exact::can_fire(mapped) && !is_declared(&exact::RULE) {
        push(
            RuleKind::Exact {
                field: field.clone(),
            },
            "exact",
            Disposition::Flag,
        );
    }
    if entity.is_key(&mapped.field) && !is_declared(&not_null::RULE) {
        push(
            RuleKind::NotNull { field },
            "not_null",
            Disposition::Quarantine,
        );
    }
    rules
}

/// The gate of `direct`: what the recipe makes is what is delivered.
pub(super) fn agrees(written: &MappedFieldSpec, scope: Scope) -> crate::ir::Rule {
    let delivered = Expr::column(&direct_name(&written.name));
    crate::ir::Rule {
        name: format!("{}_agrees_with_direct", written.name),
        scope,
        disposition: Disposition::Fail,
        kind: RuleKind::Expression {
            holds: Expr::column(&written.name).compare(Comparison::Equal, delivered),
        },
        description: None,
        place: written.at.key("direct").at_key(),
    }
}
