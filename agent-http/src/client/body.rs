//! Reading a body up to a limit.

use agent_core::model::ModelError;
use bytes::{Bytes, BytesMut};

use super::incoming::Incoming;
use crate::error::Answered;

/// The whole body, of which `body` was read before, unless it is larger than this.
pub(super) async fn whole(
    incoming: &mut Incoming,
    answered: &Answered,
    most: usize,
    mut body: BytesMut,
) -> Result<Bytes, ModelError> {
    loop {
        match incoming.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => return Err(answered.too_large(most)),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body.freeze()),
            // The status of an error that broke off still says what is wrong.
            Err(_) if !answered.status.is_success() => return Ok(body.freeze()),
            Err(broken) => return Err(answered.interrupted(broken)),
        }
    }
}
