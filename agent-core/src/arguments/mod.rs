//! The arguments of a call: read once from text, checked against the shape, normalised, digested.

mod problem;
mod tree;

pub use problem::Problem;
pub use tree::{Arguments, Tree};
