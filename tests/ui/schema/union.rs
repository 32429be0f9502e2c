use agent_core::ToolSchema;

#[derive(ToolSchema)]
union Bits { //~ a union has no schema; use a struct or an enum
    _a: u8,
}

fn main() {}
