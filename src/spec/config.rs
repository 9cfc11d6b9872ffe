//! `assay.yml`, the project's configuration. Every key is optional; flags win over it.

use crate::settings::{Dialect, Layout, Target};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Folder of the spec tree, relative to the file.
    pub specs: Option<String>,
    pub target: Option<Target>,
    pub dialect: Option<Dialect>,
    /// Root of the dbt or SQLMesh project, relative to the file.
    pub out: Option<String>,
    pub folder: Option<String>,
    pub bronze: Option<String>,
    pub silver: Option<String>,
    pub gold: Option<String>,
    pub layout: Option<Layout>,
}
