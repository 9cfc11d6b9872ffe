//! Tests that read fixtures, and tests that drive the real functions over folders of their own.

mod blame;
pub(crate) mod changes;
pub(crate) mod checking;
mod docs;
mod expressions;
pub(crate) mod golden;
mod host;
mod layers;
mod locking;
mod mangled;
mod projects;
mod rules;
pub(crate) mod scratch;
mod spec;
mod writing;
mod yaml;
