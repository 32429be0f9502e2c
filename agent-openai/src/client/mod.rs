//! Sending one request and reading its answer.

mod body;

use std::time::Duration;

use agent_core::model::ModelError;
use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Request, Response};
use tokio::time::{Instant, timeout_at};

use crate::endpoint::Endpoint;
use crate::error::{self, Answered};

/// What sends.
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) endpoint: Endpoint,
    /// The key and whatever else goes with every request; each is marked as sensitive.
    pub(crate) headers: HeaderMap,
    /// The longest that one attempt may take.
    pub(crate) timeout: Duration,
    /// The largest answer.
    pub(crate) most_bytes: usize,
}

impl Client {
    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&self, body: Bytes, deadline: Option<Instant>) -> Result<(Answered, Bytes), ModelError> {
        let until = self.until(deadline);
        let answer = async {
            let (answered, mut response) = self.open(body, "application/json").await?;
            let bytes = body::whole(&mut response, &answered, self.most_bytes).await?;
            if answered.status.is_success() { Ok((answered, bytes)) } else { Err(answered.refused(&bytes)) }
        };
        match timeout_at(until, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(error::late(&self.endpoint.shown, "did not answer in time")),
        }
    }

    /// When an attempt that begins now must be over.
    fn until(&self, deadline: Option<Instant>) -> Instant {
        let now = Instant::now();
        // A timeout beyond what the clock can count is none; a deadline in thirty years will do.
        let own = now.checked_add(self.timeout).unwrap_or(now + Duration::from_secs(946_080_000));
        deadline.map_or(own, |deadline| deadline.min(own))
    }

    /// Sends a request and reads the head of the answer.
    async fn open(&self, body: Bytes, accept: &'static str) -> Result<(Answered, Response), ModelError> {
        let mut request = Request::new(Method::POST, self.endpoint.url.clone());
        request.headers_mut().clone_from(&self.headers);
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accept));
        *request.body_mut() = Some(body.into());
        let server = self.endpoint.shown.clone();
        let response = self.http.execute(request).await.map_err(|error| error::unanswered(&server, error))?;
        let answered = Answered { server, status: response.status(), headers: response.headers().clone() };
        Ok((answered, response))
    }
}
