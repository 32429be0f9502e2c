use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    qty: u32, //~ the model is shown what `qty` is; write a doc comment above the field
}

fn main() {}
