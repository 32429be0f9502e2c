//! A third adapter, as the guide writes it, and models that stand in for each other.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod contract;
mod ends;
mod fallback;
mod guide;
mod parrot;
mod resumed;
mod swap;
