//! A shape as the text that a profile can say.

/// A tool's schema as a provider is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The tool's description, with what the schema cannot say.
    pub description: String,
    /// The parameters, as JSON text.
    pub parameters: String,
}
