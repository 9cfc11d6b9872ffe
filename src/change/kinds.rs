//! Every kind of difference between two versions of a project, and the classes they fall into.

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
    /// Versions are kept from now on: a key has several rows.
    HistoryBegun,
    HistoryEnded,
    UnknownMemberAdded,
    UnknownMemberRemoved,
    MappingAdded,
    MappingRemoved,
    SourceChanged,
    PathChanged,
    ChainChanged,
    /// Another computation, or one where there was none.
    RecipeChanged,
    /// Aliases are called otherwise.
    RecipeRespelled,
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
    /// Built anew in every run, or kept up to date.
    MaterializationChanged,
    PartitioningChanged,
    ArrivalLagChanged,
    QualityJoined,
    QualityLeft,
    QuarantineAdded,
    QuarantineRemoved,
    RetentionLengthened,
    RetentionShortened,
    RedactionAdded,
    RedactionRemoved,
    CeilingAdded,
    CeilingLowered,
    CeilingRaised,
    RailAdded,
    RailRemoved,
    RailTightened,
    RailLoosened,
    CeilingRemoved,
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
    CheckAdded,
    CheckRemoved,
    /// It finds all that it found, and more.
    CheckTightened,
    CheckLoosened,
    /// It finds what it found.
    CheckRespelled,
    /// It compares something else.
    CheckReplaced,
    /// It stops what is below, or does no longer.
    CheckDispositionChanged,
    CheckDescribed,
    CalendarAdded,
    CalendarRemoved,
    /// Days come to it, and all that were there stay.
    CalendarExtended,
    CalendarShortened,
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

impl Change {
    pub const ALL: [Self; 95] = [
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
        Self::HistoryBegun,
        Self::HistoryEnded,
        Self::UnknownMemberAdded,
        Self::UnknownMemberRemoved,
        Self::MappingAdded,
        Self::MappingRemoved,
        Self::SourceChanged,
        Self::PathChanged,
        Self::ChainChanged,
        Self::RecipeChanged,
        Self::RecipeRespelled,
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
        Self::MaterializationChanged,
        Self::PartitioningChanged,
        Self::ArrivalLagChanged,
        Self::QualityJoined,
        Self::QualityLeft,
        Self::QuarantineAdded,
        Self::QuarantineRemoved,
        Self::RetentionLengthened,
        Self::RetentionShortened,
        Self::RedactionAdded,
        Self::RedactionRemoved,
        Self::CeilingAdded,
        Self::CeilingLowered,
        Self::CeilingRaised,
        Self::RailAdded,
        Self::RailRemoved,
        Self::RailTightened,
        Self::RailLoosened,
        Self::CeilingRemoved,
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
        Self::CheckAdded,
        Self::CheckRemoved,
        Self::CheckTightened,
        Self::CheckLoosened,
        Self::CheckRespelled,
        Self::CheckReplaced,
        Self::CheckDispositionChanged,
        Self::CheckDescribed,
        Self::CalendarAdded,
        Self::CalendarRemoved,
        Self::CalendarExtended,
        Self::CalendarShortened,
        Self::Unexplained,
    ];
}
