//! The documents by name, so that each concern can look up the others.

use std::collections::BTreeMap;

use super::recipe::{self, Recipes};
use crate::place::Place;
use crate::spec::Spec;
use crate::spec::entity_model::{EntitySpec, FieldSpec, RelationshipSpec};
use crate::spec::mapping::{MappedFieldSpec, MappingSpec};
use crate::sql::types::Type;

pub(super) struct World<'s> {
    /// Of two entities with one name, the first.
    pub(super) entities: BTreeMap<&'s str, EntityView<'s>>,
    pub(super) relationships: BTreeMap<&'s str, &'s RelationshipSpec>,
    pub(super) recipes: Recipes<'s>,
}

pub(super) struct EntityView<'s> {
    pub(super) spec: &'s EntitySpec,
    pub(super) fields: BTreeMap<&'s str, &'s FieldSpec>,
    /// Sorted by source.
    pub(super) mappings: Vec<&'s MappingSpec>,
    /// Fields that some mapping fills and whose type is known: the entity's columns.
    pub(super) columns: BTreeMap<String, Type>,
}

impl<'s> World<'s> {
    pub(super) fn new(spec: &'s Spec, recipes: Recipes<'s>) -> Self {
        let mut mappings: BTreeMap<&str, Vec<&MappingSpec>> = BTreeMap::new();
        for mapping in &spec.mappings {
            mappings
                .entry(mapping.target.as_str())
                .or_default()
                .push(mapping);
        }
        let mut entities = BTreeMap::new();
        for entity in &spec.entities {
            let own = mappings
                .get(entity.name.as_str())
                .cloned()
                .unwrap_or_default();
            entities
                .entry(entity.name.as_str())
                .or_insert_with(|| EntityView::new(entity, own));
        }
        let mut relationships = BTreeMap::new();
        for relationship in &spec.relationships {
            relationships
                .entry(relationship.name.as_str())
                .or_insert(relationship);
        }
        Self {
            entities,
            relationships,
            recipes,
        }
    }

    pub(super) fn entity_names(&self) -> impl Iterator<Item = &'s str> {
        self.entities.keys().copied()
    }
}

impl<'s> EntityView<'s> {
    fn new(spec: &'s EntitySpec, mut mappings: Vec<&'s MappingSpec>) -> Self {
        mappings.sort_by(|a, b| (&a.source, a.at.file()).cmp(&(&b.source, b.at.file())));
        let mut fields = BTreeMap::new();
        for field in &spec.fields {
            fields.entry(field.name.as_str()).or_insert(field);
        }
        let mut columns = BTreeMap::new();
        for mapped in mappings.iter().flat_map(|mapping| mapped_fields(mapping)) {
            if let Some(field) = fields.get(mapped.name.as_str())
                && let Some(ty) = field.ty
            {
                columns.insert(field.name.clone(), ty);
                if mapped.direct().is_some() {
                    columns.insert(recipe::direct_name(&field.name), ty);
                }
            }
        }
        Self {
            spec,
            fields,
            mappings,
            columns,
        }
    }

    pub(super) fn name(&self) -> &'s str {
        self.spec.name.as_str()
    }

    /// Where the value of a field is delivered beside its recipe: the first of its mappings to say so.
    pub(super) fn direct(&self, field: &str) -> Option<Place> {
        let mut mapped = self
            .mappings
            .iter()
            .flat_map(|mapping| mapped_fields(mapping))
            .filter(|mapped| mapped.name == field && mapped.direct().is_some());
        mapped.next().map(|mapped| mapped.at.key("direct"))
    }

    /// `None`: it is not declared, or with a type that is none.
    pub(super) fn type_of(&self, field: &str) -> Option<Type> {
        self.fields.get(field).and_then(|field| field.ty)
    }

    pub(super) fn is_key(&self, field: &str) -> bool {
        self.spec.key.iter().any(|key| key.value == field)
    }

    pub(super) fn field_names(&self) -> impl Iterator<Item = &'s str> {
        self.fields.keys().copied()
    }
}

/// Key fields first, each in authored order.
pub(super) fn mapped_fields(mapping: &MappingSpec) -> impl Iterator<Item = &MappedFieldSpec> {
    mapping.key.iter().chain(&mapping.fields)
}
