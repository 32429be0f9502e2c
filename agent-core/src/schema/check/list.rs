//! Rules for the tools of one list.

use super::sums::Sums;
use super::{Report, same};
use crate::schema::Profile;
use crate::tool::{Tool, ToolSpec};

/// The spec of a tool, by its value: `tools!` names each tool in one form only, so that an unknown one is one error.
pub const fn spec<T: Tool>(_: &T) -> &'static ToolSpec {
    T::SPEC
}

/// Whether an earlier tool of the list has the name of the one at `index`.
pub const fn duplicate(tools: &[&'static ToolSpec], index: usize) -> Report {
    let mut i = 0;
    while i < index {
        if same(tools[i].name, tools[index].name) {
            return Report::WRONG
                .add("two tools in this list are named ")
                .name(tools[i].name)
                .add("; list it once, or give one of them another name with `#[tool(name = \"..\")]`");
        }
        i += 1;
    }
    Report::FINE
}

/// Whether `profile` takes these tools in one request.
pub const fn sums(tools: &[&'static ToolSpec], profile: &Profile) -> Report {
    let mut sums = Sums::NONE;
    let mut i = 0;
    while i < tools.len() {
        sums = sums.and(tools[i].arguments.get(), tools[i].strict, profile);
        i += 1;
    }
    sums.report(profile)
}

/// Whether each profile that the attributes name takes all tools that name it. It looks at each tool once, so that a long
/// list costs no more for each than a short one; only where it does not hold, [`list`] is asked about each tool.
pub const fn fits(tools: &[&'static ToolSpec]) -> bool {
    let mut index = 0;
    while index < tools.len() {
        let mut i = 0;
        while i < tools[index].profiles.len() {
            let profile = tools[index].profiles[i];
            if !is_named_before(tools, index, profile)
                && up_to(tools, tools.len() - 1, profile).1.report(profile).failed()
            {
                return false;
            }
            i += 1;
        }
        index += 1;
    }
    true
}

const fn is_named_before(tools: &[&'static ToolSpec], index: usize, profile: &Profile) -> bool {
    let mut i = 0;
    while i < index {
        if names(tools[i], profile) {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether each profile takes the tools up to the one at `index`, of those that the attributes name: the tool that
/// passes a limit is the one that is told. A profile is asked about the tools that name it. Where all fit, so do the
/// first of them.
pub const fn list(tools: &[&'static ToolSpec], index: usize, all_fit: bool) -> Report {
    if all_fit {
        return Report::FINE;
    }
    let mut i = 0;
    while i < tools[index].profiles.len() {
        let profile = tools[index].profiles[i];
        let (before, with) = up_to(tools, index, profile);
        let report = with.report(profile);
        if report.failed() && !before.report(profile).failed() {
            return report;
        }
        i += 1;
    }
    Report::FINE
}

const fn up_to(tools: &[&'static ToolSpec], index: usize, profile: &Profile) -> (Sums, Sums) {
    let mut before = Sums::NONE;
    let mut with = Sums::NONE;
    let mut i = 0;
    while i <= index {
        if names(tools[i], profile) {
            before = with;
            with = with.and(tools[i].arguments.get(), tools[i].strict, profile);
        }
        i += 1;
    }
    (before, with)
}

const fn names(tool: &ToolSpec, profile: &Profile) -> bool {
    let mut i = 0;
    while i < tool.profiles.len() {
        if same(tool.profiles[i].name, profile.name) {
            return true;
        }
        i += 1;
    }
    false
}
