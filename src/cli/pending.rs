//! Stages that are not there yet.

use crate::diag::Bag;
use crate::settings::Settings;
use crate::spec;
use crate::tree::Tree;
use crate::yaml::Sources;

pub(super) fn compile(sources: &Sources, _settings: &Settings) -> (Option<Tree>, Bag) {
    let (_, bag) = spec::load(sources);
    (None, bag)
}
