//! What the benchmarks share: what is called, what stands beside it, a scripted server, clocks. `docs/performance.md`
//! says how each is run.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on stops")]

pub mod arguments;
pub mod cases;
pub mod fit;
pub mod meter;
pub mod server;
