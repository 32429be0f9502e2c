//! The arguments of a call: read once from text, checked against the shape, normalised, digested.
//!
//! What was read goes into the tool's function. So a retry and `reconcile`, which run beside or after it, read the text
//! again: keeping what was read for them would cost every call a copy, and a repeated one costs a second reading.

mod de;
mod digest;
mod format;
#[cfg(feature = "jsonschema")]
mod json;
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
#[cfg(feature = "jsonschema")]
pub(crate) use json::JsonValidator;
pub(crate) use nearest::nearest;
pub(crate) use parse::parse;
#[cfg(feature = "jsonschema")]
pub(crate) use parse::parse_arguments;
pub use problem::Problem;
pub use tree::Tree;
pub use validator::{Invalid, SchemaError, Validator};
pub use values::Arguments;

/// Whether the format is one that the validator checks.
pub(crate) fn is_format(format: &str) -> bool {
    format::check(format).is_some()
}

#[cfg(test)]
pub(crate) mod tests;
