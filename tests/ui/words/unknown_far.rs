use agent_core::tool;

/// Looks up an order.
#[tool(xyzzy)] //~ unknown word `xyzzy`; expected `name`, `rename_all`, `mutating`
async fn look_up() -> u8 {
    1
}

fn main() {}
