//! Opening a stream, and reading it with a limit on each wait.

use std::time::Duration;

use agent_core::model::ModelError;
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::{Client, body, later};
use crate::error::{self, Answered};
use crate::read;

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
        let (answered, mut response, start) = opened.map_err(|_| error::late(server, "sent nothing in time"))??;
        if start.trim_ascii().is_empty() || read::is_events(&start) {
            let events = read::events(self.bytes(answered.clone(), response, start, deadline));
            return Ok((answered, Opened::Events(events)));
        }
        let whole = body::whole(&mut response, &answered, self.most_bytes, start);
        match timeout_at(later(self.timeout, deadline), whole).await {
            Ok(bytes) => Ok((answered, Opened::Whole(bytes?))),
            Err(_) => Err(error::late(server, "did not answer in time")),
        }
    }

    /// Sends, and reads up to the first byte that is no white space.
    async fn first(&self, body: Bytes) -> Result<(Answered, Response, BytesMut), ModelError> {
        let (answered, mut response) = self.head(body, "text/event-stream, application/json").await?;
        let mut start = BytesMut::new();
        if !answered.status.is_success() {
            let bytes = body::whole(&mut response, &answered, self.most_bytes, start).await?;
            return Err(answered.refused(&bytes));
        }
        while start.trim_ascii().is_empty() {
            match response.chunk().await {
                Ok(Some(chunk)) => start.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return Err(answered.interrupted(error)),
            }
            if start.len() > self.most_bytes {
                return Err(answered.too_large(self.most_bytes));
            }
        }
        Ok((answered, response, start))
    }

    /// The bytes of a stream, with a limit on the silence between them and on their number.
    fn bytes(
        &self,
        answered: Answered,
        response: Response,
        start: BytesMut,
        deadline: Option<Instant>,
    ) -> BoxStream<'static, Result<Bytes, ModelError>> {
        let source = Source {
            answered,
            response,
            deadline,
            idle: self.idle_timeout,
            read: start.len(),
            most_bytes: self.most_bytes,
        };
        let rest =
            stream::try_unfold(
                source,
                |mut source| async move { Ok(source.next().await?.map(|bytes| (bytes, source))) },
            );
        stream::iter([Ok(start.freeze())]).chain(rest).boxed()
    }
}

struct Source {
    answered: Answered,
    response: Response,
    deadline: Option<Instant>,
    idle: Duration,
    read: usize,
    most_bytes: usize,
}

impl Source {
    async fn next(&mut self) -> Result<Option<Bytes>, ModelError> {
        let chunk = match timeout_at(later(self.idle, self.deadline), self.response.chunk()).await {
            Ok(chunk) => chunk.map_err(|error| self.answered.interrupted(error))?,
            Err(_) => return Err(error::late(&self.answered.server, "fell silent in the middle of its answer")),
        };
        self.read += chunk.as_ref().map_or(0, Bytes::len);
        if self.read > self.most_bytes {
            return Err(self.answered.too_large(self.most_bytes));
        }
        Ok(chunk)
    }
}
