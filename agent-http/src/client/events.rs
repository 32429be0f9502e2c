//! Opening a stream, and reading it with a limit on each wait.

use std::time::Duration;

use agent_core::model::ModelError;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::time::{Instant, timeout_at};

use super::incoming::Incoming;
use super::{Client, body, later};
use crate::error::{self, Answered};
use crate::json::BYTE_ORDER_MARK;
use crate::read::{self, Looks};

/// What a server answers when it is asked for a stream.
pub(crate) enum Opened {
    /// A body that was read whole, since it is none of events.
    Whole(Bytes),
    /// The data of each event.
    Events(BoxStream<'static, Result<String, ModelError>>),
}

impl Client {
    /// Asks for a stream, and waits until its first bytes tell what it is.
    pub(crate) async fn open(&self, body: Bytes, deadline: Option<Instant>) -> Result<(Answered, Opened), ModelError> {
        let server = &self.endpoint.shown;
        let opened = timeout_at(later(self.first_byte_timeout, deadline), self.first(body)).await;
        let (answered, mut incoming, start) = opened.map_err(|_| error::late(server, "sent nothing in time"))??;
        if start.looks != Some(Looks::Whole) {
            let events = read::events(self.bytes(answered.clone(), incoming, start, deadline));
            return Ok((answered, Opened::Events(events)));
        }
        let whole = body::whole(&mut incoming, &answered, self.most_bytes, start.bytes);
        match timeout_at(later(self.timeout, deadline), whole).await {
            Ok(bytes) => Ok((answered, Opened::Whole(bytes?))),
            Err(_) => Err(error::late(server, "did not answer in time")),
        }
    }

    /// Sends, and reads until it can be told whether events come or something whole.
    async fn first(&self, body: Bytes) -> Result<(Answered, Incoming, Start), ModelError> {
        let (answered, mut incoming) = self.head(body, "text/event-stream, application/json").await?;
        if !answered.status.is_success() {
            let bytes = body::whole(&mut incoming, &answered, self.most_bytes, BytesMut::new()).await?;
            return Err(answered.refused(&bytes));
        }
        let mut start = Start::default();
        while start.looks.is_none() {
            match incoming.chunk().await {
                Ok(Some(chunk)) => start.add(&chunk),
                Ok(None) => break,
                Err(broken) => return Err(answered.interrupted(broken)),
            }
            if start.read > self.most_bytes {
                return Err(answered.too_large(self.most_bytes));
            }
        }
        Ok((answered, incoming, start))
    }

    /// The bytes of a stream, with a limit on the silence between them and on their number.
    fn bytes(
        &self,
        answered: Answered,
        incoming: Incoming,
        start: Start,
        deadline: Option<Instant>,
    ) -> BoxStream<'static, Result<Bytes, ModelError>> {
        let source = Source {
            answered,
            incoming,
            deadline,
            idle: self.idle_timeout,
            read: start.read,
            most_bytes: self.most_bytes,
        };
        let rest =
            stream::try_unfold(
                source,
                |mut source| async move { Ok(source.next().await?.map(|bytes| (bytes, source))) },
            );
        stream::iter([Ok(start.bytes.freeze())]).chain(rest).boxed()
    }
}

/// How an answer begins. White space in front, which servers send to keep a connection, is counted and forgotten, so
/// that any amount of it costs each byte once.
#[derive(Default)]
struct Start {
    bytes: BytesMut,
    /// How many bytes came.
    read: usize,
    /// What they are the beginning of, once that can be told.
    looks: Option<Looks>,
}

impl Start {
    fn add(&mut self, chunk: &[u8]) {
        self.read += chunk.len();
        let chunk = if self.bytes.is_empty() { chunk.trim_ascii_start() } else { chunk };
        self.bytes.extend_from_slice(chunk);
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            let rest = self.bytes[BYTE_ORDER_MARK.len()..].trim_ascii_start().len();
            self.bytes.advance(self.bytes.len() - rest);
        }
        self.looks = read::looks(&self.bytes);
    }
}

struct Source {
    answered: Answered,
    incoming: Incoming,
    deadline: Option<Instant>,
    idle: Duration,
    read: usize,
    most_bytes: usize,
}

impl Source {
    async fn next(&mut self) -> Result<Option<Bytes>, ModelError> {
        // Of a server that always has more to say, no wait would ever end.
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Err(error::late(&self.answered.server, "was not done in time"));
        }
        let chunk = match timeout_at(later(self.idle, self.deadline), self.incoming.chunk()).await {
            Ok(chunk) => chunk.map_err(|broken| self.answered.interrupted(broken))?,
            Err(_) => return Err(error::late(&self.answered.server, "fell silent in the middle of its answer")),
        };
        self.read += chunk.as_ref().map_or(0, Bytes::len);
        if self.read > self.most_bytes {
            return Err(self.answered.too_large(self.most_bytes));
        }
        Ok(chunk)
    }
}

#[cfg(test)]
mod tests {
    use agent_core::model::ModelErrorKind;

    use super::*;

    #[test]
    fn white_space_without_end_costs_each_byte_once() {
        for mark in ["", "\u{feff}"] {
            let mut start = Start::default();
            mark.bytes().for_each(|byte| start.add(&[byte]));
            // Were all of it looked through for each piece, this would take hours.
            for _ in 0..3_000_000 {
                start.add(b" ");
            }
            assert_eq!((start.looks, start.bytes.len(), start.read), (None, 0, 3_000_000 + mark.len()));
            start.add(b"{");
            assert_eq!((start.looks, &start.bytes[..]), (Some(Looks::Whole), &b"{"[..]));
        }
    }

    #[test]
    fn what_comes_is_known_by_its_first_bytes_in_any_pieces() {
        for (body, looks) in [
            ("\n\r\n data: x", Looks::Events),
            (": hi", Looks::Events),
            ("\u{feff}data:", Looks::Events),
            ("\u{feff}\n{\"a\":1}", Looks::Whole),
            ("[1]", Looks::Whole),
            ("<html>", Looks::Whole),
        ] {
            for size in 1..=body.len() {
                let mut start = Start::default();
                for chunk in body.as_bytes().chunks(size) {
                    if start.looks.is_none() {
                        start.add(chunk);
                    }
                }
                assert_eq!(start.looks, Some(looks), "{body:?} in pieces of {size}");
            }
        }
    }

    fn source(deadline: Option<Instant>, most_bytes: usize) -> Source {
        let incoming = Incoming::Kept { pieces: vec![Bytes::from_static(b" "); 100_000], broken: false };
        let answered = Answered::example(200);
        Source { answered, incoming, deadline, idle: Duration::from_secs(120), read: 0, most_bytes }
    }

    async fn failure(mut source: Source) -> ModelError {
        loop {
            match source.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the body was read to its end"),
                Err(error) => return error,
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_pauses_cannot_stop_the_deadline() {
        let deadline = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        let error = failure(source(Some(deadline), usize::MAX)).await;
        assert_eq!(error.kind(), ModelErrorKind::Timeout);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_pauses_is_read_up_to_the_limit() {
        assert_eq!(failure(source(None, 1000)).await.kind(), ModelErrorKind::MalformedResponse);
    }
}
