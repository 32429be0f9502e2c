//! A result as the model is shown it, in each of the forms.

use agent_core::Observation;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A result as the model is shown it.
#[derive(Deserialize)]
pub(super) struct Shown {
    pub(super) status: String,
    pub(super) data: Option<Box<RawValue>>,
    pub(super) error: Option<ShownError>,
}

/// Why there is no value.
#[derive(Deserialize)]
pub(super) struct ShownError {
    pub(super) code: String,
    #[serde(default)]
    pub(super) details: Value,
}

impl Shown {
    pub(super) fn read(content: &str, form: Observation) -> Result<Self, String> {
        match form {
            Observation::Text => Self::text(content),
            _ => serde_json::from_str(content).map_err(|error| format!("not the JSON of a result: {error}")),
        }
    }

    /// `RESULT: {..}`, `VALIDATION_ERROR: [..]`, `BUSINESS_ERROR: CODE — message`, ..
    fn text(content: &str) -> Result<Self, String> {
        let (word, rest) = content.split_once(": ").ok_or("no word and colon in front")?;
        let raw = |json: &str| {
            RawValue::from_string(json.to_owned()).map_err(|error| format!("no JSON behind the word: {error}"))
        };
        let failed = |status: &str, code: &str, details| Self {
            status: status.to_owned(),
            data: None,
            error: Some(ShownError { code: code.to_owned(), details }),
        };
        let code = || rest.split([' ', ':']).next().unwrap_or_default();
        match word {
            "VALIDATION_ERROR" => {
                let problems: Value = serde_json::from_str(raw(rest)?.get()).map_err(|error| error.to_string())?;
                Ok(failed("validation_error", "", serde_json::json!({ "problems": problems })))
            }
            "BUSINESS_ERROR" => Ok(failed("business_error", code(), Value::Null)),
            "PERMISSION_DENIED" => Ok(failed("permission_denied", "", Value::Null)),
            "ERROR_TOOL" => Ok(failed("fatal_error", "", Value::Null)),
            // A replayed one says so behind its word.
            _ if word == "RESULT" || word.starts_with("RESULT (") => {
                // What is said in brackets has a colon too.
                let data = rest.split_once("): ").filter(|_| word != "RESULT").map_or(rest, |(_, data)| data);
                Ok(Self { status: "success".to_owned(), data: Some(raw(data)?), error: None })
            }
            _ => Err(format!("`{word}` begins no result")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_text_is_read() {
        for (content, status, code) in [
            ("RESULT: 1", "success", None),
            ("RESULT (replayed: the result of an earlier call): {}", "success", None),
            ("VALIDATION_ERROR: []", "validation_error", Some("")),
            ("BUSINESS_ERROR: NO_RATE — Why.", "business_error", Some("NO_RATE")),
            ("PERMISSION_DENIED: pay — Why.", "permission_denied", Some("")),
            ("ERROR_TOOL: pay — TOOL_TIMEOUT: Why.", "fatal_error", Some("")),
        ] {
            let shown = Shown::text(content).unwrap();
            assert_eq!((shown.status.as_str(), shown.error.as_ref().map(|error| &*error.code)), (status, code));
        }
        for content in ["{}", "RESULT: ", "VALIDATION_ERROR: none", "DONE: 1"] {
            assert!(Shown::text(content).is_err(), "{content}");
        }
    }
}
