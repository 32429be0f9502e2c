//! Reading a body up to a limit.

use agent_core::model::ModelError;
use bytes::{Bytes, BytesMut};

use super::incoming::Incoming;
use crate::error::Answered;

/// The whole body, of which `first` was read before, unless it is larger than this.
pub(super) async fn whole(
    incoming: &mut Incoming,
    answered: &Answered,
    most: usize,
    first: Bytes,
) -> Result<Bytes, ModelError> {
    let mut body = Body::One(first);
    loop {
        match incoming.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => return Err(answered.too_large(most)),
            Ok(Some(chunk)) => body.add(chunk),
            Ok(None) => return Ok(body.whole()),
            // The status of an error that broke off still says what is wrong.
            Err(_) if !answered.status.is_success() => return Ok(body.whole()),
            Err(broken) => return Err(answered.interrupted(broken)),
        }
    }
}

/// A body so far. Most come in one piece, which is then not copied.
enum Body {
    One(Bytes),
    Several(BytesMut),
}

impl Body {
    fn len(&self) -> usize {
        match self {
            Self::One(piece) => piece.len(),
            Self::Several(pieces) => pieces.len(),
        }
    }

    fn add(&mut self, chunk: Bytes) {
        match self {
            Self::One(piece) if piece.is_empty() => *piece = chunk,
            Self::One(piece) => {
                let mut pieces = BytesMut::with_capacity(2 * (piece.len() + chunk.len()));
                pieces.extend_from_slice(piece);
                pieces.extend_from_slice(&chunk);
                *self = Self::Several(pieces);
            }
            Self::Several(pieces) => pieces.extend_from_slice(&chunk),
        }
    }

    fn whole(self) -> Bytes {
        match self {
            Self::One(piece) => piece,
            Self::Several(pieces) => pieces.freeze(),
        }
    }
}
