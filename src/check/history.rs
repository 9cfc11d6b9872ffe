//! What a type 2 entity needs, so that each of its versions is of one key and begins at one time.

use super::world::EntityView;
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Disposition, Materialization, Quality, RuleKind, Scd};

pub(super) fn check(
    view: &EntityView<'_>,
    quality: Option<&Quality>,
    materialization: &Materialization,
    found: &mut Bag,
) {
    match view.spec.scd {
        Scd::Type1 => return,
        Scd::Type2 => {}
    }
    check_materialization(view, materialization, found);
    check_dedupe(view, found);
    check_key(view, quality, found);
}

fn check_materialization(
    view: &EntityView<'_>,
    materialization: &Materialization,
    found: &mut Bag,
) {
    match materialization {
        Materialization::Full => return,
        Materialization::Incremental(_) => {}
    }
    // Partitions alone make an entity incremental.
    let key = match view.spec.materialization {
        Some(_) => "materialization",
        None => "partition_by",
    };
    found.push(
        Diagnostic::error(
            e04xx::HISTORY_INCREMENTAL,
            view.spec.at.key(key),
            "`scd: type2` with an incremental `materialization`".to_owned(),
        )
        .label(
            "the history is kept and never built anew; what it is made from is judged as a whole",
        )
        .also(view.spec.at.key("scd"), "declared type 2 here")
        .help(format!("leave `{key}` out")),
    );
}

fn check_dedupe(view: &EntityView<'_>, found: &mut Bag) {
    if view.spec.dedupe.is_some() {
        return;
    }
    found.push(
        Diagnostic::error(
            e04xx::HISTORY_WITHOUT_DEDUPE,
            view.spec.at.key("scd"),
            "`scd: type2` without `dedupe`".to_owned(),
        )
        .label("two rows of one key would both be its current version")
        .help("write `dedupe: {keep: latest_by, field: …, tie_break: […]}`"),
    );
}

fn check_key(view: &EntityView<'_>, quality: Option<&Quality>, found: &mut Bag) {
    for rule in quality.iter().flat_map(|quality| &quality.rules) {
        let RuleKind::NotNull { field } = &rule.kind else {
            continue;
        };
        let keeps = match rule.disposition {
            Disposition::Fail | Disposition::Quarantine => false,
            Disposition::Flag | Disposition::UnknownMember => true,
        };
        if keeps && view.is_key(field) {
            found.push(
                Diagnostic::error(
                    e04xx::HISTORY_KEY,
                    rule.place.clone(),
                    format!("`not_null` on the key field `{field}` keeps the row"),
                )
                .label("a row without a key is no version of anything")
                .also(view.spec.at.key("scd"), "declared type 2 here")
                .help("write `on_fail: quarantine` or `fail`, or leave the rule out"),
            );
        }
    }
}
