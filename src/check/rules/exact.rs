//! `exact`: a decimal lost digits that were not zero.

use super::{Build, Built, FieldSite, Rule, params};
use crate::diag::Bag;
use crate::ir::{MappedField, RuleKind, Source, Step, StepOp};
use crate::sql::types::Type;

pub(super) const RULE: Rule = Rule {
    name: "exact",
    params: &[],
    build: Build::Field {
        fits: is_decimal,
        takes: "decimals",
        build,
    },
    page: "Fires when the delivered number has more digits behind the point than the field and \
           they are not all zero: `12.505` as `decimal(12,2)` is stored as `12.51`. Every decimal \
           has it without being asked, at `flag`. Declare it to change that.\n\n\
           ```yaml\nquality: [{rule: exact, on_fail: quarantine}]\n```\n",
};

fn is_decimal(ty: Type) -> bool {
    match ty {
        Type::Decimal(_) => true,
        Type::String | Type::Int | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            false
        }
    }
}

/// The field is a decimal that is read from text.
pub(super) fn can_fire(mapped: &MappedField) -> bool {
    let reads_decimal = |steps: &[Step]| steps.iter().any(|step| step.op == StepOp::ToDecimal);
    let of_aliases = match &mapped.from {
        Source::Path(_) => false,
        Source::Recipe(recipe) => {
            let mut aliases = recipe.aliases.iter();
            aliases.any(|alias| reads_decimal(&alias.steps))
        }
    };
    is_decimal(mapped.ty) && (of_aliases || reads_decimal(&mapped.steps))
}

fn build(site: &FieldSite<'_>, found: &mut Bag) -> Option<Built> {
    let field = site.field.to_owned();
    if !can_fire(site.mapped?) {
        let message = format!("`exact` on `{field}` can never fire");
        let why = "the chain computes the number and reads no decimal";
        params::never_fires(site.rule.at.key("rule"), message, why, found);
        return None;
    }
    Some(Built {
        generated: format!("{field}_exact"),
        kind: RuleKind::Exact { field },
    })
}
