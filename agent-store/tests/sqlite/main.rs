//! The store in a file.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "../common/mod.rs"]
mod common;
mod contract;
mod dispatch;
mod faults;
mod faulty_runs;
mod migrations;
mod transactions;

use common::{begin, booking, claim, fresh, key, run, settle};

/// What the work of a transaction may fail with.
pub(crate) type Wrong = Box<dyn std::error::Error + Send + Sync>;
