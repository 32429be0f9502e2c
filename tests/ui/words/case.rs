use agent_core::tool;

/// Looks up an order.
#[tool(rename_all = "camel")] //~ unknown case; expected `lowercase`, `UPPERCASE`, `PascalCase`, `camelCase`
async fn look_up() -> u8 {
    1
}

fn main() {}
