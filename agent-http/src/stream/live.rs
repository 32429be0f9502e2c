//! A reply that is being read from a connection.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::client::{Client, Incoming, Start, later};
use crate::error::{self, Answered};
use crate::event_stream::EventStream;
use crate::read::Reading;

/// How long is waited for the end of a body whose content is complete, so that its connection can be used again.
const TAIL: Duration = Duration::from_millis(250);

/// A reply that is being read from a connection, with a limit on each wait and on the bytes.
pub(super) struct Live<R> {
    answered: Answered,
    reading: R,
    incoming: Incoming,
    events: EventStream,
    /// Whether there are no more events, but the end of the body may be to come.
    complete: bool,
    /// Why there is no more, where that was not the server's wish.
    broken: Option<ModelError>,
    /// How many bytes came.
    read: usize,
    limits: Limits,
    waits: Waits,
}

#[derive(Clone, Copy)]
struct Limits {
    deadline: Option<Instant>,
    /// The longest silence.
    idle: Duration,
    /// The longest wait for an event: comments keep a stream alive, but not for ever.
    event: Duration,
    bytes: usize,
}

/// How long is waited; each begins when there is nothing to read, so that a caller who takes his time costs none.
#[derive(Default)]
struct Waits {
    bytes: Option<Instant>,
    event: Option<Instant>,
    /// Wakes at the end of a wait, or before it: to set it anew for each piece would cost more than the piece.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<R: Reading> Live<R> {
    pub(super) fn new(
        client: &Client,
        deadline: Option<Instant>,
        answered: Answered,
        reading: R,
        incoming: Incoming,
        start: Start,
    ) -> Self {
        let limits = Limits { deadline, idle: client.idle_timeout, event: client.timeout, bytes: client.most_bytes };
        let mut events = EventStream::default();
        events.add(start.bytes);
        let (read, waits) = (start.read, Waits::default());
        Self { answered, reading, incoming, events, complete: false, broken: None, read, limits, waits }
    }

    /// Reads until there are pieces, which are put at the front of `ready`, the last one first; gives whether it is over.
    pub(super) fn poll_pieces(
        &mut self,
        context: &mut Context<'_>,
        ready: &mut Vec<Delta>,
    ) -> Poll<Result<bool, ModelError>> {
        while !self.complete {
            let data = match self.events.next() {
                Some(data) => data,
                None => match ready!(self.poll_bytes(context)) {
                    Ok(true) => continue,
                    Ok(false) => match self.events.end() {
                        Some(data) => data,
                        None => return Poll::Ready(Ok(true)),
                    },
                    Err(broken) => {
                        self.broken = Some(broken);
                        return Poll::Ready(Ok(true));
                    }
                },
            };
            self.waits.event = None;
            let data = match data {
                Ok(data) => data,
                Err(broken) => {
                    self.broken = Some(broken);
                    return Poll::Ready(Ok(true));
                }
            };
            let deltas = match self.reading.event(data.as_bytes()) {
                Ok(deltas) => deltas,
                Err(error) => return Poll::Ready(Err(error.partial_text(self.reading.text()))),
            };
            if self.reading.is_done() {
                self.complete = true;
                self.waits.bytes = None;
            }
            if !deltas.is_empty() {
                *ready = deltas;
                ready.reverse();
                return Poll::Ready(Ok(false));
            }
        }
        self.poll_tail(context).map(|()| Ok(true))
    }

    /// The reply, now that it is over.
    pub(super) fn end(self) -> Result<Reply, ModelError> {
        self.reading.end(self.broken)
    }

    /// Waits for the next bytes; false at the end of the body.
    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, ModelError>> {
        loop {
            if let Poll::Ready(chunk) = self.incoming.poll_chunk(context) {
                self.waits.bytes = None;
                let chunk = match chunk {
                    Ok(Some(chunk)) => chunk,
                    Ok(None) => return Poll::Ready(Ok(false)),
                    Err(broken) => return Poll::Ready(Err(self.answered.interrupted(broken))),
                };
                self.read += chunk.len();
                if self.read > self.limits.bytes {
                    return Poll::Ready(Err(self.answered.too_large(self.limits.bytes)));
                }
                self.events.add(chunk);
                return Poll::Ready(Ok(true));
            }
            let Limits { deadline, idle, event, .. } = self.limits;
            let bytes = *self.waits.bytes.get_or_insert_with(|| later(idle, deadline));
            let most = || later(self.reading.grace().unwrap_or(event), deadline);
            let event = *self.waits.event.get_or_insert_with(most);
            let now = Instant::now();
            let server = &self.answered.server;
            // Of a server that always has more to say, no wait would end by itself.
            if bytes <= now {
                return Poll::Ready(Err(error::late(server, "fell silent in the middle of its answer")));
            }
            if event <= now {
                return Poll::Ready(Err(error::late(server, "sent no event for too long")));
            }
            ready!(self.waits.poll_alarm(context, bytes.min(event)));
        }
    }

    /// Waits for the end of a body of which all is read. Too late or not, the reply is complete.
    fn poll_tail(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Poll::Ready(chunk) = self.incoming.poll_chunk(context) {
                let Ok(Some(chunk)) = chunk else { return Poll::Ready(()) };
                self.read += chunk.len();
                if self.read > self.limits.bytes {
                    return Poll::Ready(());
                }
                continue;
            }
            let until = *self.waits.bytes.get_or_insert_with(|| later(TAIL, None));
            if until <= Instant::now() {
                return Poll::Ready(());
            }
            ready!(self.waits.poll_alarm(context, until));
        }
    }
}

impl Waits {
    /// Waits until then, or for less.
    fn poll_alarm(&mut self, context: &mut Context<'_>, until: Instant) -> Poll<()> {
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if alarm.deadline() > until || alarm.is_elapsed() {
            alarm.as_mut().reset(until);
        }
        alarm.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use agent_core::model::ModelErrorKind;
    use bytes::Bytes;
    use std::future::poll_fn;

    use super::*;

    /// Takes any event, and is never done.
    struct Deaf;

    impl Reading for Deaf {
        fn whole(self, _: &[u8]) -> Result<(Reply, Vec<Delta>), ModelError> {
            self.end(None).map(|reply| (reply, Vec::new()))
        }

        fn event(&mut self, _: &[u8]) -> Result<Vec<Delta>, ModelError> {
            Ok(Vec::new())
        }

        fn is_done(&self) -> bool {
            false
        }

        fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError> {
            broken.map_or_else(|| Ok(Reply::default()), Err)
        }

        fn text(&self) -> Option<String> {
            None
        }
    }

    async fn failure(piece: &'static [u8], deadline: Option<Instant>, most_bytes: usize) -> ModelError {
        let incoming = Incoming::Kept { pieces: vec![Bytes::from_static(piece); 100_000], broken: false };
        let hour = Duration::from_secs(3600);
        let limits = Limits { deadline, idle: hour, event: hour, bytes: most_bytes };
        let (answered, events, waits) = (Answered::example(200), EventStream::default(), Waits::default());
        let mut live =
            Live { answered, reading: Deaf, incoming, events, complete: false, broken: None, read: 0, limits, waits };
        while !poll_fn(|context| live.poll_pieces(context, &mut Vec::new())).await.unwrap() {}
        live.end().unwrap_err()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_pauses_cannot_stop_the_deadline() {
        let deadline = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        for piece in [&b" "[..], b": hi\n", b"data: x\n\n"] {
            let error = failure(piece, Some(deadline), usize::MAX).await;
            assert_eq!(error.kind(), ModelErrorKind::Timeout);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_pauses_is_read_up_to_the_limit() {
        assert_eq!(failure(b" ", None, 1000).await.kind(), ModelErrorKind::MalformedResponse);
    }
}
