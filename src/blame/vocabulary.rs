//! What the names in an entity's generated text stand for.

use std::collections::BTreeSet;

use super::{Kind, Meanings, Origin, Page, Part, Word, Words};
use crate::ir::{Entity, Field, Mapping, RuleKind, Source, SourcePath};
use crate::lower::EntityPlan;
use crate::lower::helper::helper;
use crate::lower::judged::{JudgedRule, Parent, probe_name, repeated_column};
use crate::lower::recipe;
use crate::place::Place;

#[derive(Default)]
pub struct Vocabulary<'p> {
    /// Names of fields, and of columns that hold their values.
    fields: Meanings,
    /// Names of bronze columns; for each mapping.
    columns: Vec<Meanings>,
    /// The text of a field on its way to a value; for each mapping.
    ways: Vec<Meanings>,
    /// Whatever has one meaning in all of an entity's files.
    always: Meanings,
    /// Column of a mask, bit, rule.
    bits: Vec<(String, i64, Origin)>,
    mappings: Vec<Origin>,
    asserts: Vec<Origin>,
    dedupe: Option<Origin>,
    entities: Vec<&'p Entity>,
}

pub fn entity(entity: &Entity) -> Origin {
    origin(Kind::Entity, &entity.name, entity, entity.place.clone())
}

fn origin(kind: Kind, name: &str, entity: &Entity, place: Place) -> Origin {
    Origin {
        kind,
        name: name.to_owned(),
        entity: entity.name.clone(),
        place,
    }
}

fn add(meanings: &mut Meanings, word: Word, origin: &Origin) {
    meanings.entry(word).or_default().push(origin.clone());
}

impl<'p> Vocabulary<'p> {
    pub fn of_entity(plans: &[EntityPlan<'p>]) -> Self {
        let mut known = Self::default();
        for plan in plans {
            known.entities.push(plan.entity);
            known.add_entity(plan.entity);
            for (index, mapping) in plan.entity.mappings.iter().enumerate() {
                known.add_mapping(plan.entity, mapping);
                for (field, malformed) in &plan.coerced.inputs[index].malformed {
                    let reader = known.way(index, field);
                    add(&mut known.always, Word::Bare(malformed.clone()), &reader);
                }
            }
            known.add_rules(plan);
        }
        known
    }

    /// The bronze relations of all entities.
    pub fn of_sources(plans: &[EntityPlan<'p>]) -> Self {
        let mut known = Self::default();
        for plan in plans {
            known.entities.push(plan.entity);
            for mapping in &plan.entity.mappings {
                known.add_mapping(plan.entity, mapping);
            }
        }
        known
    }

    fn add_entity(&mut self, entity: &Entity) {
        let key = origin(
            Kind::Key,
            &entity.key.join(", "),
            entity,
            entity.place.key("key").at_key(),
        );
        for field @ Field { name, .. } in &entity.fields {
            let declared = origin(Kind::Field, name, entity, field.place.clone());
            for word in [Word::Name(name.clone()), Word::Text(name.clone())] {
                add(&mut self.fields, word, &declared);
            }
            if entity.key.contains(name) {
                add(&mut self.always, Word::Bare(helper("_key__", name)), &key);
            }
        }
        for word in ["_key", "_key_text", "_key_repeats", "grain", "unique_key"] {
            add(&mut self.always, Word::Bare(word.to_owned()), &key);
        }
        let itself = self::entity(entity);
        add(&mut self.always, Word::Name(entity.name.clone()), &itself);
        let asserts = entity.asserts.iter().map(|assert| {
            let place = field_place(entity, &assert.field).key("assert").at_key();
            origin(Kind::Assert, &assert.name, entity, place)
        });
        self.asserts.extend(asserts);
        self.dedupe = entity.dedupe.as_ref().map(|_| {
            let place = entity.place.key("dedupe").at_key();
            origin(Kind::Dedupe, &entity.name, entity, place)
        });
    }

    fn add_mapping(&mut self, entity: &Entity, mapping: &Mapping) {
        let Mapping {
            source,
            place,
            fields,
            columns,
            freshness: _,
        } = mapping;
        let whole = origin(Kind::Mapping, source, entity, place.key("source"));
        for word in [Word::Text(source.clone()), Word::Name(source.clone())] {
            add(&mut self.always, word, &whole);
        }
        self.mappings.push(whole);
        let mut ways = Meanings::default();
        let mut named = Meanings::default();
        for mapped in fields {
            let way = origin(
                Kind::MappedField,
                &mapped.field,
                entity,
                mapped.place.clone(),
            );
            add(&mut ways, Word::Name(mapped.field.clone()), &way);
            add(
                &mut ways,
                Word::Bare(helper("_text__", &mapped.field)),
                &way,
            );
            for step in 0..=mapped.steps.len() + 1 {
                let name = helper(&format!("_step{step}__"), &mapped.field);
                add(&mut ways, Word::Bare(name), &way);
            }
            if let Source::Recipe(recipe) = &mapped.from {
                let place = recipe.place.clone();
                let computed = origin(Kind::Recipe, &recipe.name, entity, place);
                add(&mut ways, Word::Name(mapped.field.clone()), &computed);
                for name in recipe::columns(&mapped.field, recipe) {
                    add(&mut ways, Word::Bare(name.clone()), &way);
                    add(&mut ways, Word::Bare(name), &computed);
                }
            }
        }
        let redacted = |column: &str| {
            let quality = entity.quality.as_ref();
            let redact = quality.and_then(|quality| Some(&quality.quarantine.as_ref()?.redact));
            let mut paths = redact.into_iter().flatten();
            paths.any(|path: &SourcePath| path.column == column)
        };
        for column in columns {
            let mut meanings: Vec<Origin> = fields
                .iter()
                .filter(|mapped| mapped.paths().iter().any(|path| path.column == *column))
                .map(|mapped| {
                    origin(
                        Kind::MappedField,
                        &mapped.field,
                        entity,
                        mapped.place.clone(),
                    )
                })
                .collect();
            if meanings.is_empty() {
                let unmapped = place.key("unmapped").at_key();
                meanings.push(origin(Kind::Column, column, entity, unmapped));
            }
            if redacted(column) {
                let place = entity.place.key("quarantine").key("redact").at_key();
                meanings.push(origin(Kind::Redaction, column, entity, place));
            }
            for word in [Word::Name(column.clone()), Word::Text(column.clone())] {
                named
                    .entry(word)
                    .or_default()
                    .extend(meanings.iter().cloned());
            }
        }
        self.ways.push(ways);
        self.columns.push(named);
    }

    fn way(&self, mapping: usize, field: &str) -> Origin {
        self.ways[mapping][&Word::Name(field.to_owned())][0].clone()
    }

    fn add_rules(&mut self, plan: &EntityPlan<'_>) {
        let (Some(judged), Some(quality)) = (&plan.judged, &plan.entity.quality) else {
            return;
        };
        // Judged lists the rules in the order of the entity.
        for (lowered, rule) in judged.rules.iter().zip(&quality.rules) {
            let JudgedRule {
                name,
                column,
                failed,
                undecided_bit,
                ..
            } = lowered;
            let of_rule = origin(Kind::Rule, name, plan.entity, rule.place.clone());
            for word in [Word::Bare(column.clone()), Word::Text(name.clone())] {
                add(&mut self.always, word, &of_rule);
            }
            for bit in [failed, undecided_bit] {
                self.bits
                    .push((bit.column.clone(), bit.value, of_rule.clone()));
            }
            match &rule.kind {
                RuleKind::Unique { .. } => {
                    let repeated = repeated_column(name);
                    let values = format!("{repeated}_values");
                    for word in [repeated, values] {
                        add(&mut self.always, Word::Bare(word), &of_rule);
                    }
                }
                RuleKind::Referential(referential) => {
                    let name = probe_name(&referential.relationship);
                    let probe = judged.parents.iter().find(|parent| parent.probe == name);
                    for word in probe.into_iter().flat_map(probe_words) {
                        add(&mut self.always, word, &of_rule);
                    }
                }
                RuleKind::Coercible { .. }
                | RuleKind::Exact { .. }
                | RuleKind::NotNull { .. }
                | RuleKind::Range { .. }
                | RuleKind::Length { .. }
                | RuleKind::Pattern { .. }
                | RuleKind::InEnum { .. }
                | RuleKind::InSet { .. }
                | RuleKind::NormalizeNfc { .. }
                | RuleKind::Charset { .. }
                | RuleKind::Expression { .. } => {}
            }
        }
    }

    /// What the words of a line stand for.
    pub fn of_line(&self, words: &Words, part: &Part, page: Page) -> Vec<Origin> {
        let mut found = Vec::new();
        for word in &words.words {
            let meanings: Vec<&Meanings> = match page {
                Page::Coerced => self
                    .at(&self.columns, part)
                    .chain(self.at(&self.ways, part))
                    .collect(),
                Page::Reject => self.at(&self.columns, part).collect(),
                Page::Sources => self.columns.iter().collect(),
                Page::Asserts | Page::Sql | Page::Properties | Page::Shared => Vec::new(),
            };
            let fields = match page {
                Page::Sources | Page::Reject => None,
                Page::Coerced | Page::Asserts | Page::Sql | Page::Properties | Page::Shared => {
                    Some(&self.fields)
                }
            };
            let all = meanings.into_iter().chain(fields).chain([&self.always]);
            found.extend(all.filter_map(|known| known.get(word)).flatten().cloned());
            // Judged reads texts on their way wherever their mapping is.
            if let (Page::Sql, Word::Bare(_)) = (page, word) {
                let ways = self.ways.iter().filter_map(|ways| ways.get(word));
                found.extend(ways.flatten().cloned());
            }
        }
        for (column, bits) in &words.bits {
            let asked = self
                .bits
                .iter()
                .filter(|(of, bit, _)| of == column && bits & bit != 0);
            found.extend(asked.map(|(_, _, rule)| rule.clone()));
        }
        found
    }

    fn at<'v>(&'v self, all: &'v [Meanings], part: &Part) -> impl Iterator<Item = &'v Meanings> {
        all.get(part.index).into_iter()
    }

    /// What the step around a line comes from.
    pub fn of_part(&self, part: &Part, page: Page, is_known: bool) -> Option<Origin> {
        match page {
            Page::Asserts => self.asserts.get(part.index).cloned(),
            Page::Coerced if !is_known => self.mappings.get(part.index).cloned(),
            Page::Reject if !is_known && part.step == "diverted" => {
                self.mappings.get(part.index).cloned()
            }
            Page::Sql => match part.step.as_str() {
                "repeated" | "redelivered" | "contested" | "ranked" | "superseded" | "rivals"
                | "deliveries" => self.dedupe.clone(),
                _ => None,
            },
            Page::Coerced | Page::Reject | Page::Properties | Page::Sources | Page::Shared => None,
        }
    }

    /// From a thing to what is said about it: its description, its owner, how fresh it has to be.
    pub fn refine(&self, line: &str, origins: &mut BTreeSet<Origin>) {
        let first = line.trim().trim_start_matches("- ");
        let first = first.split([':', ' ']).next().unwrap_or_default();
        let last = line.trim().trim_start_matches("- name: ");
        let is_fresh = [
            "freshness",
            "warn_after",
            "error_after",
            "loaded_at_query",
            "hours",
        ];
        if is_fresh.contains(&first) || last.starts_with("assay_freshness") {
            self.refine_freshness(origins);
        }
        let declared: Vec<Origin> = origins
            .iter()
            .filter(|origin| origin.kind == Kind::Field)
            .cloned()
            .collect();
        let key = match first {
            "description" => "description",
            "data_type" => "type",
            "classification" => "classification",
            "owner" => "owner",
            "tier" => "tier",
            "grants" | "select" => "grants",
            _ => return,
        };
        let is_about = |entity: &&&Entity| origins.contains(&self::entity(entity));
        let said = match self.entities.iter().find(is_about) {
            Some(entity) if declared.is_empty() => {
                let key = match key {
                    "description" if entity.description.is_none() => "grain",
                    other => other,
                };
                let place = entity.place.key(key).at_key();
                Some(origin(Kind::Said, key, entity, place))
            }
            Some(_) | None => None,
        };
        origins.extend(said);
        for field in declared {
            origins.remove(&field);
            let place = field.place.key(key).at_key();
            origins.insert(Origin { place, ..field });
        }
    }

    fn refine_freshness(&self, origins: &mut BTreeSet<Origin>) {
        for entity in &self.entities {
            for mapping in &entity.mappings {
                let whole = origin(
                    Kind::Mapping,
                    &mapping.source,
                    entity,
                    mapping.place.key("source"),
                );
                if mapping.freshness.is_some() && origins.remove(&whole) {
                    let place = mapping.place.key("freshness").at_key();
                    origins.insert(origin(Kind::Freshness, &mapping.source, entity, place));
                }
            }
        }
    }
}

fn field_place(entity: &Entity, field: &str) -> Place {
    entity.place.key("fields").key(field)
}

fn probe_words(parent: &Parent) -> Vec<Word> {
    let aliases = parent.columns.iter().map(|(_, _, alias)| alias.clone());
    let words = [parent.probe.clone()].into_iter().chain(aliases);
    words.map(Word::Bare).collect()
}
