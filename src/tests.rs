//! Tests that read fixtures, and tests that drive the real functions over folders of their own.

mod locking;
mod scratch;
mod writing;
mod yaml;
