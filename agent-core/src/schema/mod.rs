//! Shapes of types, and their three readers: compile-time checks, published text, validator.

mod accepted;
#[cfg(feature = "schemars")]
mod bridge;
#[doc(hidden)]
pub mod check;
mod foreign;
pub mod profile;
mod publish;
mod shape;
mod types;
pub(crate) mod words;

pub(crate) use accepted::{Asked, refused_by};
#[cfg(feature = "schemars")]
pub use bridge::to_schemars;
pub(crate) use foreign::resolve;
pub use profile::Profile;
pub use publish::{Published, full_text, publish};
pub use shape::{
    Array, Bound, DefaultValue, Enum, EnumValue, Field, Foreign, Integer, Json, Judge, Kind, Link, Number, Object,
    Reads, Refused, Rules, Shape, Tagging, Text, Union, Variant,
};

/// A type that describes itself by a JSON Schema at run time: any `schemars::JsonSchema` type, with the feature
/// `schemars`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives no schema of itself",
    label = "`#[arg(schemars)]` takes a type that implements `schemars::JsonSchema`",
    note = "derive it: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; the feature `schemars` of `agent-core` is needed, and version 1 of the crate"
)]
pub trait Described {
    /// A shape that stands for the one that is read from the schema when an agent is built: what
    /// [`ToolSchema::SHAPE`] is to our own types.
    const DEFERRED: Link =
        Link::to(const { &Shape::new(Kind::Foreign(Foreign { name: "foreign", schema: Self::schema })) });

    /// The schema of what is read.
    fn schema() -> serde_json::Value;
}

/// A type that a language model may fill in.
///
/// Derive it beside `serde::Deserialize`; the two must agree on the wire form, which the derive sees to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tool schema",
    label = "a model cannot fill in this type",
    note = "a type of yours derives it: `#[derive(serde::Deserialize, agent_core::ToolSchema)]`",
    note = "for a type of chrono, jiff, rust_decimal, url or uuid, turn on that feature of `agent-core`",
    note = "any other type takes the schema of another, `#[arg(as_type = String)]`, or of schemars, `#[arg(schemars)]`"
)]
pub trait ToolSchema {
    /// The type's shape.
    const SHAPE: Link;

    /// The value of the type's `Default` as JSON text, where it is known and always the same. With it a field left to
    /// `#[serde(default)]` and the same field written out are one call.
    const DEFAULT: Option<&'static str> = None;
}
