//! `&impl Trait`, which makes a tool generic.

use agent_core::tool;

/// Tells the time.
#[tool]
async fn time(clock: &impl Clone) { //~ `impl` makes a tool generic; name the type, or borrow `&dyn Trait`
    let _ = clock;
}

fn main() {}
