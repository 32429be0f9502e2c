use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(id: u64) -> u64 { //~ the model is shown what `id` is; write a doc comment above the parameter
    id
}

fn main() {}
