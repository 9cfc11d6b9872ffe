//! How much of what is published a run may take away.

use super::share::share;
use super::world::EntityView;
use crate::diag::code::e04xx;
use crate::diag::{Bag, Diagnostic};
use crate::ir::{Rails, Share};
use crate::spec::entity_model::{Percent, RailsSpec};

pub(super) fn resolve(view: &EntityView<'_>, is_judged: bool, found: &mut Bag) -> Option<Rails> {
    let spec = view.spec.rails.as_ref()?;
    if !is_judged {
        found.push(
            Diagnostic::error(
                e04xx::RAILS_UNJUDGED,
                spec.at.at_key(),
                format!("`rails` on `{}`, whose rows nobody judges", view.name()),
            )
            .label("what a run would publish is known only when it is published")
            .help("declare `dedupe:` or `quality:` on the entity"),
        );
    }
    let RailsSpec {
        at,
        is_empty,
        lost,
        null_share,
        deleted,
    } = spec;
    let mut rail = |name: &str, percent: &Option<Percent>| -> Option<Share> {
        let share = share(percent.as_ref()?);
        if share.parts > 0 {
            return Some(share);
        }
        found.push(
            Diagnostic::error(
                e04xx::NEVER_PASSES,
                at.key(name),
                format!("the rail `{name}: {share}` stops every run"),
            )
            .label("every run takes away nothing, or more")
            .help("write the share that means that something is broken, such as `\"99.5%\"`"),
        );
        None
    };
    let rails = Rails {
        lost: rail("lost", lost),
        null_share: rail("null_share", null_share),
        deleted: rail("deleted", deleted),
    };
    if *is_empty {
        found.push(
            Diagnostic::error(
                e04xx::NEVER_FIRES,
                at.at_key(),
                "`rails` without a share can never stop a run".to_owned(),
            )
            .help("write `lost`, `null_share` or `deleted`, or leave `rails` out"),
        );
    }
    Some(rails)
}
