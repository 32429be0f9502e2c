//! A body as it arrives, from the network or from a cassette.

use bytes::Bytes;
use reqwest::Response;
use tokio::task::consume_budget;

use crate::cassette::Tape;

/// What a body comes from.
pub(crate) enum Incoming {
    /// The network; a cassette may run along.
    Live(Response, Option<Tape>),
    /// A cassette, or a test.
    Kept {
        /// What is still to come, the last piece first.
        pieces: Vec<Bytes>,
        /// Whether the connection broke after that.
        broken: bool,
    },
}

/// The connection broke; the network says how.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) Option<reqwest::Error>);

impl Incoming {
    /// The next piece; none at the end.
    ///
    /// A server that always has more to say must not keep the clock from being looked at, so this gives way now and
    /// then, which lets a timeout around it end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Broken> {
        consume_budget().await;
        match self {
            Self::Live(response, tape) => {
                let chunk = response.chunk().await;
                if let Some(tape) = tape {
                    tape.heard(chunk.as_ref().map(Option::as_deref).map_err(|_| ()));
                }
                chunk.map_err(|error| Broken(Some(error)))
            }
            Self::Kept { pieces, broken } => match pieces.pop() {
                Some(piece) => Ok(Some(piece)),
                None if *broken => Err(Broken(None)),
                None => Ok(None),
            },
        }
    }
}
