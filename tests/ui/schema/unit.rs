use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Nothing; //~ a unit struct has one value, so there is nothing to fill in; leave it out

fn main() {}
