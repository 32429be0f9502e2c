//! JSON as a tree that borrows from its text and keeps what a map would lose.

use std::borrow::Cow;

/// A JSON value. Objects keep order and doubled keys, integers keep every digit.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number within `i64`.
    Int(i64),
    /// A whole number beyond `i64` and within `u64`.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string.
    Str(Cow<'a, str>),
    /// A list.
    Array(Vec<Tree<'a>>),
    /// An object, as written until it is normalised; then in the order of its shape.
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

/// The valid, normalised arguments of one call, in the order of the tool's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments<'a> {
    /// One entry a field of the arguments' shape; none where the value is absent and has no known default.
    pub(crate) fields: Vec<Option<Tree<'a>>>,
}

// TEMPORARY stand-in.
#[allow(missing_docs, clippy::result_large_err)]
impl Arguments<'_> {
    pub fn field<T: serde::de::DeserializeOwned>(&self, index: usize) -> Result<T, super::Problem> {
        let _ = index;
        unimplemented!()
    }
    pub fn whole<T: serde::de::DeserializeOwned>(&self) -> Result<T, super::Problem> {
        unimplemented!()
    }
}
