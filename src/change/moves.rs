//! What each kind of difference does to what is stored.

use std::collections::BTreeSet;

use crate::change::kinds::{Change, Move};

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
        | Change::MaterializationChanged
        | Change::PartitioningChanged
        | Change::ArrivalLagChanged
        | Change::QuarantineAdded
        | Change::QuarantineRemoved
        | Change::RetentionLengthened
        | Change::RetentionShortened
        | Change::RedactionAdded
        | Change::RedactionRemoved
        | Change::CalendarAdded
        | Change::CalendarRemoved
        | Change::CalendarExtended
        | Change::CalendarShortened
        | Change::RecipeRespelled
        | Change::CeilingAdded
        | Change::CeilingRemoved
        | Change::CeilingLowered
        | Change::CeilingRaised
        | Change::RailAdded
        | Change::RailRemoved
        | Change::RailTightened
        | Change::RailLoosened
        | Change::RuleRespelled
        | Change::RuleDescribed
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
        | Change::CheckDispositionChanged
        | Change::CheckDescribed => &[],
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
        | Change::RecipeChanged
        | Change::FieldNewlyMapped
        | Change::FieldNoLongerMapped
        | Change::FieldRetyped
        | Change::RuleRenamed => &[Move::Rewrite],
        Change::FieldAdmitsMore => &[Move::Rewrite, Move::Return],
        Change::HistoryBegun
        | Change::HistoryEnded
        | Change::UnknownMemberAdded
        | Change::UnknownMemberRemoved => &[Move::Rewrite],
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

/// How much of an entity must be built again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Nothing,
    /// The relation that readers use.
    Finished,
    /// Every relation of it.
    Whole,
}

/// What would stay as it was, although no stored row may be wrong.
#[must_use]
pub fn extent(change: Change) -> Extent {
    match change {
        Change::GrantAdded | Change::GrantRevoked => Extent::Finished,
        Change::EntityAdded
        | Change::FieldAdded
        | Change::FieldRemoved
        | Change::FieldRenamed
        | Change::FieldWidened
        | Change::FieldAdmitsMore
        | Change::FieldRetyped
        | Change::QuarantineAdded
        | Change::QuarantineRemoved
        | Change::RetentionLengthened
        | Change::RetentionShortened
        | Change::RedactionAdded
        | Change::RedactionRemoved
        | Change::ColumnKept
        | Change::ColumnDropped
        | Change::KeyChanged
        | Change::HistoryBegun
        | Change::HistoryEnded
        | Change::UnknownMemberAdded
        | Change::UnknownMemberRemoved
        | Change::MappingAdded
        | Change::MappingRemoved
        | Change::SourceChanged
        | Change::PathChanged
        | Change::ChainChanged
        | Change::RecipeChanged
        | Change::FieldNewlyMapped
        | Change::FieldNoLongerMapped
        | Change::DedupeAdded
        | Change::DedupeRemoved
        | Change::DedupeChanged
        | Change::MaterializationChanged
        | Change::QualityJoined
        | Change::QualityLeft
        | Change::RuleAdded
        | Change::RuleRemoved
        | Change::RuleRenamed
        | Change::RuleTightened
        | Change::RuleLoosened
        | Change::RuleReplaced
        | Change::DispositionChanged
        | Change::TargetChanged
        | Change::DialectChanged
        | Change::BronzeChanged
        | Change::SilverChanged
        | Change::GoldChanged
        | Change::Unexplained => Extent::Whole,
        Change::GeneratorChanged
        | Change::FolderChanged
        | Change::LayoutChanged
        | Change::EntityRemoved
        | Change::GrainReworded
        | Change::EntityDescribed
        | Change::OwnerChanged
        | Change::TierChanged
        | Change::KeyReordered
        | Change::FieldsReordered
        | Change::FieldDescribed
        | Change::FieldReclassified
        | Change::ColumnListed
        | Change::ColumnUnlisted
        | Change::FreshnessChanged
        | Change::PartitioningChanged
        | Change::ArrivalLagChanged
        | Change::CalendarAdded
        | Change::CalendarRemoved
        | Change::CalendarExtended
        | Change::CalendarShortened
        | Change::RecipeRespelled
        | Change::CeilingAdded
        | Change::CeilingRemoved
        | Change::CeilingLowered
        | Change::CeilingRaised
        | Change::RailAdded
        | Change::RailRemoved
        | Change::RailTightened
        | Change::RailLoosened
        | Change::RuleRespelled
        | Change::RuleDescribed
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
        | Change::CheckDispositionChanged
        | Change::CheckDescribed => Extent::Nothing,
    }
}

/// The same where judged keeps the rows of earlier runs: they mean something only to the text that
/// judged them, so another text of the same meaning judges them anew.
#[must_use]
pub fn extent_of_ledger(change: Change) -> Extent {
    match change {
        Change::KeyReordered
        | Change::FieldsReordered
        | Change::RecipeRespelled
        | Change::RuleRespelled => Extent::Whole,
        other => extent(other),
    }
}
