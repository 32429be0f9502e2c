//! A reply piece by piece, over the pauses of its turn.

use agent_core::model::{Delta, ModelError, Request};
use futures_util::stream::{self, BoxStream, StreamExt};

use crate::convert::{self, Paused};
use crate::model::Inner;
use crate::read::Reading;

/// Sends a request for a stream; gives what comes.
pub(crate) fn run<'a>(inner: &'a Inner, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
    let paused = Paused::new(inner.settings.max_continuations);
    let run = Run { inner, request, paused, pieces: None };
    Box::pin(stream::try_unfold(run, |mut run| async move { Ok(run.next().await?.map(|delta| (delta, run))) }))
}

struct Run<'a> {
    inner: &'a Inner,
    request: Request<'a>,
    paused: Paused,
    /// The stream that is being read; none before the first and after the last.
    pieces: Option<BoxStream<'a, Result<Delta, ModelError>>>,
}

impl Run<'_> {
    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        if self.paused.is_over() {
            return Ok(None);
        }
        loop {
            let pieces = match &mut self.pieces {
                Some(pieces) => pieces,
                none => none.insert(open(self.inner, &self.request, &self.paused)?),
            };
            match pieces.next().await {
                Some(Ok(Delta::Done(reply))) => {
                    self.pieces = None;
                    if let Some(whole) = self.paused.take(reply) {
                        return Ok(Some(Delta::Done(whole)));
                    }
                }
                Some(Ok(delta)) => return Ok(Some(delta)),
                Some(Err(error)) => return Err(self.paused.failed(error)),
                // A stream ends with the reply or an error, so there is none that ends here.
                None => return Ok(None),
            }
        }
    }
}

fn open<'a>(
    inner: &'a Inner,
    request: &Request<'a>,
    paused: &Paused,
) -> Result<BoxStream<'a, Result<Delta, ModelError>>, ModelError> {
    let body = convert::body(request, &inner.settings, true, paused.so_far())?;
    let begin = |answered| Reading::new(answered, inner.assembler().showing());
    Ok(inner.client.stream(body, request.deadline, begin))
}
