//! A function of another language.

use agent_core::tool;

/// Looks up an order.
#[tool]
async extern "C" fn look_up() {} //~ a tool is a plain `async fn`; leave `extern` out

fn main() {}
