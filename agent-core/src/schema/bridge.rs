//! schemars: the schema of our types for others.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Described, ToolSchema, full_text};

/// The schema that serde's side of the type asks for: `$ref` only where the type contains itself.
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Described for T {
    fn schema() -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        settings.into_generator().into_root_schema_for::<T>().to_value()
    }
}

/// The full schema of a type, for what speaks schemars: an MCP server, an OpenAPI document.
///
/// It states every constraint, as [`full_text`] does.
///
/// ```
/// use agent_core::schema::to_schemars;
///
/// #[derive(serde::Deserialize, agent_core::ToolSchema)]
/// struct Point {
///     /// To the right.
///     x: u8,
/// }
///
/// let schema = to_schemars::<Point>();
/// assert_eq!(schema.pointer("/properties/x/maximum"), Some(&255.into()));
/// ```
pub fn to_schemars<T: ToolSchema + ?Sized>() -> schemars::Schema {
    // What the publisher writes is a JSON object, which is a schema.
    serde_json::from_str(&full_text(T::SHAPE.get())).unwrap_or_default()
}
