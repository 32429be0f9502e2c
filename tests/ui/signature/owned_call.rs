use agent_core::tool;

use agent_core::CallContext;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    call: CallContext, //~ the call is borrowed: `&CallContext`
) -> u8 {
    1
}

fn main() {}
