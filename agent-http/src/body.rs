//! Pieces of a request's body.

use agent_core::model::{ModelError, ModelErrorKind};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::ConfigError;

/// A comma, unless the list has just begun.
///
/// ```
/// let mut body = b"[".to_vec();
/// agent_http::body::separate(&mut body);
/// body.push(b'1');
/// agent_http::body::separate(&mut body);
/// assert_eq!(body, b"[1,");
/// ```
pub fn separate(body: &mut Vec<u8>) {
    if body.last() != Some(&b'[') {
        body.push(b',');
    }
}

/// Writes a value.
///
/// ```
/// let mut body = Vec::new();
/// agent_http::body::write(&mut body, "said \"no\"")?;
/// assert_eq!(body, br#""said \"no\"""#);
/// # Ok::<(), agent_core::model::ModelError>(())
/// ```
///
/// # Errors
///
/// An error of the kind [`InvalidRequest`](ModelErrorKind::InvalidRequest) for a value that is no JSON.
pub fn write(body: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> Result<(), ModelError> {
    serde_json::to_writer(body, value).map_err(|error| unsent("the request cannot be written").caused_by(error))
}

/// The error for a request that cannot be sent.
///
/// ```
/// assert_eq!(agent_http::body::unsent("the tool `now` has no text").get_attempts(), 0);
/// ```
pub fn unsent(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelErrorKind::InvalidRequest, message).attempts(0)
}

/// Fields of the user's own as they end a body, written once: `,"temperature":0.2`.
///
/// `own` are the names that the adapter writes itself; `numbers` are those that the builder set from a float,
/// which is null where it was none.
///
/// ```
/// let fields = serde_json::json!({"top_k": 5});
/// let written = agent_http::body::fields(fields.as_object().unwrap(), &["model"], &["temperature"]);
/// assert_eq!(written.unwrap(), br#","top_k":5"#);
/// ```
///
/// # Errors
///
/// [`ConfigError::Setting`] names the field.
pub fn fields(fields: &Map<String, Value>, own: &[&str], numbers: &[&str]) -> Result<Vec<u8>, ConfigError> {
    let setting = |name: &str, reason| ConfigError::Setting { name: name.to_owned(), reason };
    if let Some(name) = fields.keys().find(|name| own.contains(&name.as_str())) {
        return Err(setting(
            name,
            "is written by the adapter; the builder has a method for it, or the request says it",
        ));
    }
    if let Some(name) = numbers.iter().find(|name| fields.get(**name).is_some_and(Value::is_null)) {
        return Err(setting(name, "is no finite number"));
    }
    let mut out = Vec::new();
    for (name, value) in fields {
        out.extend_from_slice(format!(",{}:{value}", Value::from(name.as_str())).as_bytes());
    }
    Ok(out)
}
