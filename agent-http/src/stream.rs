//! A reply piece by piece.

use std::collections::VecDeque;
use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use tokio::time::{Instant, timeout, timeout_at};

use crate::client::{Client, Opened, later};
use crate::error::{self, Answered};
use crate::read::{self, Reading};
use crate::retry::Attempts;

/// How long is waited for the end of a body whose content is complete, so that its connection can be used again.
const TAIL: Duration = Duration::from_millis(250);

/// Sends a request for a stream; gives what comes.
pub(crate) fn run<'a, R: Reading + 'a>(
    client: &'a Client,
    body: Bytes,
    deadline: Option<Instant>,
    begin: impl Fn(Answered) -> R + Send + 'a,
) -> BoxStream<'a, Result<Delta, ModelError>> {
    let attempts = client.retries.begin(deadline);
    let run = Run { client, begin, body, deadline, attempts, at: At::Start, ready: VecDeque::new(), given: false };
    Box::pin(stream::try_unfold(run, |mut run| async move { Ok(run.next().await?.map(|delta| (delta, run))) }))
}

struct Run<'a, R, B> {
    client: &'a Client,
    begin: B,
    body: Bytes,
    deadline: Option<Instant>,
    attempts: Attempts<'a>,
    at: At<R>,
    ready: VecDeque<Delta>,
    /// Whether the caller has seen a piece, so that nothing may be said again.
    given: bool,
}

enum At<R> {
    Start,
    Reading { reading: Box<R>, events: BoxStream<'static, Result<String, ModelError>> },
    End,
}

impl<R: Reading, B: Fn(Answered) -> R> Run<'_, R, B> {
    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                self.given = true;
                return Ok(Some(delta));
            }
            // While it is taken, the end stands in its place: after an error nothing follows.
            let step = match std::mem::replace(&mut self.at, At::End) {
                At::Start => self.open().await,
                At::Reading { reading, events } => self.read(reading, events).await,
                At::End => return Ok(None),
            };
            match step {
                Ok(at) => self.at = at,
                Err(error) if self.given => return Err(error.attempts(self.attempts.sent)),
                Err(error) => {
                    self.attempts.after(error).await?;
                    self.at = At::Start;
                }
            }
        }
    }

    async fn open(&mut self) -> Result<At<R>, ModelError> {
        let (answered, opened) = self.client.open(self.body.clone(), self.deadline).await?;
        let reading = (self.begin)(answered.clone());
        match opened {
            Opened::Events(events) => Ok(At::Reading { reading: Box::new(reading), events }),
            Opened::Whole(body) => {
                let (reply, deltas) = read::whole(&answered, &body, reading).await?;
                self.ready.extend(deltas);
                Ok(self.done(reply))
            }
        }
    }

    async fn read(
        &mut self,
        mut reading: Box<R>,
        mut events: BoxStream<'static, Result<String, ModelError>>,
    ) -> Result<At<R>, ModelError> {
        // Comments keep a stream alive, but not for ever without an event.
        let most = reading.grace().unwrap_or(self.client.timeout);
        let broken = match timeout_at(later(most, self.deadline), events.next()).await {
            Err(_) => Some(error::late(self.client.server(), "sent no event for too long")),
            Ok(Some(Ok(data))) => match reading.event(data.as_bytes()) {
                Ok(deltas) if reading.is_done() => {
                    self.ready.extend(deltas);
                    let rest = async { while events.next().await.is_some() {} };
                    // Too late or not, the reply is complete.
                    let _ = timeout(TAIL, rest).await;
                    None
                }
                Ok(deltas) => {
                    self.ready.extend(deltas);
                    return Ok(At::Reading { reading, events });
                }
                Err(error) => return Err(error.partial_text(reading.text())),
            },
            Ok(Some(Err(error))) => Some(error),
            Ok(None) => None,
        };
        let reply = reading.end(broken)?;
        Ok(self.done(reply))
    }

    fn done(&mut self, mut reply: Reply) -> At<R> {
        reply.attempts = self.attempts.sent;
        self.ready.push_back(Delta::Done(reply));
        At::End
    }
}
