//! Which of several rows with one key stays: a total order on typed values.

use super::world::{EntityView, mapped_fields};
use crate::diag::code::{e02xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Dedupe, INGESTED_AT, LOAD_ID, OrderColumn, SOURCE_ROW_ID};
use crate::place::Place;
use crate::sql::types::Type;

const METADATA: &[&str] = &[INGESTED_AT, LOAD_ID, SOURCE_ROW_ID];

pub(super) fn resolve(entity: &EntityView<'_>, found: &mut Bag) -> Option<Dedupe> {
    let spec = entity.spec.dedupe.as_ref()?;
    if spec.tie_break.is_empty() {
        found.push(
            Diagnostic::error(
                e04xx::MISSING_TIE_BREAK,
                spec.at.key("tie_break").at_key(),
                "`dedupe` without `tie_break`".to_owned(),
            )
            .label("of two rows with the same time, either could win")
            .help("write `tie_break: [_load_id]`, or fields that tell such rows apart"),
        );
    }
    let field = match &spec.field {
        Some(name) => {
            let column = order_column(name, &spec.at.key("field"), entity, found);
            if let Some(OrderColumn::Field(name)) = &column {
                check_recency(name, &spec.at.key("field"), entity, found);
            }
            column
        }
        None => {
            found.push(
                Diagnostic::error(
                    e04xx::DEDUPE_FIELD,
                    spec.at.at_key(),
                    "`dedupe` without `field`".to_owned(),
                )
                .label("nothing says which row is the latest")
                .help("write `field: _ingested_at`, or the field that grows with every change"),
            );
            None
        }
    };
    let mut tie_break: Vec<OrderColumn> = Vec::new();
    for name in &spec.tie_break {
        let Some(column) = order_column(&name.value, &name.at.place(), entity, found) else {
            continue;
        };
        if field.as_ref() == Some(&column) || tie_break.contains(&column) {
            found.push(
                Diagnostic::error(
                    e04xx::DEDUPE_FIELD,
                    name.at.place(),
                    format!("`{}` orders the rows twice", name.value),
                )
                .label("the second time it breaks no tie")
                .help("name another column"),
            );
        }
        tie_break.push(column);
    }
    Some(Dedupe {
        field: field?,
        tie_break,
    })
}

fn order_column(
    name: &str,
    place: &Place,
    entity: &EntityView<'_>,
    found: &mut Bag,
) -> Option<OrderColumn> {
    match name {
        LOAD_ID => return Some(OrderColumn::LoadId),
        INGESTED_AT => return Some(OrderColumn::IngestedAt),
        SOURCE_ROW_ID => return Some(OrderColumn::SourceRowId),
        _ => {}
    }
    let Some(field) = entity.fields.get(name) else {
        found.push(
            Diagnostic::error(
                e02xx::UNKNOWN_FIELD,
                place.clone(),
                format!("unknown field `{name}`"),
            )
            .label(format!(
                "neither a field of `{}` nor ingestion metadata",
                entity.name()
            ))
            .help_nearest(name, entity.field_names().chain(METADATA.iter().copied())),
        );
        return None;
    };
    for mapping in &entity.mappings {
        if !mapped_fields(mapping).any(|mapped| mapped.name == name) {
            found.push(
                Diagnostic::error(
                    e02xx::FIELD_NOT_MAPPED,
                    place.clone(),
                    format!(
                        "`{name}` orders the rows, and `{}` does not fill it",
                        mapping.source
                    ),
                )
                .label("those rows could never win")
                .help("map the field, or order by `_ingested_at`"),
            );
        }
    }
    if field.ty == Some(Type::Variant) {
        found.push(
            Diagnostic::error(
                e04xx::DEDUPE_FIELD,
                place.clone(),
                format!("`{name}` is a `variant` and has no order"),
            )
            .help("name a field of another type"),
        );
        return None;
    }
    Some(OrderColumn::Field(name.to_owned()))
}

/// Recency is compared as a typed value, never as text.
fn check_recency(name: &str, place: &Place, entity: &EntityView<'_>, found: &mut Bag) {
    let Some(ty) = entity.fields.get(name).and_then(|field| field.ty) else {
        return;
    };
    if !ty.is_time() && !ty.is_number() {
        found.push(
            Diagnostic::error(
                e04xx::DEDUPE_FIELD,
                place.clone(),
                format!("`{name}` is a `{ty}` and does not say which row is the latest"),
            )
            .label("as text, `9` comes behind `10`")
            .help("declare it as a timestamp, date or number, or use `_ingested_at`"),
        );
    }
}
