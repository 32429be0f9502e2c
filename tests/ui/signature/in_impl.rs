//! `#[tool]` on a function of a type.

use agent_core::tool;

struct Orders;

impl Orders {
    /// Looks up an order.
    #[tool]
    async fn look_up() -> u8 { //~ `struct` is not supported in `trait`s or `impl`s
        1
    }
}

fn main() {
    drop(Orders::look_up());
}
