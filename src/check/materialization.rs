//! How what is stored is kept up to date.

use super::world::{EntityView, mapped_fields};
use crate::diag::code::{e02xx, e04xx};
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Incremental, Materialization};
use crate::spec::Placed;
use crate::spec::entity_model::{self, Partition, PartitionUnit};
use crate::sql::types::Type;

pub(super) fn resolve(
    entity: &EntityView<'_>,
    has_metadata: bool,
    found: &mut Bag,
) -> Materialization {
    let spec = entity.spec;
    for partition in &spec.partition_by {
        check_partition(partition, entity, found);
    }
    let partition_by: Vec<String> = spec
        .partition_by
        .iter()
        .map(|partition| shown(&partition.value))
        .collect();
    let is_incremental = match spec.materialization {
        None => !partition_by.is_empty(),
        Some(entity_model::Materialization::Full) => false,
        Some(entity_model::Materialization::IncrementalByKey) => true,
        Some(entity_model::Materialization::IncrementalByPartition) => {
            if partition_by.is_empty() {
                found.push(
                    Diagnostic::error(
                        e04xx::MATERIALIZATION,
                        spec.at.key("materialization"),
                        "`incremental_by_partition` without `partition_by`".to_owned(),
                    )
                    .help("name the partitions, or write `incremental_by_key`"),
                );
            }
            true
        }
    };
    if !is_incremental {
        if spec.arrival_lag.is_some() {
            found.push(
                Diagnostic::error(
                    e04xx::MATERIALIZATION,
                    spec.at.key("arrival_lag").at_key(),
                    "`arrival_lag` on an entity that is built anew in every run".to_owned(),
                )
                .label("every run reads all of bronze, however late a delivery came")
                .help("write `materialization: incremental_by_key`, or leave the key out"),
            );
        }
        return Materialization::Full;
    }
    if !has_metadata {
        found.push(
            Diagnostic::error(
                e04xx::MATERIALIZATION,
                spec.at.key("materialization"),
                format!(
                    "`{}` is incremental and nothing identifies its deliveries",
                    spec.name
                ),
            )
            .label("without `dedupe` and `quality` the ingestion metadata is not read")
            .help("declare `dedupe:`, or rules"),
        );
    }
    Materialization::Incremental(Incremental {
        arrival_lag: spec.arrival_lag,
        partition_by,
    })
}

fn shown(partition: &Partition) -> String {
    let Partition { unit, column } = partition;
    match unit {
        PartitionUnit::Value => column.clone(),
        PartitionUnit::Days => format!("days({column})"),
        PartitionUnit::Months => format!("months({column})"),
        PartitionUnit::Years => format!("years({column})"),
        PartitionUnit::Hours => format!("hours({column})"),
    }
}

fn check_partition(partition: &Placed<Partition>, entity: &EntityView<'_>, found: &mut Bag) {
    let place = partition.at.place();
    let Partition { unit, column } = &partition.value;
    let Some(field) = entity.fields.get(column.as_str()) else {
        found.push(
            Diagnostic::error(
                e02xx::UNKNOWN_FIELD,
                place,
                format!("unknown field `{column}`"),
            )
            .label(format!("not a field of `{}`", entity.name()))
            .help_nearest(column, entity.field_names()),
        );
        return;
    };
    let is_mapped = entity
        .mappings
        .iter()
        .all(|mapping| mapped_fields(mapping).any(|field| field.name == *column));
    if !is_mapped {
        found.push(
            Diagnostic::error(
                e02xx::FIELD_NOT_MAPPED,
                place,
                format!("no mapping of `{}` may leave out `{column}`", entity.name()),
            )
            .label("its rows have no partition"),
        );
        return;
    }
    let fits = match (unit, field.ty) {
        (PartitionUnit::Value, _) | (_, None) => true,
        (PartitionUnit::Hours, Some(ty)) => ty == Type::Timestamp,
        (PartitionUnit::Days | PartitionUnit::Months | PartitionUnit::Years, Some(ty)) => {
            ty.is_time()
        }
    };
    if !fits {
        found.push(
            Diagnostic::error(
                e04xx::MATERIALIZATION,
                place,
                format!("`{}` of a field that is no time", shown(&partition.value)),
            )
            .help("partition by the field itself, or by one that is a date or timestamp"),
        );
    }
}
