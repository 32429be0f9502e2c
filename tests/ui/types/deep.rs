use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Deep<T> {
    /// One more.
    _d: T,
}

type Three<T> = Deep<Deep<Deep<T>>>;

/// Ships.
#[tool]
async fn ship(
    /// The order.
    order: Three<Three<Three<Deep<u8>>>>, //~ nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
