//! Rules for the tools of one list.

use super::{Report, same};
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
                .add("; give one of them another with `#[tool(name = \"..\")]`");
        }
        i += 1;
    }
    Report::FINE
}
