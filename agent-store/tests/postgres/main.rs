//! The store in PostgreSQL. Needs a server: `AGENT_TEST_POSTGRES` holds its connection string, as `.ci/postgres` gives
//! it. Without one the tests say that they are skipped.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

#[path = "../common/mod.rs"]
mod common;
mod contract;
mod crash;
mod dispatch;
mod faults;
mod faulty_runs;
mod migrations;
mod place;
mod transactions;

use common::{begin, booking, claim, fresh, key, run, settle};
