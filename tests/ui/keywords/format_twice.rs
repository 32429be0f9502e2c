//! A format for a type that has one.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(format = "email")] //~ the type of `id` has the format `ipv4` already
    id: std::net::Ipv4Addr,
) {
    let _ = id;
}

fn main() {}
