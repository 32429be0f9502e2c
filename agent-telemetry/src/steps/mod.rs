//! One record per step of a run.

mod line;
mod log;
mod writer;

pub use log::StepLog;
