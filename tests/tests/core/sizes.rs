//! What a run takes while it waits.

use std::future::IntoFuture;

use agent_core::testing::ScriptedModel;
use agent_core::{Agent, tools};

use crate::world::{App, look};

/// Bytes of what is awaited. A server holds one for each run that waits for its model, so what makes it larger is looked
/// at: a value kept over an await that need not be, or a future inside it that could be boxed where it is rare.
const MOST: usize = 8 * 1024;

#[test]
fn the_future_of_a_run_stays_below_its_bound() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look]).state(App::default()).build().unwrap();
    let size = size_of_val(&*agent.run("Go.").into_future());
    assert!(size <= MOST, "the future of a run has {size} bytes, more than {MOST}");
}
