//! An error that is a union.

use agent_core::ToolError;

#[derive(ToolError)]
union Lost { //~ a union is no error; use a struct or an enum
    _a: u8,
}

fn main() {}
