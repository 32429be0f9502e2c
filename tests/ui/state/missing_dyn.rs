use agent_core::{Offer, tool, tools};

trait Clock: Send + Sync {}

/// Tells the time.
#[tool]
async fn now(clock: &dyn Clock) -> u8 {
    let _ = clock;
    1
}

fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    needs(tools![now], &()); //~ the agent's state does not hold a `(dyn Clock + 'static)`
}
