//! Whether a provider takes a list of tools, asked when an agent is built.

use super::check::{self, Report, Sums};
use super::profile::{GEMINI, Recursion};
use super::{Kind, Profile, Shape};

/// One tool of a request.
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) strict: bool,
    /// None where the schema is the host's own text.
    pub(crate) arguments: Option<&'static Shape>,
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
    let within = |report: Report| words(report).map(|words| format!("`{}`: {words}", tool.name));
    let named = words(check::name(tool.name, profile));
    let Some(arguments) = tool.arguments else { return named };
    let Kind::Object(object) = &arguments.kind else { return named };
    let names_only = names_of(profile);
    // The rules of strict mode; names are asked for in any mode.
    let profile = if tool.strict { profile } else { &names_only };
    named.or_else(|| within(check::together(arguments, profile))).or_else(|| {
        let mut fields = object.fields.iter();
        fields.find_map(|field| {
            let path = format!("{}.{}", tool.name, field.name);
            words(check::argument_of(field.shape.get(), &path, profile))
        })
    })
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
