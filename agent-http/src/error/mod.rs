//! What went wrong, decided once: from the status and the structured fields of the body.

mod classify;
mod fault;
mod retry_after;

use std::sync::Arc;

use agent_core::model::{ModelError, ModelErrorKind};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::client::Broken;
use crate::secrets::Secrets;

pub use fault::Fault;

/// The longest part of a server's own words that is shown.
const SHOWN: usize = 600;

/// Where a request went and what came back beside the body; makes the errors of an answer.
///
/// ```
/// use agent_core::model::ModelErrorKind;
/// use agent_http::{Answered, Fault};
///
/// let answered = Answered::example(200);
/// let error = answered.fault(&Fault::read(br#"{"error": {"type": "overloaded_error", "message": "busy"}}"#));
/// assert_eq!((error.kind(), error.is_retryable()), (ModelErrorKind::Overloaded, true));
/// assert!(error.message().contains("has too much to do: busy"));
/// ```
#[derive(Debug, Clone)]
pub struct Answered {
    /// What the base URL has to be that of.
    pub(crate) api: &'static str,
    /// The server's address, without credentials.
    pub(crate) server: Arc<str>,
    /// What was sent and must not be shown, should the server repeat it.
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) status: StatusCode,
    pub(crate) headers: Arc<HeaderMap>,
}

impl Answered {
    /// An answer of no server, for tests of an adapter's reading.
    ///
    /// A status that is none counts as 500.
    pub fn example(status: u16) -> Self {
        Self {
            api: "the example's API",
            server: "http://localhost".into(),
            secrets: Arc::default(),
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            headers: Arc::default(),
        }
    }

    fn error(&self, kind: ModelErrorKind, message: String) -> ModelError {
        ModelError::new(kind, message).status(Some(self.status.as_u16())).request_id(self.request_id())
    }

    /// The server's id of the request, which its operators ask for.
    fn request_id(&self) -> Option<String> {
        let id = ["x-request-id", "request-id", "apim-request-id", "cf-ray"]
            .iter()
            .find_map(|name| self.headers.get(*name)?.to_str().ok())?;
        Some(self.shown(id, 128))
    }

    /// The error for a status that is none of success.
    pub(crate) fn refused(&self, body: &[u8]) -> ModelError {
        if self.status.is_redirection() {
            return self.redirected();
        }
        self.fault(&Fault::read(body))
    }

    /// The error that a body with an error in it stands for, whatever the status.
    pub fn fault(&self, fault: &Fault) -> ModelError {
        let verdict = classify::verdict(self.status, fault);
        let retryable = match self.header("x-should-retry") {
            Some("true") => true,
            Some("false") => false,
            _ => verdict.retryable,
        };
        let words = match fault.words() {
            Some(words) => format!(": {}", self.shown(words, SHOWN)),
            None => " and gives no reason".to_owned(),
        };
        let message = format!("{} {}{words}; {}", self.server, verdict.failed, verdict.advice);
        self.error(verdict.kind, message)
            .retryable(retryable)
            .retry_after(retry_after::read(&self.headers).or(fault.retry_after()))
    }

    /// The error for a redirect: following it could hand the key to another host.
    fn redirected(&self) -> ModelError {
        let to = match self.header("location") {
            Some(to) => format!(" to {}", self.shown(to.split('?').next().unwrap_or_default(), 200)),
            None => String::new(),
        };
        let message =
            format!("{} redirects{to}, which is not followed; set the base URL to the final address", self.server);
        self.error(ModelErrorKind::NotFound, message)
    }

    /// The error for a body that is no reply.
    pub fn malformed(&self, why: &str, body: &[u8]) -> ModelError {
        // All of it, of which the secrets are taken out before it is cut.
        let start = String::from_utf8_lossy(body);
        let start = start.trim_start();
        let is_page = start.starts_with('<');
        let advice = match is_page {
            true => "it sent a web page, so check that the base URL is that of its API".to_owned(),
            false => format!("if it happens again, check that the base URL is that of {}", self.api),
        };
        let shown = if is_page || start.is_empty() {
            String::new()
        } else {
            format!(" (it begins {:?})", self.shown(start, 120))
        };
        let message = format!("the answer of {} {why}{shown}; {advice}", self.server);
        self.error(ModelErrorKind::MalformedResponse, message).retryable(!is_page)
    }

    /// The error for an answer over the limit of size.
    pub(crate) fn too_large(&self, limit: usize) -> ModelError {
        let message =
            format!("the answer of {} is over {limit} bytes; raise `max_response_bytes` to take it", self.server);
        self.error(ModelErrorKind::MalformedResponse, message).retryable(false)
    }

    /// The error for arguments over their limit.
    pub fn arguments_too_large(&self) -> ModelError {
        let message =
            format!("{} sent more calls or larger arguments than are taken; see `max_argument_bytes`", self.server);
        self.error(ModelErrorKind::MalformedResponse, message).retryable(false)
    }

    /// The error for a body that broke off.
    pub(crate) fn interrupted(&self, Broken(source): Broken) -> ModelError {
        match source {
            Some(source) => self.cut_off().caused_by(source.without_url()),
            None => self.cut_off(),
        }
    }

    /// The error for an answer without its end.
    pub fn cut_off(&self) -> ModelError {
        let message = format!("the answer of {} broke off before its end; ask again", self.server);
        self.error(ModelErrorKind::StreamInterrupted, message)
    }

    /// A server's own words, without what it was sent in secret.
    fn shown(&self, words: &str, most: usize) -> String {
        cut(&self.secrets.hidden(words), most)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The error for a request that got no answer.
pub(crate) fn unanswered(server: &str, source: reqwest::Error) -> ModelError {
    let (kind, message) = if source.is_timeout() {
        (ModelErrorKind::Timeout, format!("no connection to {server} in time; check the address and the network"))
    } else if source.is_connect() {
        (ModelErrorKind::Connection, format!("no connection to {server}; check the address and that it is running"))
    } else {
        (ModelErrorKind::Connection, format!("the connection to {server} broke before it answered; ask again"))
    };
    // The URL may hold a key in its query; the message has the address without.
    ModelError::new(kind, message).caused_by(source.without_url())
}

/// The error for an answer of another host.
pub(crate) fn led_away(server: &str) -> ModelError {
    let message = format!(
        "{server} redirects to another host, and the client that was given followed; give it `Policy::none()`, and set \
         the base URL to the final address"
    );
    ModelError::new(ModelErrorKind::NotFound, message)
}

/// The error for an answer that did not come in time.
pub(crate) fn late(server: &str, what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Timeout, format!("{server} {what}; allow more time or ask for less"))
}

/// At most this many bytes of a text, on one line and without control characters.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim();
    let clean = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    if text.len() <= most {
        return clean(text);
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= most).last().unwrap_or(0);
    clean(&text[..end]) + ".."
}
