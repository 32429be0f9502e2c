//! The profiles that a tool names, one after the other: a mistake that several of them refuse is told once.

use super::Report;
use crate::schema::{Profile, Shape, check};
use crate::tool::ToolSpec;

/// The report of the profile at `$index`, unless an earlier one refuses the same.
macro_rules! once {
    ($profiles:expr, $index:expr, |$profile:ident| $report:expr) => {{
        let profiles: &[&Profile] = $profiles;
        let $profile = profiles[$index];
        let report: Report = $report;
        let mut i = 0;
        while report.failed() && i < $index {
            let $profile = profiles[i];
            if report.is_as(&$report) {
                return Report::FINE;
            }
            i += 1;
        }
        report
    }};
}

/// Whether the profile takes what lies below the parameter at `path`, at any depth.
///
/// Types that the derive could check where they are written are not reported again.
pub const fn argument(shape: &'static Shape, path: &str, profiles: &[&Profile], index: usize) -> Report {
    once!(profiles, index, |profile| check::walk::argument(shape, path, profile))
}

/// The same for a struct that stands for all the arguments (`#[arg(flatten)]`): it is the root, and what it adds up to
/// is for `tool` to say.
pub const fn arguments(shape: &'static Shape, path: &str, profiles: &[&Profile], index: usize) -> Report {
    once!(profiles, index, |profile| check::walk::arguments(shape, path, profile))
}

/// Whether the profile takes a parameter of this name.
pub const fn property(name: &str, profiles: &[&Profile], index: usize) -> Report {
    once!(profiles, index, |profile| check::tool::property(name, profile))
}

/// Whether the profile takes the tool as a whole.
pub const fn tool(tool: &'static ToolSpec, index: usize) -> Report {
    once!(tool.profiles, index, |profile| check::tool::tool(tool, profile))
}
