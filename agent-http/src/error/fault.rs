//! The error object of a body, in each of the shapes that servers give it.

use std::borrow::Cow;
use std::time::Duration;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::retry_after;
use crate::json::unmarked;

/// What a body says of an error, in whichever provider's format; gateways answer in that of another.
///
/// ```
/// use agent_http::Fault;
///
/// assert_eq!(Fault::read(br#"{"detail": "no such model"}"#).words(), Some("no such model"));
/// assert!(!Fault::read(b"{}").is_some());
/// ```
#[derive(Debug, Default)]
pub struct Fault {
    error: Value,
    /// The server's words where the body is no JSON.
    plain: Option<String>,
    /// Whether the body is a JSON string and nothing else, which by itself is no error.
    bare: bool,
}

impl Fault {
    /// Reads a body, which may be JSON, text or a page.
    pub fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(unmarked(body)) {
            Ok(value) => Self::of(value),
            Err(_) => {
                // What is nested too deeply for a tree is JSON all the same, and its brackets are no words.
                let is_json = serde_json::from_slice::<IgnoredAny>(unmarked(body)).is_ok();
                Self { error: Value::Null, plain: if is_json { None } else { plain(body) }, bare: false }
            }
        }
    }

    /// Reads the error of a JSON body.
    pub fn of(body: Value) -> Self {
        Self { bare: body.is_string(), error: unwrapped(body), plain: None }
    }

    /// Whether there is an error in it at all.
    pub fn is_some(&self) -> bool {
        !self.bare && (self.words().is_some() || self.status().is_some())
    }

    /// What the server says.
    pub fn words(&self) -> Option<&str> {
        let said = match &self.error {
            Value::String(text) => Some(text.as_str()),
            Value::Array(problems) => problems.iter().find_map(|problem| text(problem, &["msg", "message"])),
            error => text(error, &["message", "msg", "text", "detail", "error_description"]).or_else(|| {
                error.get("detail")?.as_array()?.iter().find_map(|problem| text(problem, &["msg", "message"]))
            }),
        };
        said.or(self.plain.as_deref()).map(str::trim).filter(|words| !words.is_empty())
    }

    /// The words of a closed set that name the error: code, type, status.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let inner = [&self.error, self.error.get("provider_specific_fields").unwrap_or(&Value::Null)];
        let inner = inner.into_iter().filter_map(|error| error.get("innererror")?.get("code")?.as_str());
        ["code", "type", "status"].iter().filter_map(|name| self.error.get(*name)?.as_str()).chain(inner)
    }

    /// The HTTP status that the body names.
    pub(crate) fn status(&self) -> Option<u16> {
        ["code", "status_code", "error_code", "status"].iter().find_map(|name| {
            let status = match self.error.get(*name)? {
                Value::Number(number) => number.as_u64()?,
                Value::String(text) => text.parse().ok()?,
                _ => return None,
            };
            u16::try_from(status).ok().filter(|status| (400..600).contains(status))
        })
    }

    /// The wait that Google's servers ask for in the body.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let details = self.error.get("details")?.as_array()?;
        details.iter().find_map(|detail| retry_after::seconds(detail.get("retryDelay")?.as_str()?.strip_suffix('s')?))
    }
}

fn text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(*name)?.as_str())
}

/// The error itself: out of a list, out of `error`, out of a message that is JSON again.
fn unwrapped(body: Value) -> Value {
    let body = match body {
        Value::Array(items) if items.first().is_some_and(|item| item.get("error").is_some()) => {
            items.into_iter().next().unwrap_or_default()
        }
        body => body,
    };
    let has = |value: &Value| value.get("error").is_some_and(|error| !error.is_null());
    let in_choice = |body: &Value| body.get("choices")?.as_array()?.iter().find(|choice| has(choice)).cloned();
    let holder = if has(&body) { body } else { in_choice(&body).unwrap_or(body) };
    let outer = match holder {
        Value::Object(mut fields) if fields.get("error").is_some_and(|error| !error.is_null()) => {
            fields.remove("error").unwrap_or_default()
        }
        body => body,
    };
    match outer.get("message").and_then(Value::as_str).filter(|message| message.trim_start().starts_with('{')) {
        Some(message) => match serde_json::from_str::<Value>(message) {
            Ok(Value::Object(mut fields)) => fields.remove("error").filter(Value::is_object).unwrap_or(outer),
            _ => outer,
        },
        None => outer,
    }
}

/// The words of a body that is no JSON; of a page its title.
fn plain(body: &[u8]) -> Option<String> {
    // The whole: what is shown of it is cut after secrets were taken out, so that no part of one is left.
    let body = String::from_utf8_lossy(body);
    let text: Cow<'_, str> = match body.trim_start().starts_with('<') {
        true => Cow::Borrowed(between(&body, "<title>", "</title>")?),
        false => body,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(start)?;
    Some(after.split_once(end)?.0)
}
