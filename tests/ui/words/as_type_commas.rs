//! A stand-in type that has no schema.

use agent_core::tool;

#[derive(serde::Deserialize)]
struct Pair<A, B>(A, B);

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(as_type = Pair<u8, Vec<u8>>, example = "a")] //~ `Pair<u8, Vec<u8>>` has no tool schema
    id: Pair<u8, u8>,
) -> u8 {
    id.0 + id.1
}

fn main() {}
