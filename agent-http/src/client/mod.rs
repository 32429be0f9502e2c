//! Sending one request and reading its answer.

mod body;
mod events;
mod incoming;

use std::sync::Arc;
use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use reqwest::header::HeaderMap;
use reqwest::{Method, Request, Response};
use tokio::time::{Instant, timeout_at};

use crate::cassette::Cassette;
use crate::endpoint::Endpoint;
use crate::error::{self, Answered};
use crate::read::{self, Reading};
use crate::retry::Retries;
use crate::secrets::Secrets;
use crate::stream;

pub(crate) use events::{Opened, Start};
pub(crate) use incoming::{Broken, Incoming};

/// What sends requests, and sends them again.
///
/// A [`Setup`](crate::Setup) makes one. `docs/writing-an-adapter.md` in the repository shows it at work.
pub struct Client {
    pub(crate) http: reqwest::Client,
    /// What the base URL has to be that of.
    pub(crate) api: &'static str,
    pub(crate) endpoint: Endpoint,
    /// The headers of a request for a whole answer, the key included.
    pub(crate) headers: HeaderMap,
    /// Those of a request for a stream.
    pub(crate) stream_headers: HeaderMap,
    /// Whether the client is the user's own, which may follow redirects.
    pub(crate) is_given: bool,
    /// What in them must not be shown.
    pub(crate) secrets: Arc<Secrets>,
    /// What requests are recorded on, or answered from.
    pub(crate) cassette: Option<Cassette>,
    /// The longest that one attempt at a whole answer may take.
    pub(crate) timeout: Duration,
    /// The longest wait for the first byte of a stream.
    pub(crate) first_byte_timeout: Duration,
    /// The longest silence inside a stream.
    pub(crate) idle_timeout: Duration,
    /// The largest answer.
    pub(crate) most_bytes: usize,
    pub(crate) retries: Retries,
}

impl Client {
    /// The server's address, without credentials.
    pub fn server(&self) -> &str {
        &self.endpoint.shown
    }

    /// Asks for one reply; `begin` begins to read an answer, once for each attempt.
    ///
    /// # Errors
    ///
    /// The error of the last attempt, with the number of all.
    pub async fn reply<R: Reading>(
        &self,
        body: impl Into<Bytes>,
        deadline: Option<Instant>,
        begin: impl Fn(Answered) -> R,
    ) -> Result<Reply, ModelError> {
        let body = body.into();
        let mut attempts = self.retries.begin(deadline);
        loop {
            let answer = async {
                let (answered, body) = self.send(body.clone(), deadline).await?;
                read::whole(&answered, body, begin(answered.clone()))
            };
            match answer.await {
                Ok((mut reply, _)) => {
                    reply.attempts = attempts.sent;
                    return Ok(reply);
                }
                Err(error) => attempts.after(error).await?,
            }
        }
    }

    /// Asks for one reply piece by piece. Tries again only as long as no piece was given.
    pub fn stream<'a, R: Reading + 'a>(
        &'a self,
        body: impl Into<Bytes>,
        deadline: Option<Instant>,
        begin: impl Fn(Answered) -> R + Send + 'a,
    ) -> BoxStream<'a, Result<Delta, ModelError>> {
        stream::run(self, body.into(), deadline, begin)
    }

    /// Sends a request and reads the whole answer.
    async fn send(&self, body: Bytes, deadline: Option<Instant>) -> Result<(Answered, Bytes), ModelError> {
        let answer = async {
            let (answered, mut incoming) = self.head(body, &self.headers).await?;
            let bytes = body::whole(&mut incoming, &answered, self.most_bytes, Bytes::new()).await?;
            if answered.status.is_success() { Ok((answered, bytes)) } else { Err(answered.refused(&bytes)) }
        };
        match timeout_at(later(self.timeout, deadline), answer).await {
            Ok(answer) => answer,
            Err(_) => Err(error::late(&self.endpoint.shown, "did not answer in time")),
        }
    }

    /// Sends a request and reads the head of the answer.
    async fn head(&self, body: Bytes, headers: &HeaderMap) -> Result<(Answered, Incoming), ModelError> {
        let mut request = Request::new(Method::POST, self.endpoint.url.clone());
        request.headers_mut().clone_from(headers);
        *request.body_mut() = Some(body.clone().into());
        let (status, headers, incoming) = match &self.cassette {
            Some(cassette) if cassette.is_replayed() => cassette.play(&request, &body)?,
            cassette => {
                let asked = cassette.as_ref().map(|cassette| cassette.asked(&request, &body));
                let mut response = self.sent(request).await?;
                let tape = cassette.as_ref().zip(asked).map(|(cassette, asked)| cassette.answered(asked, &response));
                let headers = std::mem::take(response.headers_mut());
                (response.status(), headers, Incoming::Live(response, tape))
            }
        };
        let (server, secrets) = (Arc::clone(&self.endpoint.shown), Arc::clone(&self.secrets));
        Ok((Answered { api: self.api, server, secrets, status, headers: Arc::new(headers) }, incoming))
    }

    async fn sent(&self, request: Request) -> Result<Response, ModelError> {
        let server = &self.endpoint.shown;
        let response = self.http.execute(request).await.map_err(|error| error::unanswered(server, error))?;
        // A client of the user's own may follow redirects. What another host says is no answer of this server.
        if self.is_given && response.url().origin() != self.endpoint.url.origin() {
            return Err(error::led_away(server));
        }
        Ok(response)
    }
}

/// When a wait that begins now must be over.
pub(crate) fn later(wait: Duration, deadline: Option<Instant>) -> Instant {
    let now = Instant::now();
    // A wait beyond what the clock can count is none; a time in thirty years will do.
    let own = now.checked_add(wait).unwrap_or(now + Duration::from_secs(946_080_000));
    deadline.map_or(own, |deadline| deadline.min(own))
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("server", &self.endpoint.shown).finish_non_exhaustive()
    }
}
