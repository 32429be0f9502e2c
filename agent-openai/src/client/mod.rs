//! Sending one request and reading its answer.

mod body;
mod events;

use std::sync::Arc;
use std::time::Duration;

use agent_core::model::ModelError;
use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Request, Response};
use secrecy::SecretString;
use tokio::time::{Instant, timeout_at};

use crate::endpoint::Endpoint;
use crate::error::{self, Answered};

pub(crate) use events::Opened;

/// What sends.
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) endpoint: Endpoint,
    /// The key and whatever else goes with every request; each is marked as sensitive.
    pub(crate) headers: HeaderMap,
    /// What in them must not be shown.
    pub(crate) secrets: Arc<[SecretString]>,
    /// The longest that one attempt at a whole answer may take.
    pub(crate) timeout: Duration,
    /// The longest wait for the first byte of a stream.
    pub(crate) first_byte_timeout: Duration,
    /// The longest silence inside a stream.
    pub(crate) idle_timeout: Duration,
    /// The largest answer.
    pub(crate) most_bytes: usize,
}

impl Client {
    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&self, body: Bytes, deadline: Option<Instant>) -> Result<(Answered, Bytes), ModelError> {
        let answer = async {
            let (answered, mut response) = self.head(body, "application/json").await?;
            let bytes = body::whole(&mut response, &answered, self.most_bytes, BytesMut::new()).await?;
            if answered.status.is_success() { Ok((answered, bytes)) } else { Err(answered.refused(&bytes)) }
        };
        match timeout_at(later(self.timeout, deadline), answer).await {
            Ok(answer) => answer,
            Err(_) => Err(error::late(&self.endpoint.shown, "did not answer in time")),
        }
    }

    /// Sends a request and reads the head of the answer.
    async fn head(&self, body: Bytes, accept: &'static str) -> Result<(Answered, Response), ModelError> {
        let mut request = Request::new(Method::POST, self.endpoint.url.clone());
        request.headers_mut().clone_from(&self.headers);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accept));
        *request.body_mut() = Some(body.into());
        let server = self.endpoint.shown.clone();
        let response = self.http.execute(request).await.map_err(|error| error::unanswered(&server, error))?;
        let answered = Answered {
            server,
            secrets: Arc::clone(&self.secrets),
            status: response.status(),
            headers: response.headers().clone(),
        };
        Ok((answered, response))
    }
}

/// When a wait that begins now must be over.
fn later(wait: Duration, deadline: Option<Instant>) -> Instant {
    let now = Instant::now();
    // A wait beyond what the clock can count is none; a time in thirty years will do.
    let own = now.checked_add(wait).unwrap_or(now + Duration::from_secs(946_080_000));
    deadline.map_or(own, |deadline| deadline.min(own))
}
