//! What changed against the checked-in project, and what it means. It touches no disk: what stands
//! there is handed in.

pub mod commands;
pub mod compare;
pub mod cost;
pub mod diff;
pub mod facts;
pub mod kinds;
pub mod limits;
pub mod lock;
pub mod meaning;
pub mod moves;
pub mod place;
pub mod report;
pub mod review;
pub mod scopes;
pub mod unexplained;
