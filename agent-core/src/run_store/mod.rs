//! Runs outlive their process: what a store of runs keeps, and for whom.

mod memory;
mod prompt;
mod store;

pub use memory::MemoryRunStore;
pub use prompt::prompt_digest;
pub use store::{Mismatch, OpenRun, Opened, RunStore, StoredRun};
