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
    note = "derive it: `#[derive(serde::Deserialize, agent_core::ToolSchema)]`, or turn on the feature of `agent-core` for the type's crate (chrono, jiff, rust_decimal, url, uuid)"
)]
pub trait ToolSchema {
    /// The type's shape.
    const SHAPE: Link;
}
