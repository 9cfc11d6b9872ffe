//! What each kind of difference means: its class, and how to say it. One table.

use crate::change::kinds::{Change, Class};

#[derive(Debug, Clone, Copy)]
pub struct Meaning {
    /// For programs.
    pub name: &'static str,
    pub class: Class,
    /// What happened, in front of what it happened to.
    pub what: &'static str,
    /// Why it has its class.
    pub reason: &'static str,
}

#[must_use]
pub fn class_of(change: &Change) -> Class {
    meaning(*change).class
}

#[must_use]
pub fn meaning(change: Change) -> Meaning {
    use Class::{Additive, Breaking, Cosmetic, Rename, Restating, Widening};
    let (class, name, what, reason) = match change {
        Change::GeneratorChanged => (
            Cosmetic,
            "generator-changed",
            "version of assay",
            "files may be laid out differently; a query that differs is named below",
        ),
        Change::TargetChanged => (
            Breaking,
            "target-changed",
            "framework",
            "the other framework builds everything anew and knows no refused rows of this one",
        ),
        Change::DialectChanged => (
            Breaking,
            "dialect-changed",
            "engine",
            "everything is built on another engine, which holds no rows yet",
        ),
        Change::FolderChanged => (
            Cosmetic,
            "folder-changed",
            "folder of the generated files",
            "files move, relations do not",
        ),
        Change::LayoutChanged => (
            Cosmetic,
            "layout-changed",
            "layout",
            "files move, relations do not",
        ),
        Change::BronzeChanged => (
            Restating,
            "bronze-changed",
            "schema of the sources",
            "every entity reads other relations",
        ),
        Change::SilverChanged => (
            Breaking,
            "silver-changed",
            "schema of the entities",
            "readers find nothing there, and the refused rows stay in the old schema",
        ),
        Change::GoldChanged => (
            Breaking,
            "gold-changed",
            "schema of the marts",
            "readers find nothing there, and the history of counts stays in the old schema",
        ),
        Change::EntityAdded => (
            Additive,
            "entity-added",
            "new entity",
            "nothing that exists changes",
        ),
        Change::EntityRemoved => (
            Breaking,
            "entity-removed",
            "entity removed",
            "nobody fills it any more; what stands in the warehouse grows old until it is dropped",
        ),
        Change::GrainReworded => (Cosmetic, "grain-reworded", "grain", "it is prose"),
        Change::EntityDescribed => (Cosmetic, "entity-described", "description", "it is prose"),
        Change::OwnerChanged => (
            Cosmetic,
            "owner-changed",
            "owner",
            "somebody else answers for it",
        ),
        Change::TierChanged => (Cosmetic, "tier-changed", "tier", "no row changes"),
        Change::GrantAdded => (
            Additive,
            "grant-added",
            "grant added",
            "somebody more may use it",
        ),
        Change::GrantRevoked => (
            Breaking,
            "grant-revoked",
            "grant revoked",
            "for these readers every row is gone",
        ),
        Change::KeyChanged => (
            Breaking,
            "key-changed",
            "key",
            "one row means another thing",
        ),
        Change::KeyReordered => (
            Cosmetic,
            "key-reordered",
            "order of the key",
            "the same identity",
        ),
        Change::FieldAdded => (
            Additive,
            "field-added",
            "new field",
            "what readers use stays as it is",
        ),
        Change::FieldRemoved => (
            Breaking,
            "field-removed",
            "field removed",
            "readers that name it fail",
        ),
        Change::FieldRenamed => (
            Rename,
            "field-renamed",
            "field renamed",
            "the same values under another name; rules named after it are renamed with it",
        ),
        Change::FieldWidened => (
            Widening,
            "field-widened",
            "type of the field",
            "every stored value fits the new type",
        ),
        Change::FieldAdmitsMore => (
            Restating,
            "field-admits-more",
            "type of the field",
            "values that were refused for the old type fit the new one",
        ),
        Change::FieldRetyped => (
            Breaking,
            "field-retyped",
            "type of the field",
            "readers meet another type, and stored values become others",
        ),
        Change::FieldsReordered => (
            Cosmetic,
            "fields-reordered",
            "order of the columns",
            "columns are found by name",
        ),
        Change::FieldDescribed => (Cosmetic, "field-described", "description of", "it is prose"),
        Change::FieldReclassified => (
            Cosmetic,
            "field-reclassified",
            "classification of",
            "no row changes; who may read it is a question of policy",
        ),
        Change::HistoryBegun => (
            Breaking,
            "history-begun",
            "history",
            "a key has a row for each version from now on; readers of the current ones ask for `valid_to IS NULL`",
        ),
        Change::HistoryEnded => (
            Breaking,
            "history-ended",
            "no history any more",
            "the versions of the past are gone with the next build",
        ),
        Change::UnknownMemberAdded => (
            Restating,
            "unknown-member-added",
            "unknown member",
            "the entity gains the row that orphans point at",
        ),
        Change::UnknownMemberRemoved => (
            Restating,
            "unknown-member-removed",
            "unknown member removed",
            "the entity loses the row that orphans pointed at",
        ),
        Change::MappingAdded => (
            Restating,
            "mapping-added",
            "new mapping",
            "rows of another source come in",
        ),
        Change::MappingRemoved => (
            Restating,
            "mapping-removed",
            "mapping removed",
            "the rows of this source go; what was refused of it stays, unresolved",
        ),
        Change::SourceChanged => (
            Restating,
            "source-changed",
            "source of the mapping",
            "every row comes from another relation",
        ),
        Change::PathChanged => (
            Restating,
            "path-changed",
            "path of",
            "values come from another place",
        ),
        Change::ChainChanged => (
            Restating,
            "chain-changed",
            "transform of",
            "values are made in another way",
        ),
        Change::RecipeChanged => (
            Restating,
            "recipe-changed",
            "recipe of",
            "values are computed in another way",
        ),
        Change::RecipeRespelled => (
            Cosmetic,
            "recipe-respelled",
            "aliases of",
            "they are called otherwise and read the same",
        ),
        Change::FieldNewlyMapped => (
            Restating,
            "field-newly-mapped",
            "newly mapped",
            "the field was empty for rows of this source",
        ),
        Change::FieldNoLongerMapped => (
            Restating,
            "field-no-longer-mapped",
            "no longer mapped",
            "the field becomes empty for rows of this source",
        ),
        Change::ColumnKept => (
            Additive,
            "column-kept",
            "source column named",
            "refused rows keep it from now on",
        ),
        Change::ColumnDropped => (
            Restating,
            "column-dropped",
            "source column no longer named",
            "refused rows that the source still holds lose it",
        ),
        Change::ColumnListed => (
            Cosmetic,
            "column-listed",
            "source column named",
            "nothing reads it and no refused row keeps it",
        ),
        Change::ColumnUnlisted => (
            Cosmetic,
            "column-unlisted",
            "source column no longer named",
            "nothing reads it and no refused row keeps it",
        ),
        Change::FreshnessChanged => (
            Cosmetic,
            "freshness-changed",
            "freshness of",
            "it alerts at another time; no row changes",
        ),
        Change::DedupeAdded => (
            Restating,
            "dedupe-added",
            "dedupe",
            "all but one row of a key go",
        ),
        Change::DedupeRemoved => (
            Restating,
            "dedupe-removed",
            "dedupe removed",
            "several rows of a key may come",
        ),
        Change::DedupeChanged => (
            Restating,
            "dedupe-changed",
            "order of dedupe",
            "another row of a key may win",
        ),
        Change::MaterializationChanged => (
            Cosmetic,
            "materialization-changed",
            "materialization",
            "the same rows, kept up to date in another way",
        ),
        Change::PartitioningChanged => (
            Cosmetic,
            "partitioning-changed",
            "partitions",
            "the same rows in other partitions",
        ),
        Change::ArrivalLagChanged => (
            Cosmetic,
            "arrival-lag-changed",
            "arrival lag",
            "a run reads more of bronze or less; what comes later still is found by the counts",
        ),
        Change::QualityJoined => (
            Restating,
            "quality-joined",
            "under quality control",
            "what stopped a run is now judged row by row, and rows carry flags",
        ),
        Change::QualityLeft => (
            Breaking,
            "quality-left",
            "no longer under quality control",
            "the flags and the refused rows go; a wrong value stops the run",
        ),
        Change::QuarantineAdded => (
            Additive,
            "quarantine-added",
            "quarantine",
            "there is a relation for refused rows",
        ),
        Change::QuarantineRemoved => (
            Breaking,
            "quarantine-removed",
            "quarantine removed",
            "the relation of refused rows is filled no longer",
        ),
        Change::RetentionLengthened => (
            Widening,
            "retention-lengthened",
            "retention",
            "refused rows are kept longer",
        ),
        Change::RetentionShortened => (
            Restating,
            "retention-shortened",
            "retention",
            "the next retention deletes refused rows that are older",
        ),
        Change::RedactionAdded => (
            Restating,
            "redaction-added",
            "redacted",
            "refused rows that the source still holds lose it",
        ),
        Change::RedactionRemoved => (
            Restating,
            "redaction-removed",
            "no longer redacted",
            "refused rows show it from now on",
        ),
        Change::CeilingAdded => (
            Additive,
            "ceiling-added",
            "ceiling of quarantine",
            "a run that refuses a larger share is stopped; no stored row changes",
        ),
        Change::CeilingRemoved => (
            Widening,
            "ceiling-removed",
            "ceiling of quarantine removed",
            "readers may meet what is left of a run that was stopped before",
        ),
        Change::CeilingLowered => (
            Additive,
            "ceiling-lowered",
            "ceiling of quarantine",
            "it stops more runs; no stored row changes",
        ),
        Change::CeilingRaised => (
            Widening,
            "ceiling-raised",
            "ceiling of quarantine",
            "readers may meet what is left of a run that was stopped before",
        ),
        Change::RuleAdded => (Restating, "rule-added", "new rule", ""),
        Change::RuleRemoved => (Restating, "rule-removed", "rule removed", ""),
        Change::RuleRenamed => (
            Restating,
            "rule-renamed",
            "rule renamed",
            "the flags and reasons of rows name it",
        ),
        Change::RuleTightened => (Restating, "rule-tightened", "rule refuses more", ""),
        Change::RuleLoosened => (Restating, "rule-loosened", "rule refuses less", ""),
        Change::RuleReplaced => (Restating, "rule-replaced", "rule changed", ""),
        Change::RuleRespelled => (
            Cosmetic,
            "rule-respelled",
            "rule respelled",
            "it refuses what it refused",
        ),
        Change::RuleDescribed => (
            Cosmetic,
            "rule-described",
            "description of rule",
            "it is prose",
        ),
        Change::DispositionChanged => (Restating, "disposition-changed", "disposition of rule", ""),
        Change::AssertAdded => (
            Additive,
            "assert-added",
            "new assert",
            "it alerts; no row changes",
        ),
        Change::AssertRemoved => (
            Widening,
            "assert-removed",
            "assert removed",
            "readers may meet values that alerted before",
        ),
        Change::AssertTightened => (
            Additive,
            "assert-tightened",
            "assert alerts at more",
            "it alerts; no row changes",
        ),
        Change::AssertLoosened => (
            Widening,
            "assert-loosened",
            "assert alerts at less",
            "readers may meet values that alerted before",
        ),
        Change::AssertReplaced => (
            Widening,
            "assert-replaced",
            "assert changed",
            "readers may meet values that alerted before",
        ),
        Change::AssertRespelled => (
            Cosmetic,
            "assert-respelled",
            "assert respelled",
            "it alerts at what it alerted",
        ),
        Change::CheckAdded => (
            Additive,
            "check-added",
            "new check",
            "it reads what is finished; no row changes",
        ),
        Change::CheckRemoved => (
            Widening,
            "check-removed",
            "check removed",
            "readers may meet totals that do not agree; its relation stays until it is dropped",
        ),
        Change::CheckTightened => (
            Additive,
            "check-tightened",
            "check finds more",
            "it reads what is finished; no row changes",
        ),
        Change::CheckLoosened => (
            Widening,
            "check-loosened",
            "check finds less",
            "readers may meet what was found before",
        ),
        Change::CheckReplaced => (
            Widening,
            "check-replaced",
            "check changed",
            "readers may meet what was found before",
        ),
        Change::CheckDispositionChanged => (
            Widening,
            "check-disposition-changed",
            "disposition of check",
            "the same is found; what reads it is stopped by `fail` alone",
        ),
        Change::CheckDescribed => (
            Cosmetic,
            "check-described",
            "description of check",
            "it is prose",
        ),
        Change::CalendarAdded => (
            Additive,
            "calendar-added",
            "new date dimension",
            "nothing that exists changes",
        ),
        Change::CalendarRemoved => (
            Breaking,
            "calendar-removed",
            "date dimension removed",
            "readers find it growing old until it is dropped",
        ),
        Change::CalendarExtended => (
            Additive,
            "calendar-extended",
            "years of the date dimension",
            "days come to it, and all that were there stay",
        ),
        Change::CalendarShortened => (
            Restating,
            "calendar-shortened",
            "days leave the date dimension",
            "what joins to it on them finds nothing",
        ),
        Change::Unexplained => (
            Restating,
            "unexplained",
            "unexplained",
            "the generated SQL differs and no fact says why, so every row may change",
        ),
    };
    Meaning {
        name,
        class,
        what,
        reason,
    }
}
