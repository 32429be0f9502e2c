//! Reading without a connection, for the targets of `cargo fuzz`.

use agent_core::model::{Delta, ModelError, Reply};
use bytes::Bytes;

use crate::error::Answered;
use crate::read::{self, Reading};

/// Reads a stream that comes in these pieces.
pub async fn events(pieces: Vec<Bytes>, reading: impl Reading) -> Result<(Reply, Vec<Delta>), ModelError> {
    read::all_events(pieces, reading)
}

/// Reads a body that came whole.
pub async fn whole(body: Bytes, reading: impl Reading) -> Result<(Reply, Vec<Delta>), ModelError> {
    read::whole(&Answered::example(200), body, reading)
}
