//! An owned trait object.

use agent_core::tool;

trait Clock {}

/// Tells the time.
#[tool]
async fn time(
    clock: dyn Clock, //~ `dyn Clock` has no size of its own; the host lends it: borrow `&dyn Clock`
) -> u8 {
    1
}

fn main() {}
