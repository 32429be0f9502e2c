//! Shapes of types, and their three readers: compile-time checks, published text, validator.

mod accepted;
#[doc(hidden)]
pub mod check;
pub mod profile;
mod publish;
mod shape;
mod types;
pub(crate) mod words;

pub(crate) use accepted::refused_by;
pub use profile::Profile;
pub use publish::{Published, full_text, publish};
pub use shape::{
    Array, Bound, DefaultValue, Enum, EnumValue, Field, Integer, Kind, Link, Number, Object, Reads, Refused, Rules,
    Shape, Tagging, Text, Union, Variant,
};

/// A type that a language model may fill in.
///
/// Derive it beside `serde::Deserialize`; the two must agree on the wire form, which the derive sees to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tool schema",
    label = "a model cannot fill in this type",
    note = "derive it: `#[derive(serde::Deserialize, agent_core::ToolSchema)]`, or turn on the feature of `agent-core` for the type's crate (rust_decimal)"
)]
pub trait ToolSchema {
    /// The type's shape.
    const SHAPE: Link;
}

/// What generated code asks of a parameter's type: one bound, so that a type without a schema is one error.
#[doc(hidden)]
pub trait Argument {
    /// The type again. Where the bound does not hold it has no meaning, and nothing more is said of it.
    type Itself;
    /// The type's shape.
    const SHAPE: Link;
}

impl<T: ToolSchema> Argument for T {
    type Itself = T;
    const SHAPE: Link = T::SHAPE;
}
