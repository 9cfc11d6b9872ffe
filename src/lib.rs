//! `assay`: from a tree of YAML specs to a dbt or SQLMesh project in which no row is silently lost.
//!
//! See `docs/architecture.md` for the layers and who may import whom.

pub mod blame;
pub mod change;
pub mod check;
pub mod cli;
pub mod diag;
pub mod host;
pub mod io;
pub mod ir;
pub mod lower;
pub mod place;
pub mod render;
pub mod settings;
pub mod spec;
pub mod sql;
pub mod tree;
pub mod yaml;

#[cfg(test)]
mod tests;
