//! Durable claims and runs.
