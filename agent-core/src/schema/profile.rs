//! What a provider takes, as data.

/// What a provider's strict mode takes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The provider's name, for messages: "OpenAI".
    pub name: &'static str,
    /// How an optional value is published.
    pub optional: Optional,
    /// Whether `strict: true` is sent with a tool.
    pub strict: bool,
    /// The keywords that may be published; the others are said in words in the description.
    pub keywords: Keywords,
    /// The string formats that may be published.
    pub formats: &'static [&'static str],
    /// Whether a type may contain itself.
    pub recursion: bool,
    /// Greatest depth of nested objects, the arguments counted as one.
    pub max_depth: Option<usize>,
    /// Greatest number of properties in one tool.
    pub max_properties: Option<usize>,
    /// Greatest number of enum values in one tool.
    pub max_enum_values: Option<usize>,
    /// Greatest total length of property names, definition names and enum values in one tool, in characters.
    pub max_name_chars: Option<usize>,
    /// Greatest number of strict tools in one request.
    pub max_strict_tools: Option<usize>,
    /// Greatest number of tools in one request.
    pub max_tools: Option<usize>,
    /// Greatest number of optional parameters over all strict tools of a request.
    pub max_optionals: Option<usize>,
    /// Greatest number of union-typed parameters over all strict tools of a request.
    pub max_unions: Option<usize>,
    /// Longest tool name.
    pub max_tool_name: usize,
    /// Longest property name of `[a-zA-Z0-9_.-]`; none where any name is taken.
    pub max_property_name: Option<usize>,
}

/// How an optional value is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Optional {
    /// Required, in a union with null.
    Nullable,
    /// Not required, never null.
    Absent,
}

/// Which JSON Schema keywords a provider takes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Keywords {
    /// `minimum` and `maximum`.
    pub bounds: bool,
    /// `exclusiveMinimum` and `exclusiveMaximum`.
    pub exclusive_bounds: bool,
    /// `multipleOf`.
    pub multiple_of: bool,
    /// `minLength` and `maxLength`.
    pub lengths: bool,
    /// `pattern`.
    pub pattern: bool,
    /// `minItems` and `maxItems`, of any value.
    pub items: bool,
    /// `minItems` of 0 or 1.
    pub few_items: bool,
}

/// OpenAI's strict mode, from its "Structured model outputs" guide; what the guide leaves open
/// (`minLength`, `maxLength`) is taken as unsupported.
pub const OPENAI: Profile = Profile {
    name: "OpenAI",
    optional: Optional::Nullable,
    strict: true,
    keywords: Keywords {
        bounds: true,
        exclusive_bounds: true,
        multiple_of: true,
        lengths: false,
        pattern: true,
        items: true,
        few_items: true,
    },
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    recursion: true,
    max_depth: Some(10),
    max_properties: Some(5000),
    max_enum_values: Some(1000),
    max_name_chars: Some(120_000),
    max_strict_tools: None,
    max_tools: Some(128),
    max_optionals: None,
    max_unions: None,
    max_tool_name: 64,
    max_property_name: None,
};

/// Anthropic's strict mode, from its "Structured outputs" guide.
pub const ANTHROPIC: Profile = Profile {
    name: "Anthropic",
    optional: Optional::Absent,
    strict: true,
    keywords: Keywords {
        bounds: false,
        exclusive_bounds: false,
        multiple_of: false,
        lengths: false,
        pattern: false,
        items: false,
        few_items: true,
    },
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"],
    recursion: false,
    max_depth: None,
    max_properties: None,
    max_enum_values: None,
    max_name_chars: None,
    max_strict_tools: Some(20),
    max_tools: None,
    max_optionals: Some(24),
    max_unions: Some(16),
    max_tool_name: 64,
    max_property_name: Some(64),
};
