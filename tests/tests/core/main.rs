//! What holds of dispatch and of the loop, whatever the model, the tools and the store do.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod agent;
mod answers;
mod approvals;
mod bounds;
mod breaker;
mod by_hand;
mod cancel;
mod claims;
mod codes;
mod compaction;
mod conclude;
mod deadlines;
mod effects;
mod every_tool;
mod gates;
mod guests;
mod hooks;
mod limits;
mod loops;
mod parallel;
mod random;
mod results;
mod saved;
mod scripted;
mod sessions;
mod sizes;
mod speaker;
mod stored_runs;
mod streams;
mod suspension;
mod threads;
mod told;
mod windows;
mod world;
