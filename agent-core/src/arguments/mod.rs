//! The arguments of a call: read once from text, checked against the shape, normalised, digested.

mod de;
mod digest;
mod format;
mod nearest;
mod number;
mod parse;
mod pattern;
mod problem;
mod read;
mod tree;
mod validator;
mod values;

pub use digest::Digest;
pub(crate) use nearest::nearest;
pub(crate) use parse::parse;
pub use problem::Problem;
pub use tree::Tree;
pub use validator::{Invalid, SchemaError, Validator};
pub use values::Arguments;

#[cfg(test)]
pub(crate) mod tests;
