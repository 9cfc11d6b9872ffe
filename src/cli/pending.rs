//! Stages that are not there yet.

use crate::diag::Bag;
use crate::settings::Settings;
use crate::spec;
use crate::spec::config::Config;
use crate::tree::Tree;
use crate::yaml::Sources;

pub(super) fn read_config(_text: &str, _file: &str) -> (Config, Bag) {
    (Config::default(), Bag::default())
}

pub(super) fn compile(sources: &Sources, _settings: &Settings) -> (Option<Tree>, Bag) {
    let (_, bag) = spec::load(sources);
    (None, bag)
}
