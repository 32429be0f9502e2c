//! What a provider takes, as data.
//!
//! Where sources disagree the narrower one counts, because a refused request is worse than a constraint that stands
//! in words: the validator holds to all of them either way.

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
    pub recursion: Recursion,
    /// Greatest depth of nested objects, the arguments counted as one.
    pub max_depth: Option<usize>,
    /// Greatest number of properties in one tool.
    pub max_properties: Option<usize>,
    /// Greatest number of enum values in one tool.
    pub max_enum_values: Option<usize>,
    /// Greatest length of the values of one long enum.
    pub max_long_enum: Option<LongEnum>,
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
    /// Whether a tool's name begins with a letter or `_`.
    pub letter_first: bool,
    /// Longest property name of `[a-zA-Z0-9_.-]`; none where any name is taken.
    pub max_property_name: Option<usize>,
}

/// Whether a type may contain itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recursion {
    /// Anywhere.
    Anywhere,
    /// In an optional field only.
    Optional,
    /// Nowhere.
    Nowhere,
}

/// A limit of the values of one enum that counts only where they are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongEnum {
    /// Up to so many values are of any length.
    pub values: usize,
    /// The total length of more than that, in characters.
    pub chars: usize,
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

impl Keywords {
    /// None of them.
    pub const NONE: Self = Self {
        bounds: false,
        exclusive_bounds: false,
        multiple_of: false,
        lengths: false,
        pattern: false,
        items: false,
        few_items: false,
    };
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
    recursion: Recursion::Anywhere,
    max_depth: Some(10),
    max_properties: Some(5000),
    max_enum_values: Some(1000),
    max_long_enum: Some(LongEnum { values: 250, chars: 15_000 }),
    max_name_chars: Some(120_000),
    max_strict_tools: None,
    max_tools: Some(128),
    max_optionals: None,
    max_unions: None,
    max_tool_name: 64,
    letter_first: false,
    max_property_name: None,
};

/// Anthropic's strict mode, from its "Structured outputs" guide.
pub const ANTHROPIC: Profile = Profile {
    name: "Anthropic",
    optional: Optional::Absent,
    strict: true,
    keywords: Keywords { few_items: true, ..Keywords::NONE },
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"],
    recursion: Recursion::Nowhere,
    max_depth: None,
    max_properties: None,
    max_enum_values: None,
    max_long_enum: None,
    max_name_chars: None,
    max_strict_tools: Some(20),
    max_tools: None,
    max_optionals: Some(24),
    max_unions: Some(16),
    max_tool_name: 64,
    letter_first: false,
    max_property_name: Some(64),
};

/// Azure OpenAI's strict mode, from its "Structured outputs" page, which still has the older subset: no keyword for
/// a single value, 100 properties, 5 levels, 500 enum values, 15,000 characters. It also wants
/// `parallel_tool_calls: false`, which is the adapter's business.
pub const AZURE: Profile = Profile {
    name: "Azure OpenAI",
    keywords: Keywords::NONE,
    formats: &[],
    max_depth: Some(5),
    max_properties: Some(100),
    max_enum_values: Some(500),
    max_long_enum: Some(LongEnum { values: 250, chars: 7_500 }),
    max_name_chars: Some(15_000),
    ..OPENAI
};

/// Gemini's function declarations in their JSON Schema field, from the definition of its API.
///
/// Optional fields are left out of `required`: a type that contains itself is taken in no other place. There is no
/// strict mode to ask for.
pub const GEMINI: Profile = Profile {
    name: "Gemini",
    optional: Optional::Absent,
    strict: false,
    keywords: Keywords { bounds: true, items: true, few_items: true, ..Keywords::NONE },
    formats: &["date-time", "date", "time"],
    recursion: Recursion::Optional,
    max_depth: None,
    max_properties: None,
    max_enum_values: None,
    max_long_enum: None,
    max_name_chars: None,
    max_strict_tools: None,
    max_tools: None,
    max_optionals: None,
    max_unions: None,
    max_tool_name: 64,
    letter_first: true,
    max_property_name: None,
};

/// What every provider above takes, and local servers (vLLM, llama.cpp, Ollama) too: closed objects, every property
/// required, string enums, everything inlined, the smallest of all limits.
pub const PORTABLE: Profile = Profile {
    name: "at least one provider",
    recursion: Recursion::Nowhere,
    max_strict_tools: ANTHROPIC.max_strict_tools,
    max_optionals: ANTHROPIC.max_optionals,
    max_unions: ANTHROPIC.max_unions,
    letter_first: GEMINI.letter_first,
    max_property_name: ANTHROPIC.max_property_name,
    ..AZURE
};

#[cfg(test)]
mod tests {
    use super::*;

    /// No more than the other, where there is a limit at all.
    fn within(narrow: Option<usize>, wide: Option<usize>) -> bool {
        narrow.unwrap_or(usize::MAX) <= wide.unwrap_or(usize::MAX)
    }

    /// Each field by its name, so that a new one is not left out.
    #[test]
    fn the_portable_profile_is_as_narrow_as_each_of_the_others_in_every_field() {
        let Profile {
            name: _,
            optional,
            strict: _,
            keywords: Keywords { bounds, exclusive_bounds, multiple_of, lengths, pattern, items, few_items },
            formats,
            recursion,
            max_depth,
            max_properties,
            max_enum_values,
            max_long_enum,
            max_name_chars,
            max_strict_tools,
            max_tools,
            max_optionals,
            max_unions,
            max_tool_name,
            letter_first,
            max_property_name,
        } = PORTABLE;
        // What all take: a union with null, in place of a field that only some allow to be left out.
        assert_eq!(optional, Optional::Nullable);
        for other in [&OPENAI, &ANTHROPIC, &AZURE, &GEMINI] {
            let name = other.name;
            for (narrow, wide) in [
                (bounds, other.keywords.bounds),
                (exclusive_bounds, other.keywords.exclusive_bounds),
                (multiple_of, other.keywords.multiple_of),
                (lengths, other.keywords.lengths),
                (pattern, other.keywords.pattern),
                (items, other.keywords.items),
                (few_items, other.keywords.few_items),
                (other.letter_first, letter_first),
            ] {
                assert!(wide || !narrow, "{name}");
            }
            assert!(formats.iter().all(|format| other.formats.contains(format)), "{name}");
            let allowed = |recursion| match recursion {
                Recursion::Nowhere => 0,
                Recursion::Optional => 1,
                Recursion::Anywhere => 2,
            };
            assert!(allowed(recursion) <= allowed(other.recursion), "{name}");
            // The longer an enum may be before its text counts, the more is taken.
            let values = |long: Option<LongEnum>| long.map(|long| long.values);
            let chars = |long: Option<LongEnum>| long.map(|long| long.chars);
            for (narrow, wide) in [
                (max_depth, other.max_depth),
                (max_properties, other.max_properties),
                (max_enum_values, other.max_enum_values),
                (values(max_long_enum), values(other.max_long_enum)),
                (chars(max_long_enum), chars(other.max_long_enum)),
                (max_name_chars, other.max_name_chars),
                (max_strict_tools, other.max_strict_tools),
                (max_tools, other.max_tools),
                (max_optionals, other.max_optionals),
                (max_unions, other.max_unions),
                (Some(max_tool_name), Some(other.max_tool_name)),
                (max_property_name, other.max_property_name),
            ] {
                assert!(within(narrow, wide), "{name}: {narrow:?} {wide:?}");
            }
        }
    }
}
