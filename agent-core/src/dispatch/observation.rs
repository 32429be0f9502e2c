//! A result as the model is shown it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::result::{ErrorBody, Status, ToolResult};

/// The form in which the model is shown a result. Whether a result is replayed, and whether a person
/// changed the arguments, is visible in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Observation {
    /// The result as JSON, without key, latency and attempts.
    #[default]
    Envelope,
    /// The whole result as JSON.
    Full,
    /// Status, and data or error, as JSON.
    Compact,
    /// A word and the data: `RESULT: {..}`, `BUSINESS_ERROR: CODE — message`.
    Text,
}

impl Observation {
    /// The text for the model. Data, or details of an error, longer than `max_bytes` is replaced by
    /// `{"truncated":true,"bytes":N,"text":".."}` with its beginning.
    pub fn render(self, result: &ToolResult, max_bytes: usize) -> String {
        let cut = result.data().and_then(|data| cut(data.get(), max_bytes));
        let data = cut.as_deref().or_else(|| result.data());
        let short = result.error_body().and_then(|error| cut_error(error, max_bytes));
        let error = short.as_ref().or_else(|| result.error_body());
        match self {
            Self::Text => text(result, data, error, max_bytes),
            Self::Envelope | Self::Full | Self::Compact => self.json(result, data, error, max_bytes),
        }
    }

    fn json(self, result: &ToolResult, data: Option<&RawValue>, error: Option<&ErrorBody>, max_bytes: usize) -> String {
        let about = result.metadata();
        let edited = about.edited_arguments.as_deref().map(|edited| beginning(edited, max_bytes));
        let size = data.map_or(0, |data| data.get().len()) + edited.map_or(0, str::len);
        let mut out = Writer(String::with_capacity(size + about.tool_name.len() + 128));
        out.raw("{\"status\":");
        out.string(result.status().as_str());
        if let Some(data) = data {
            out.raw(",\"data\":");
            out.raw(data.get());
        }
        if let Some(error) = error {
            out.raw(",\"error\":");
            out.value(error);
        }
        if self == Self::Compact && about.replayed {
            out.raw(",\"replayed\":true");
        }
        if let Some(edited) = edited {
            out.raw(",\"editedArguments\":");
            out.string(edited);
        }
        if self != Self::Compact {
            out.raw(",\"metadata\":{\"toolName\":");
            out.string(&about.tool_name);
            out.raw(",\"toolCallId\":");
            out.string(super::outcome::cut(about.tool_call_id.as_str()));
            if self == Self::Full {
                out.raw(",\"latencyMs\":");
                out.value(&about.latency_ms);
            }
            if let Some(key) = about.idempotency_key.as_deref().filter(|_| self == Self::Full) {
                out.raw(",\"idempotencyKey\":");
                out.string(key);
            }
            if about.replayed {
                out.raw(",\"replayed\":true");
            }
            if self == Self::Full && about.attempts > 0 {
                out.raw(",\"attempts\":");
                out.value(&about.attempts);
            }
            out.raw("}");
        }
        out.raw("}");
        out.0
    }
}

/// Writes JSON whose keys are known and need no look for what must be escaped.
struct Writer(String);

impl Writer {
    fn raw(&mut self, json: &str) {
        self.0.push_str(json);
    }

    fn string(&mut self, text: &str) {
        // Most names and ids are written as they are.
        if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
            self.0.push('"');
            self.0.push_str(text);
            self.0.push('"');
        } else {
            self.value(text);
        }
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) {
        match serde_json::to_string(value) {
            Ok(json) => self.0.push_str(&json),
            // Strings, numbers and JSON values always serialise; should that ever fail, the rest is still shown.
            Err(_) => self.0.push_str("null"),
        }
    }
}

fn text(result: &ToolResult, data: Option<&RawValue>, error: Option<&ErrorBody>, max_bytes: usize) -> String {
    let about = result.metadata();
    let name = &about.tool_name;
    let mut notes = String::new();
    if about.replayed {
        notes.push_str(" (replayed: the result of an earlier call)");
    }
    if let Some(edited) = &about.edited_arguments {
        let edited = beginning(edited, max_bytes);
        notes.push_str(&format!(" (a person changed the arguments to {edited})"));
    }
    let Some(error) = error else {
        return format!("RESULT{notes}: {}", data.map_or("null", RawValue::get));
    };
    let details = error.details.as_ref().map(|details| format!(" {details}")).unwrap_or_default();
    let shown = match result.status() {
        Status::ValidationError => {
            let problems = error.details.as_ref().and_then(|details| details.get("problems"));
            match problems {
                Some(problems) => format!("VALIDATION_ERROR: {problems}"),
                None => format!("VALIDATION_ERROR: {}", Value::from(vec![error.message.clone()])),
            }
        }
        Status::BusinessError => format!("BUSINESS_ERROR: {} — {}{details}", error.code, error.message),
        Status::PermissionDenied => format!("PERMISSION_DENIED: {name} — {}", error.message),
        Status::Success | Status::FatalError => {
            format!("ERROR_TOOL: {name} — {}: {}{details}", error.code, error.message)
        }
    };
    shown + &notes
}

/// The beginning of data that is too long, as JSON that says so; none where the data fits.
fn cut(text: &str, max_bytes: usize) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    struct Cut<'a> {
        truncated: bool,
        bytes: usize,
        text: &'a str,
    }
    if text.len() <= max_bytes {
        return None;
    }
    let cut = Cut { truncated: true, bytes: text.len(), text: beginning(text, max_bytes) };
    serde_json::value::to_raw_value(&cut).ok()
}

/// An error that is too long, with its message and details cut; none where it fits.
fn cut_error(error: &ErrorBody, max_bytes: usize) -> Option<ErrorBody> {
    let details = error.details.as_ref().map(Value::to_string);
    let long_details = details.as_deref().and_then(|details| cut(details, max_bytes));
    if long_details.is_none() && error.message.len() <= max_bytes {
        return None;
    }
    let details = match long_details {
        Some(cut) => serde_json::from_str(cut.get()).ok(),
        None => error.details.clone(),
    };
    Some(ErrorBody { code: error.code.clone(), message: beginning(&error.message, max_bytes).to_owned(), details })
}

/// At most so many bytes of a text, cut at a character.
pub(crate) fn beginning(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolCall;

    fn success(json: &str) -> ToolResult {
        let data = RawValue::from_string(json.to_owned()).unwrap();
        ToolResult::success(&ToolCall::new("call_1", "lookup", "{}"), data).with_key(Some("secret".into()))
    }

    #[test]
    fn the_envelope_shows_neither_key_nor_latency() {
        let shown = Observation::Envelope.render(&success(r#"{"a":1}"#), 100);
        assert_eq!(
            shown,
            r#"{"status":"success","data":{"a":1},"metadata":{"toolName":"lookup","toolCallId":"call_1"}}"#
        );
    }

    #[test]
    fn a_replayed_result_says_so_in_every_form() {
        let result = success("1").with_replayed(true);
        for form in [Observation::Envelope, Observation::Full, Observation::Compact, Observation::Text] {
            assert!(form.render(&result, 100).contains("replayed"), "{form:?}");
        }
    }

    #[test]
    fn arguments_that_a_person_changed_are_shown_with_every_status_in_every_form() {
        let call = ToolCall::new("c", "look", "{}");
        let edited = || Some(r#"{"n":7}"#.to_owned());
        for form in [Observation::Envelope, Observation::Full, Observation::Compact, Observation::Text] {
            let shows = |mut result: ToolResult| {
                result.set_edited(edited());
                let shown = form.render(&result, 100).replace('\\', "");
                assert!(shown.contains(r#"{"n":7}"#), "{form:?}: {shown}");
            };
            shows(success("1"));
            for status in [Status::ValidationError, Status::BusinessError, Status::PermissionDenied, Status::FatalError]
            {
                shows(ToolResult::error(&call, status, "CODE", "Why.", None));
            }
        }
        let mut long = success("1");
        long.set_edited(Some("x".repeat(1_000)));
        assert!(Observation::Text.render(&long, 10).len() < 100, "they are cut as everything else");
    }

    #[test]
    fn the_full_form_is_the_whole_result() {
        let whole = success("1").with_attempts(2).with_replayed(true);
        let shown: Value = serde_json::from_str(&Observation::Full.render(&whole, 100)).unwrap();
        assert_eq!(shown, serde_json::to_value(&whole).unwrap());
        for form in [Observation::Envelope, Observation::Compact, Observation::Text] {
            assert!(!form.render(&whole, 100).contains("attempts"), "{form:?}");
        }
    }

    #[test]
    fn data_over_the_limit_is_cut_at_a_character_and_says_so() {
        let shown = Observation::Compact.render(&success(r#""ééé""#), 4);
        assert_eq!(shown, r#"{"status":"success","data":{"truncated":true,"bytes":8,"text":"\"é"}}"#);
    }

    #[test]
    fn text_names_the_kind_of_error_the_code_and_the_message() {
        let call = ToolCall::new("c", "calculateTax", "{}");
        let of = |status, code, details| {
            Observation::Text.render(&ToolResult::error(&call, status, code, "Why.", details), 100)
        };
        assert_eq!(of(Status::BusinessError, "NO_RATE", None), "BUSINESS_ERROR: NO_RATE — Why.");
        assert_eq!(of(Status::PermissionDenied, "UNAUTHORIZED", None), "PERMISSION_DENIED: calculateTax — Why.");
        assert_eq!(of(Status::FatalError, "TOOL_TIMEOUT", None), "ERROR_TOOL: calculateTax — TOOL_TIMEOUT: Why.");
        let problems = serde_json::json!({"problems": [{"pointer": "/a"}]});
        assert_eq!(
            of(Status::ValidationError, "SCHEMA_VALIDATION_FAILED", Some(problems)),
            r#"VALIDATION_ERROR: [{"pointer":"/a"}]"#
        );
        assert_eq!(Observation::Text.render(&success("[1]"), 100), "RESULT: [1]");
    }
}
