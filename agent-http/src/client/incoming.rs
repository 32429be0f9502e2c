//! A body as it arrives, from the network or from a cassette.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, ready};

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
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Broken> {
        poll_fn(|context| self.poll_chunk(context)).await
    }

    /// The same for whoever is polled.
    ///
    /// A server that always has more to say must not keep the clock from being looked at, so this gives way now and
    /// then, which lets a timeout around it end.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Broken>> {
        ready!(pin!(consume_budget()).poll(context));
        match self {
            Self::Live(response, tape) => {
                // Nothing is lost with the future: what it has not given is with the response still.
                let chunk = ready!(pin!(response.chunk()).poll(context));
                if let Some(tape) = tape {
                    tape.heard(chunk.as_ref().map(Option::as_deref).map_err(|_| ()));
                }
                Poll::Ready(chunk.map_err(|error| Broken(Some(error))))
            }
            Self::Kept { pieces, broken } => Poll::Ready(match pieces.pop() {
                Some(piece) => Ok(Some(piece)),
                None if *broken => Err(Broken(None)),
                None => Ok(None),
            }),
        }
    }
}
