//! Words of other crates.

use agent_core::tool;

/// Looks up an order.
#[tool(read_only)] //~ unknown word `read_only`; a tool without `mutating` only reads; leave it out
async fn look_up(
    /// Which.
    #[arg(min = 1)] //~ unknown word `min`; did you mean `minimum`?
    id: u32,
    #[arg(description = "Who asks.")] //~ unknown word `description`; the doc comment above the parameter
    /// Who.
    who: String,
    /// Why.
    #[arg(optional)] //~ unknown word `optional`; what may be left out is an `Option<T>`, or has a `default`
    why: String,
) -> u32 {
    id
}

fn main() {}
