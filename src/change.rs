//! What changed against the checked-in project, and what it means. It touches no disk: what stands
//! there is handed in.

pub mod diff;
pub mod lock;
pub mod review;
