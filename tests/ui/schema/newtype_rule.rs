use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Sku(
    #[arg(min_length = 1)] //~ a newtype has the schema of what it holds; put this on the parameter or field that has this type
    #[allow(dead_code)]
    String,
);

fn main() {}
