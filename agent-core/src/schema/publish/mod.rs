//! A shape as JSON Schema: all of it, or what a profile can say.

mod dialect;
mod emit;
mod recursion;
mod rules;

use self::dialect::Dialect;
use self::emit::Emitter;
use super::{Profile, Shape, resolve};

/// A tool's schema as a provider is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The tool's description.
    pub description: String,
    /// The parameters, as JSON text.
    pub parameters: String,
}

/// A tool's schema as a profile can say it.
///
/// What it cannot say in keywords stands in the descriptions in words; the validator holds to all of
/// it. The same shape gives the same text, keys in the order of the shape.
///
/// ```
/// use agent_core::schema::{Kind, Object, Shape, profile, publish};
///
/// static NOTHING: Shape = Shape::new(Kind::Object(Object { id: 1, name: "Ping", doc: "", fields: &[], generic: false }));
/// let published = publish("Says pong.", &NOTHING, &profile::OPENAI);
/// assert_eq!(
///     published.parameters,
///     r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
/// );
/// ```
pub fn publish(description: &str, shape: &'static Shape, profile: &Profile) -> Published {
    Published { description: description.to_owned(), parameters: written(Dialect::of(profile), shape) }
}

/// Every constraint of a shape as JSON Schema 2020-12: what the validator holds to, and no provider is sent.
///
/// Optional fields may be absent or null in it, as the validator has it.
pub fn full_text(shape: &'static Shape) -> String {
    written(Dialect::FULL, shape)
}

fn written(dialect: Dialect<'_>, shape: &'static Shape) -> String {
    // A foreign type that cannot be read is refused by `build()`; here it is what no value satisfies.
    let shape = resolve(shape, true).unwrap_or(shape);
    Emitter::new(dialect, shape).document(shape)
}

#[cfg(test)]
mod tests;
