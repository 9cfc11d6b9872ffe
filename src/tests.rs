//! Tests that read fixtures.
