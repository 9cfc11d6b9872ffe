//! Tests that read fixtures, and tests that drive the real functions over folders of their own.

mod host;
mod locking;
pub(crate) mod scratch;
mod writing;
mod yaml;
