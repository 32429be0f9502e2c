//! The model against a server on a loopback port.

mod errors;
mod replies;
mod requests;
mod retries;
mod security;
mod server;
mod timeouts;
