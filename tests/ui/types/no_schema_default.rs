use agent_core::ToolSchema;

#[derive(serde::Deserialize, Default)]
struct Point {
    x: u8,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The place.
    #[serde(default)]
    place: Point, //~ `Point` has no tool schema
}

fn main() {
    let _ = |order: Order| order.place.x;
}
