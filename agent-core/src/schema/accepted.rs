//! Whether a provider takes a list of tools, asked when an agent is built.

use serde_json::Value;

use super::check::{self, Report, Sums};
use super::profile::{GEMINI, Recursion};
use super::{Kind, Profile, Shape};

/// One tool of a request.
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) strict: bool,
    /// None where the schema is the host's own text.
    pub(crate) arguments: Option<&'static Shape>,
    /// All of the schema, where no shape has to say it.
    pub(crate) text: Option<String>,
}

/// The first thing that `profile` would refuse in a request with these tools.
///
/// The same checks as at compile time, for a profile that is known only with the model.
pub(crate) fn refused_by(tools: &[Asked<'_>], profile: &'static Profile) -> Option<String> {
    tools.iter().find_map(|tool| tool_refused_by(tool, profile)).or_else(|| {
        let sums = tools.iter().fold(Sums::NONE, |sums, tool| match tool.arguments {
            Some(arguments) => sums.and(arguments, tool.strict, profile),
            None => sums.and_loose(),
        });
        words(sums.report(profile))
    })
}

fn tool_refused_by(tool: &Asked<'_>, profile: &'static Profile) -> Option<String> {
    let named = words(check::name(tool.name, profile));
    let shaped = || shape_refused(tool.arguments?, tool, profile);
    let written = || {
        let schema: Value = serde_json::from_str(tool.text.as_deref()?).ok()?;
        name_refused(&schema, tool.name, profile)
    };
    named.or_else(shaped).or_else(written)
}

fn shape_refused(arguments: &'static Shape, tool: &Asked<'_>, profile: &'static Profile) -> Option<String> {
    let Kind::Object(object) = &arguments.kind else { return None };
    let names_only = names_of(profile);
    // The rules of strict mode; names are asked for in any mode.
    let profile = if tool.strict { profile } else { &names_only };
    let together = words(check::together(arguments, profile)).map(|words| format!("`{}`: {words}", tool.name));
    together.or_else(|| {
        let mut fields = object.fields.iter();
        fields.find_map(|field| {
            let path = format!("{}.{}", tool.name, field.name);
            words(check::argument_of(field.shape.get(), &path, profile))
        })
    })
}

/// The first property of a JSON Schema whose name `profile` refuses. It may be any schema that a host has written.
fn name_refused(schema: &Value, path: &str, profile: &Profile) -> Option<String> {
    profile.max_property_name?;
    match schema {
        Value::Object(keywords) => keywords.iter().find_map(|(keyword, value)| match (&**keyword, value) {
            ("properties", Value::Object(properties)) => properties.iter().find_map(|(name, schema)| {
                let path = format!("{path}.{name}");
                words(check::property_at(&path, name, profile)).or_else(|| name_refused(schema, &path, profile))
            }),
            // Values, in which `properties` is a word like any other.
            ("const" | "default" | "enum" | "examples", _) => None,
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                schemas.values().find_map(|schema| name_refused(schema, path, profile))
            }
            (_, value) => name_refused(value, path, profile),
        }),
        Value::Array(schemas) => schemas.iter().find_map(|schema| name_refused(schema, path, profile)),
        _ => None,
    }
}

/// What a provider asks of the names in tools that are not strict: Anthropic refuses the whole request for one of them.
fn names_of(profile: &Profile) -> Profile {
    Profile {
        name: profile.name,
        recursion: Recursion::Anywhere,
        max_property_name: profile.max_property_name,
        max_tool_name: profile.max_tool_name,
        letter_first: profile.letter_first,
        ..GEMINI
    }
}

fn words(report: Report) -> Option<String> {
    report.failed().then(|| report.text().to_owned())
}
