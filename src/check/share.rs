//! Shares as exact numbers.

use crate::ir::Share;
use crate::spec::entity_model::Percent;

/// Whatever its spelling: `2.50` is `2.5`.
pub(super) fn share(percent: &Percent) -> Share {
    let (whole, fraction) = percent.0.split_once('.').unwrap_or((&percent.0, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = whole.chars().chain(fraction.chars());
    Share {
        parts: digits
            .filter_map(|c| c.to_digit(10))
            .fold(0, |parts, digit| 10 * parts + u64::from(digit)),
        digits: u32::try_from(fraction.len()).expect("the grammar has counted its digits"),
    }
}
