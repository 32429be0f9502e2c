//! The model against a server on a loopback port.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod cassettes;
mod conformance;
mod dialects;
mod differential;
mod errors;
mod quirks;
mod replies;
mod requests;
mod retries;
mod security;
mod server;
mod streams;
mod timeouts;
