//! Every kind of difference, its class and what it does to rows: one table.

use std::collections::BTreeSet;

/// What differs between two versions of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    GeneratorChanged,
    TargetChanged,
    DialectChanged,
    FolderChanged,
    LayoutChanged,
    BronzeChanged,
    SilverChanged,
    GoldChanged,
    EntityAdded,
    EntityRemoved,
    GrainReworded,
    EntityDescribed,
    OwnerChanged,
    TierChanged,
    GrantAdded,
    GrantRevoked,
    KeyChanged,
    KeyReordered,
    FieldAdded,
    FieldRemoved,
    FieldRenamed,
    /// A wider type, and no row was refused for the narrow one.
    FieldWidened,
    /// A wider type, and rows that were refused now fit.
    FieldAdmitsMore,
    FieldRetyped,
    FieldsReordered,
    FieldDescribed,
    FieldReclassified,
    UnknownMemberAdded,
    UnknownMemberRemoved,
    MappingAdded,
    MappingRemoved,
    SourceChanged,
    PathChanged,
    ChainChanged,
    FieldNewlyMapped,
    FieldNoLongerMapped,
    ColumnKept,
    ColumnDropped,
    ColumnListed,
    ColumnUnlisted,
    FreshnessChanged,
    DedupeAdded,
    DedupeRemoved,
    DedupeChanged,
    QualityJoined,
    QualityLeft,
    QuarantineAdded,
    QuarantineRemoved,
    RetentionLengthened,
    RetentionShortened,
    RedactionAdded,
    RedactionRemoved,
    RuleAdded,
    RuleRemoved,
    RuleRenamed,
    /// It refuses all that it refused, and more.
    RuleTightened,
    /// It refuses less than it refused, and nothing else.
    RuleLoosened,
    /// It refuses other rows, or nobody can tell.
    RuleReplaced,
    /// It refuses what it refused.
    RuleRespelled,
    RuleDescribed,
    DispositionChanged,
    AssertAdded,
    AssertRemoved,
    AssertTightened,
    AssertLoosened,
    AssertReplaced,
    AssertRespelled,
    /// The generated SQL differs and nothing above says why.
    Unexplained,
}

/// Mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// No reader and no row can tell.
    Cosmetic,
    /// Something is there that was not; what was there stays.
    Additive,
    /// Values that were not possible now are; what was there stays.
    Widening,
    /// The same values under another name.
    Rename,
    /// Rows that are published change, go or come back.
    Restating,
    /// Readers lose what they rely on.
    Breaking,
}

impl Class {
    /// Worst first.
    pub const ALL: [Self; 6] = [
        Self::Breaking,
        Self::Restating,
        Self::Rename,
        Self::Widening,
        Self::Additive,
        Self::Cosmetic,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosmetic => "cosmetic",
            Self::Additive => "additive",
            Self::Widening => "widening",
            Self::Rename => "rename",
            Self::Restating => "restating",
            Self::Breaking => "breaking",
        }
    }
}

/// What a change can do to the rows of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// Rows that stay have other values or flags.
    Rewrite,
    /// Rows leave the entity.
    Leave,
    /// Rows that were refused may come back.
    Return,
    /// A value that other entities look up is another.
    Rekey,
}

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
            "the rows of this source go",
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
            "refused rows lose it when they are delivered again",
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
            "refused rows that are older are deleted",
        ),
        Change::RedactionAdded => (
            Restating,
            "redaction-added",
            "redacted",
            "refused rows lose it when they are delivered again",
        ),
        Change::RedactionRemoved => (
            Restating,
            "redaction-removed",
            "no longer redacted",
            "refused rows show it from now on",
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

/// What a kind of change does to rows wherever it happens; some depend on more than their kind.
#[must_use]
pub fn usual_moves(change: Change) -> BTreeSet<Move> {
    let moves: &[Move] = match change {
        Change::GeneratorChanged
        | Change::FolderChanged
        | Change::LayoutChanged
        | Change::EntityAdded
        | Change::EntityRemoved
        | Change::GrainReworded
        | Change::EntityDescribed
        | Change::OwnerChanged
        | Change::TierChanged
        | Change::GrantAdded
        | Change::GrantRevoked
        | Change::KeyReordered
        | Change::FieldAdded
        | Change::FieldRemoved
        | Change::FieldRenamed
        | Change::FieldWidened
        | Change::FieldsReordered
        | Change::FieldDescribed
        | Change::FieldReclassified
        | Change::ColumnKept
        | Change::ColumnDropped
        | Change::ColumnListed
        | Change::ColumnUnlisted
        | Change::FreshnessChanged
        | Change::QuarantineAdded
        | Change::QuarantineRemoved
        | Change::RetentionLengthened
        | Change::RetentionShortened
        | Change::RedactionAdded
        | Change::RedactionRemoved
        | Change::RuleRespelled
        | Change::RuleDescribed
        | Change::AssertAdded
        | Change::AssertRemoved
        | Change::AssertTightened
        | Change::AssertLoosened
        | Change::AssertReplaced
        | Change::AssertRespelled => &[],
        // By the disposition of the rule.
        Change::RuleAdded
        | Change::RuleRemoved
        | Change::RuleTightened
        | Change::RuleLoosened
        | Change::RuleReplaced
        | Change::DispositionChanged => &[],
        // By what reads the field.
        Change::PathChanged
        | Change::ChainChanged
        | Change::FieldNewlyMapped
        | Change::FieldNoLongerMapped
        | Change::FieldRetyped
        | Change::RuleRenamed => &[Move::Rewrite],
        Change::FieldAdmitsMore => &[Move::Rewrite, Move::Return],
        Change::UnknownMemberAdded | Change::UnknownMemberRemoved => &[Move::Rewrite],
        Change::MappingRemoved | Change::DedupeAdded => {
            &[Move::Rewrite, Move::Leave, Move::Return, Move::Rekey]
        }
        Change::TargetChanged
        | Change::DialectChanged
        | Change::BronzeChanged
        | Change::SilverChanged
        | Change::GoldChanged
        | Change::KeyChanged
        | Change::MappingAdded
        | Change::SourceChanged
        | Change::DedupeRemoved
        | Change::DedupeChanged
        | Change::QualityJoined
        | Change::QualityLeft
        | Change::Unexplained => &[Move::Rewrite, Move::Leave, Move::Return, Move::Rekey],
    };
    moves.iter().copied().collect()
}

impl Change {
    pub const ALL: [Self; 68] = [
        Self::GeneratorChanged,
        Self::TargetChanged,
        Self::DialectChanged,
        Self::FolderChanged,
        Self::LayoutChanged,
        Self::BronzeChanged,
        Self::SilverChanged,
        Self::GoldChanged,
        Self::EntityAdded,
        Self::EntityRemoved,
        Self::GrainReworded,
        Self::EntityDescribed,
        Self::OwnerChanged,
        Self::TierChanged,
        Self::GrantAdded,
        Self::GrantRevoked,
        Self::KeyChanged,
        Self::KeyReordered,
        Self::FieldAdded,
        Self::FieldRemoved,
        Self::FieldRenamed,
        Self::FieldWidened,
        Self::FieldAdmitsMore,
        Self::FieldRetyped,
        Self::FieldsReordered,
        Self::FieldDescribed,
        Self::FieldReclassified,
        Self::UnknownMemberAdded,
        Self::UnknownMemberRemoved,
        Self::MappingAdded,
        Self::MappingRemoved,
        Self::SourceChanged,
        Self::PathChanged,
        Self::ChainChanged,
        Self::FieldNewlyMapped,
        Self::FieldNoLongerMapped,
        Self::ColumnKept,
        Self::ColumnDropped,
        Self::ColumnListed,
        Self::ColumnUnlisted,
        Self::FreshnessChanged,
        Self::DedupeAdded,
        Self::DedupeRemoved,
        Self::DedupeChanged,
        Self::QualityJoined,
        Self::QualityLeft,
        Self::QuarantineAdded,
        Self::QuarantineRemoved,
        Self::RetentionLengthened,
        Self::RetentionShortened,
        Self::RedactionAdded,
        Self::RedactionRemoved,
        Self::RuleAdded,
        Self::RuleRemoved,
        Self::RuleRenamed,
        Self::RuleTightened,
        Self::RuleLoosened,
        Self::RuleReplaced,
        Self::RuleRespelled,
        Self::RuleDescribed,
        Self::DispositionChanged,
        Self::AssertAdded,
        Self::AssertRemoved,
        Self::AssertTightened,
        Self::AssertLoosened,
        Self::AssertReplaced,
        Self::AssertRespelled,
        Self::Unexplained,
    ];
}
