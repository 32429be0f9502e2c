use agent_core::ToolSchema;

#[derive(ToolSchema)]
enum Never {} //~ an enum without variants has no value that a model could give

fn main() {}
