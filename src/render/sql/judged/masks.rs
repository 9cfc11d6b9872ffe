//! Where the verdicts of the rules are kept: a bit each, in a word for each disposition.

use crate::lower::judged::{Judged, JudgedRule};
use crate::lower::predicate::Undecided;
use crate::sql::expr::{Comparison, Expr};
use crate::sql::types::Type;

/// The gates ask `_fail` alone, and a word has 60 bits for rules: this one says that a rule of a later
/// word fails.
pub(super) const FAILS_IN_A_LATER_WORD: i64 = 1 << 60;

/// Every mask column with its expression over the verdicts; a disposition without rules is 0.
pub(super) fn masks(judged: &Judged) -> Vec<(Expr, String)> {
    let mut columns: Vec<(String, Vec<(Expr, i64)>)> =
        ["_fail", "_quarantine", "_flag", "_undecided"]
            .map(|name| (name.to_owned(), Vec::new()))
            .into();
    let mut add = |column: &str, condition: Expr, bit: i64| {
        let index = columns
            .iter()
            .position(|(name, _)| name == column)
            .unwrap_or_else(|| {
                columns.push((column.to_owned(), Vec::new()));
                columns.len() - 1
            });
        let bits = &mut columns[index].1;
        match bits.iter_mut().find(|(known, _)| *known == condition) {
            Some((_, known)) => *known |= bit,
            None => bits.push((condition, bit)),
        }
    };
    for rule in &judged.rules {
        add(
            &rule.failed.column,
            Expr::column(&rule.column),
            rule.failed.value,
        );
    }
    let later: Vec<Expr> = judged
        .rules
        .iter()
        .filter(|rule| fails_in_a_later_word(rule))
        .map(|rule| Expr::column(&rule.column))
        .collect();
    if !later.is_empty() {
        add("_fail", Expr::any(later), FAILS_IN_A_LATER_WORD);
    }
    for rule in &judged.rules {
        if let Some(condition) = undecided(rule, judged) {
            add(
                &rule.undecided_bit.column,
                condition,
                rule.undecided_bit.value,
            );
        }
    }
    columns.sort_by_key(|(name, _)| order_of(name));
    columns
        .into_iter()
        .map(|(name, bits)| (Expr::Cast(Expr::Mask(bits).into(), Type::Int), name))
        .collect()
}

pub(super) fn fails_in_a_later_word(rule: &JudgedRule) -> bool {
    rule.failed.column.starts_with("_fail_")
}

fn order_of(mask: &str) -> (usize, String) {
    let kinds = ["_fail", "_quarantine", "_flag", "_undecided"];
    (
        kinds
            .iter()
            .position(|kind| mask.starts_with(kind))
            .unwrap_or(kinds.len()),
        mask.to_owned(),
    )
}

/// Rules of one field are undecided together: the first of them stands for all.
fn undecided(rule: &JudgedRule, judged: &Judged) -> Option<Expr> {
    match &rule.undecided {
        Undecided::Never => None,
        Undecided::Predicate => Some(Expr::column(&rule.column).is_null()),
        Undecided::WhereNull(_) => judged
            .rules
            .iter()
            .find(|other| other.undecided == rule.undecided)
            .map(|first| Expr::column(&first.column).is_null()),
    }
}

/// Whether the rule failed, as judged has kept it.
pub fn has_failed(rule: &JudgedRule) -> Expr {
    Expr::HasBit {
        mask: Expr::qualified("judged", &rule.failed.column).into(),
        bit: rule.failed.value,
    }
}

/// The names of those that failed. A rule that several mappings have is one name.
pub fn names(rules: &[&JudgedRule]) -> Expr {
    let mut words: Vec<(&str, &str, i64)> = Vec::new();
    for rule in rules {
        let (name, column) = (rule.name.as_str(), rule.failed.column.as_str());
        match words
            .iter_mut()
            .find(|word| (word.0, word.1) == (name, column))
        {
            Some((_, _, bits)) => *bits |= rule.failed.value,
            None => words.push((name, column, rule.failed.value)),
        }
    }
    let named = words.into_iter().map(|(name, column, bit)| {
        let mask = Expr::qualified("judged", column).into();
        (Expr::HasBit { mask, bit }, name.to_owned())
    });
    Expr::Names(named.collect())
}

/// Each of these says that the row goes to the reject relation.
pub(super) fn is_diverted(masks: &[(Expr, String)]) -> Vec<Expr> {
    masks
        .iter()
        .filter(|(_, name)| name.starts_with("_quarantine"))
        .map(|(_, name)| Expr::column(name).compare(Comparison::NotEqual, Expr::int(0)))
        .collect()
}
