//! Whether a provider takes a list of tools, asked when an agent is built.

use super::check;
use super::{Kind, Profile};
use crate::tool::ToolSpec;

/// The first thing that `profile` would refuse in a request with these tools.
///
/// The same checks as at compile time, for a profile that is known only with the model.
pub(crate) fn refused_by(tools: &[&'static ToolSpec], profile: &'static Profile) -> Option<String> {
    if let Some(most) = profile.max_tools
        && tools.len() > most
    {
        return Some(format!("there are {} tools, and a request may have {most}; offer fewer", tools.len()));
    }
    let strict = tools.iter().filter(|tool| tool.strict).count();
    if let Some(most) = profile.max_strict_tools
        && strict > most
    {
        return Some(format!("there are {strict} strict tools, and a request may have {most}; offer fewer"));
    }
    tools.iter().find_map(|tool| tool_refused_by(tool, profile))
}

fn tool_refused_by(tool: &'static ToolSpec, profile: &'static Profile) -> Option<String> {
    let whole = check::tool(tool, profile);
    if whole.failed() {
        return Some(format!("`{}`: {}", tool.name, whole.text()));
    }
    let Kind::Object(arguments) = &tool.arguments.get().kind else { return None };
    arguments.fields.iter().find_map(|field| {
        let report = check::argument(field.shape.get(), field.name, profile);
        report.failed().then(|| format!("`{}`: {}", tool.name, report.text()))
    })
}
