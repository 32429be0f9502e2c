//! A third adapter, as the guide writes it, and models that stand in for each other.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod broken;
mod contract;
mod ends;
mod fallback;
mod guide;
mod overflow;
mod parrot;
#[path = "../wire/request_schema.rs"]
mod request_schema;
mod resumed;
mod swap;

use agent_core::{Answer, RunBuilder, RunError, RunEvent};
use futures_util::StreamExt;

/// How a run ends, awaited or as its events tell it.
async fn ended(run: RunBuilder<()>, streamed: bool) -> Result<Answer, RunError> {
    if !streamed {
        return run.await;
    }
    match run.events().collect::<Vec<_>>().await.pop() {
        Some(RunEvent::Finished(end)) => end,
        other => panic!("{other:?}"),
    }
}
