//! Differences in what an entity's columns are.

use std::collections::BTreeSet;

use super::{Differences, Subject, moves_of_value};
use crate::change::facts::{EntityFacts, FieldFacts, Kind};
use crate::change::kinds::Change;
use crate::ir::Disposition;
use crate::sql::types::{DecimalType, Type};

pub(super) fn compare(
    old: &EntityFacts,
    new: &EntityFacts,
    looked_up: &BTreeSet<&str>,
    found: &mut Differences,
) {
    for field in &old.fields {
        if new.field(&field.name).is_none() {
            let ty = Some(field.ty.to_string());
            let subject = Subject::Field(field.name.clone());
            found.text(Change::FieldRemoved, subject, &ty, &None);
        }
    }
    for after in &new.fields {
        let FieldFacts {
            name,
            ty,
            description,
            classification,
        } = after;
        let subject = Subject::Field(name.clone());
        let Some(before) = old.field(name) else {
            let ty = Some(ty.to_string());
            found.text(Change::FieldAdded, subject, &None, &ty);
            continue;
        };
        let change = retyped(before.ty, *ty, old, name);
        let (from, to) = (Some(before.ty.to_string()), Some(ty.to_string()));
        found.text(change, subject.clone(), &from, &to);
        if before.ty != *ty && change != Change::FieldWidened {
            found.with_moves(moves_of_value(old, name, looked_up));
        }
        let (change, from) = (Change::FieldReclassified, &before.classification);
        found.text(change, subject.clone(), from, classification);
        let from = &before.description;
        found.text(Change::FieldDescribed, subject, from, description);
    }
    let order = |of: &EntityFacts, other: &EntityFacts| -> Vec<String> {
        let shared = of
            .fields
            .iter()
            .filter(|field| other.field(&field.name).is_some());
        shared.map(|field| field.name.clone()).collect()
    };
    let (before, after) = (order(old, new), order(new, old));
    if before != after {
        let (before, after) = (before.join(", "), after.join(", "));
        let change = Change::FieldsReordered;
        found.push(change, Subject::Whole, Some(&before), Some(&after));
    }
}

fn retyped(old: Type, new: Type, entity: &EntityFacts, field: &str) -> Change {
    let (from, to) = (digits(old), digits(new));
    let (Some(from), Some(to)) = (from, to) else {
        return Change::FieldRetyped;
    };
    // Fewer digits would refuse rows; more behind the point keep what was rounded away.
    let is_wider = to.scale == from.scale && to.precision >= from.precision;
    if !is_wider {
        return Change::FieldRetyped;
    }
    let refuses = entity.rules().any(|(_, rule)| {
        let is_own = rule.judgement.field.as_deref() == Some(field);
        let keeps = match rule.disposition {
            Disposition::Quarantine | Disposition::Flag | Disposition::UnknownMember => true,
            Disposition::Fail => false,
        };
        is_own && keeps && rule.judgement.kind == Kind::Coercible
    });
    match refuses {
        true => Change::FieldAdmitsMore,
        false => Change::FieldWidened,
    }
}

fn digits(ty: Type) -> Option<DecimalType> {
    match ty {
        Type::Decimal(digits) => Some(digits),
        Type::Int | Type::String | Type::Bool | Type::Date | Type::Timestamp | Type::Variant => {
            None
        }
    }
}
