//! One request and its answer, as they stand in the file.

use std::collections::BTreeMap;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Request, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::difference;
use crate::client::Incoming;
use crate::secrets::{HIDDEN, Secrets};

/// The version of the file.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) version: u32,
    pub(super) exchanges: Vec<Exchange>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) request: Asked,
    pub(super) response: Told,
}

/// A request.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

/// An answer.
#[derive(Serialize, Deserialize)]
pub(super) struct Told {
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
    /// Whether the connection broke after that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    broken: bool,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Body {
    Text(String),
    /// One that is no text, as where it was cut inside a letter.
    Bytes(Vec<u8>),
}

impl Exchange {
    pub(super) fn scrubbed(&self, secrets: &Secrets, hidden: &[String]) -> Self {
        Self { request: self.request.scrubbed(secrets, hidden), response: self.response.scrubbed(secrets, hidden) }
    }
}

impl Asked {
    pub(super) fn new(request: &Request, body: &Bytes) -> Self {
        let headers = request.headers().iter().map(|(name, value)| {
            let value = if value.is_sensitive() { HIDDEN.to_owned() } else { text(value) };
            (name.as_str().to_owned(), value)
        });
        // Bodies are written by the adapters, as JSON; what is none is kept as its text.
        let body =
            serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
        Self { method: request.method().to_string(), url: request.url().to_string(), headers: headers.collect(), body }
    }

    pub(super) fn scrubbed(&self, secrets: &Secrets, hidden: &[String]) -> Self {
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), header(name, value, secrets, hidden)));
        Self {
            method: self.method.clone(),
            url: secrets.hidden(&self.url).into_owned(),
            headers: headers.collect(),
            body: without(&self.body, secrets),
        }
    }

    /// Whether the same was asked. Headers may differ: a key does, and versions of libraries.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.method == other.method && self.url == other.url && self.body == other.body
    }

    pub(super) fn differences(&self, sent: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, kept, sent) in [("method", &self.method, &sent.method), ("address", &self.url, &sent.url)] {
            if kept != sent {
                found.push(format!("its {name} is recorded as {kept} and sent as {sent}"));
            }
        }
        difference::between(&self.body, &sent.body, &mut found);
        found
    }
}

impl Told {
    pub(super) fn new(status: StatusCode, headers: &HeaderMap) -> Self {
        let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        Self { status: status.as_u16(), headers, body: Body::Bytes(Vec::new()), broken: false }
    }

    pub(super) fn heard(&mut self, piece: Result<Option<&[u8]>, ()>) {
        match (piece, &mut self.body) {
            (Ok(Some(piece)), Body::Bytes(bytes)) => bytes.extend_from_slice(piece),
            (Err(()), _) => self.broken = true,
            _ => {}
        }
    }

    fn scrubbed(&self, secrets: &Secrets, hidden: &[String]) -> Self {
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), header(name, value, secrets, hidden)));
        let body = match &self.body {
            Body::Text(text) => Body::Text(secrets.hidden(text).into_owned()),
            Body::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Body::Text(secrets.hidden(text).into_owned()),
                // Where a secret is in it, that it can be read counts for more than each byte.
                Err(_) => {
                    let text = String::from_utf8_lossy(bytes);
                    let hidden = secrets.hidden(&text);
                    if hidden == text { Body::Bytes(bytes.clone()) } else { Body::Text(hidden.into_owned()) }
                }
            },
        };
        Self { status: self.status, headers: headers.collect(), body, broken: self.broken }
    }

    pub(super) fn played(&self) -> (StatusCode, HeaderMap, Incoming) {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = self.headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::from_str(value).ok()?))
        });
        let body = match self.body.clone() {
            Body::Text(text) => Bytes::from(text),
            Body::Bytes(bytes) => Bytes::from(bytes),
        };
        (status, headers.collect(), Incoming::Kept { pieces: vec![body], broken: self.broken })
    }
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

fn header(name: &str, value: &str, secrets: &Secrets, hidden: &[String]) -> String {
    if hidden.iter().any(|hidden| hidden == name) { HIDDEN.to_owned() } else { secrets.hidden(value).into_owned() }
}

/// The value without the secrets, names of fields included.
fn without(value: &Value, secrets: &Secrets) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.hidden(text).into_owned()),
        Value::Array(items) => items.iter().map(|item| without(item, secrets)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (secrets.hidden(name).into_owned(), without(value, secrets))).collect()
        }
        other => other.clone(),
    }
}
