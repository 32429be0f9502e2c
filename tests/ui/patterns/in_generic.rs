use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Page<T> {
    /// What comes after.
    #[arg(pattern = "(?<=a)b")] //~ no look-around
    _after: Option<String>,
    /// The items.
    _items: Vec<T>,
}

fn main() {}
