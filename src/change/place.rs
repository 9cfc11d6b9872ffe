//! Where in the specs a difference stands: the line to look at, or to write at.

use crate::change::compare::{Difference, Subject};
use crate::change::kinds::Change;
use crate::ir::{Entity, Mapping, Project, Scope, Source};
use crate::place::Place;

/// `None` for what is in no spec any more, or never was.
#[must_use]
pub fn place_of(difference: &Difference, project: &Project) -> Option<Place> {
    if let Subject::Check(name) = &difference.subject {
        let check = project.checks.iter().find(|check| check.name == *name);
        let keys = keys(difference.change).iter();
        return check.map(|check| keys.fold(check.place.clone(), |place, key| place.key(key)));
    }
    if let Subject::Calendar(name) = &difference.subject {
        let calendar = project.calendar.as_ref();
        let calendar = calendar.filter(|calendar| calendar.name == *name);
        return calendar.map(|calendar| calendar.place.clone());
    }
    let name = difference.entity.as_ref()?;
    let entity = project.entity(name)?;
    let keys = keys(difference.change);
    if let Some(place) = of_recipe(difference, entity) {
        return Some(place);
    }
    let place = of_subject(&difference.subject, entity);
    if keys.is_empty() {
        return Some(place);
    }
    let place = keys.iter().fold(place, |place, key| place.key(key));
    Some(place.at_key())
}

/// In the catalog, where the recipe is; what is said of its aliases is said there too.
fn of_recipe(difference: &Difference, entity: &Entity) -> Option<Place> {
    let (Subject::Mapped { source, field }, Change::RecipeChanged | Change::RecipeRespelled) =
        (&difference.subject, difference.change)
    else {
        return None;
    };
    let mut fields = mapping(entity, source)?.fields.iter();
    match &fields.find(|mapped| mapped.field == *field)?.from {
        Source::Recipe(recipe) => Some(recipe.place.clone()),
        Source::Path(_) => None,
    }
}

fn of_subject(subject: &Subject, entity: &Entity) -> Place {
    let found = match subject {
        Subject::Whole | Subject::File(_) | Subject::Check(_) | Subject::Calendar(_) => None,
        Subject::Field(name) => {
            let mut fields = entity.fields.iter();
            let known = fields.find(|known| known.name == *name);
            Some(match known {
                Some(known) => known.place.clone(),
                None => entity.place.key("fields").at_key(),
            })
        }
        Subject::Mapping(source) => {
            mapping(entity, source).map(|mapping| mapping.place.key("source"))
        }
        Subject::Mapped { source, field } => mapping(entity, source).map(|mapping| {
            let mut fields = mapping.fields.iter();
            match fields.find(|mapped| mapped.field == *field) {
                Some(mapped) => mapped.place.at_key(),
                None => mapping.place.key("fields").at_key(),
            }
        }),
        Subject::Column { source, column: _ } => {
            mapping(entity, source).map(|mapping| mapping.place.key("unmapped").at_key())
        }
        Subject::Rule { name, source } => rule(entity, name, source.as_deref()),
        Subject::Assert(name) => {
            let mut asserts = entity.asserts.iter();
            let assert = asserts.find(|assert| assert.name == *name);
            assert.map(|assert| at_field(entity, &assert.field).key("assert").at_key())
        }
    };
    found.unwrap_or_else(|| entity.place.clone())
}

fn mapping<'p>(entity: &'p Entity, source: &str) -> Option<&'p Mapping> {
    entity.mappings.iter().find(|each| each.source == source)
}

fn at_field(entity: &Entity, field: &str) -> Place {
    entity.place.key("fields").key(field).at_key()
}

fn rule(entity: &Entity, name: &str, source: Option<&str>) -> Option<Place> {
    let rules = entity.quality.iter().flat_map(|quality| &quality.rules);
    let is_of_source = |scope: Scope| match scope {
        Scope::Entity => source.is_none(),
        Scope::Mapping(index) => entity.mappings.get(index).map(|of| of.source.as_str()) == source,
    };
    let mut found = rules.filter(|rule| rule.name == name && is_of_source(rule.scope));
    found.next().map(|rule| rule.place.clone())
}

/// The way from the subject down to what changed.
fn keys(change: Change) -> &'static [&'static str] {
    match change {
        Change::KeyChanged | Change::KeyReordered => &["key"],
        Change::GrainReworded => &["grain"],
        Change::EntityDescribed
        | Change::FieldDescribed
        | Change::RuleDescribed
        | Change::CheckDescribed => &["description"],
        Change::CheckDispositionChanged => &["on_fail"],
        Change::HistoryBegun | Change::HistoryEnded => &["scd"],
        Change::OwnerChanged => &["owner"],
        Change::TierChanged => &["tier"],
        Change::GrantAdded | Change::GrantRevoked => &["grants"],
        Change::FieldsReordered => &["fields"],
        Change::FieldRenamed => &["renamed_from"],
        Change::FieldWidened | Change::FieldAdmitsMore | Change::FieldRetyped => &["type"],
        Change::FieldReclassified => &["classification"],
        Change::DedupeAdded | Change::DedupeRemoved | Change::DedupeChanged => &["dedupe"],
        Change::MaterializationChanged => &["materialization"],
        Change::PartitioningChanged => &["partition_by"],
        Change::ArrivalLagChanged => &["arrival_lag"],
        Change::QualityJoined | Change::QualityLeft => &["quality"],
        Change::QuarantineAdded | Change::QuarantineRemoved => &["quarantine"],
        Change::RetentionLengthened | Change::RetentionShortened => &["quarantine", "retention"],
        Change::RedactionAdded | Change::RedactionRemoved => &["quarantine", "redact"],
        Change::CeilingAdded
        | Change::CeilingRemoved
        | Change::CeilingLowered
        | Change::CeilingRaised => &["quarantine", "ceiling"],
        Change::RailAdded | Change::RailRemoved | Change::RailTightened | Change::RailLoosened => {
            &["rails"]
        }
        Change::PathChanged => &["from"],
        Change::ChainChanged => &["transform"],
        Change::GeneratorChanged
        | Change::TargetChanged
        | Change::DialectChanged
        | Change::FolderChanged
        | Change::LayoutChanged
        | Change::BronzeChanged
        | Change::SilverChanged
        | Change::GoldChanged
        | Change::EntityAdded
        | Change::EntityRemoved
        | Change::FieldAdded
        | Change::FieldRemoved
        | Change::UnknownMemberAdded
        | Change::UnknownMemberRemoved
        | Change::MappingAdded
        | Change::MappingRemoved
        | Change::SourceChanged
        | Change::RecipeChanged
        | Change::RecipeRespelled
        | Change::FieldNewlyMapped
        | Change::FieldNoLongerMapped
        | Change::ColumnKept
        | Change::ColumnDropped
        | Change::ColumnListed
        | Change::ColumnUnlisted
        | Change::FreshnessChanged
        | Change::RuleAdded
        | Change::RuleRemoved
        | Change::RuleRenamed
        | Change::RuleTightened
        | Change::RuleLoosened
        | Change::RuleReplaced
        | Change::RuleRespelled
        | Change::DispositionChanged
        | Change::AssertAdded
        | Change::AssertRemoved
        | Change::AssertTightened
        | Change::AssertLoosened
        | Change::AssertReplaced
        | Change::AssertRespelled
        | Change::CheckAdded
        | Change::CheckRemoved
        | Change::CheckTightened
        | Change::CheckLoosened
        | Change::CheckRespelled
        | Change::CheckReplaced
        | Change::CalendarAdded
        | Change::CalendarRemoved
        | Change::CalendarExtended
        | Change::CalendarShortened
        | Change::Unexplained => &[],
    }
}
