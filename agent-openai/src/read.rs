//! From a body to a reply, whole or event by event.

use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply};
use agent_http::json::Repaired;
use agent_http::lenient::Obj;
use agent_http::{Answered, Fault, json};

use crate::convert::{Assembler, Unfit};
use crate::wire::completion::Completion;

/// How long the end of a stream is waited for where all of the reply was said.
const GRACE: Duration = Duration::from_secs(1);
/// The same where its usage was not.
const USAGE_GRACE: Duration = Duration::from_secs(3);

/// A reply that is being read event by event.
pub(crate) struct Reading {
    answered: Answered,
    assembler: Assembler,
    /// Whether the server said that this was all.
    done: bool,
}

impl Reading {
    pub(crate) fn new(answered: Answered, assembler: Assembler) -> Self {
        Self { answered, assembler, done: false }
    }
}

impl agent_http::Reading for Reading {
    fn whole(self, body: &[u8]) -> Result<(Reply, Vec<Delta>), ModelError> {
        let Self { answered, mut assembler, .. } = self;
        let repaired = Repaired::default();
        let completion = json::borrowed::<Obj<Completion<'_>>>(body, &repaired)
            .map_err(|error| answered.malformed("is no JSON", body).caused_by(error))?;
        match assembler.push(completion.0.unwrap_or_default()) {
            Ok(()) if assembler.has_choice() => {
                let deltas = assembler.deltas();
                Ok((assembler.finish(), deltas))
            }
            Ok(()) => Err(unfit(&answered, Unfit::NoChoices, body)),
            Err(why) => Err(unfit(&answered, why, body)),
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }

    /// A reason to stop is the end of the choice; after it comes the usage, where there is any.
    fn grace(&self) -> Option<Duration> {
        let grace = if self.assembler.has_usage() { GRACE } else { USAGE_GRACE };
        self.assembler.is_finished().then_some(grace)
    }

    fn event(&mut self, data: &[u8]) -> Result<Vec<Delta>, ModelError> {
        if data.trim_ascii() == b"[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let repaired = Repaired::default();
        let chunk = match json::borrowed::<Obj<Completion<'_>>>(data, &repaired) {
            Ok(chunk) => chunk.0.unwrap_or_default(),
            // An event that ends inside its JSON is where the stream was cut.
            Err(error) if error.is_eof() => return Err(self.answered.cut_off().caused_by(error)),
            Err(error) => {
                return Err(self.answered.malformed("holds an event that is no JSON", data).caused_by(error));
            }
        };
        match self.assembler.push(chunk) {
            Ok(()) => Ok(self.assembler.deltas()),
            Err(Unfit::NoChoices) if !Fault::read(data).is_some() => Ok(Vec::new()),
            Err(why) => Err(unfit(&self.answered, why, data)),
        }
    }

    /// A reply with a finish reason is whole, even if the connection broke before the stream's own end. Some servers never
    /// give one; the end of their stream is believed where no call in it is cut.
    fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError> {
        let Self { answered, assembler, done } = self;
        let is_whole = assembler.is_finished() || (done && assembler.calls_are_whole());
        if is_whole && assembler.has_choice() {
            return Ok(assembler.finish());
        }
        let error = broken.unwrap_or_else(|| match is_whole {
            true => answered.malformed("is no chat completion", b""),
            false => answered.cut_off(),
        });
        Err(error.partial_text(assembler.text()))
    }

    fn text(&self) -> Option<String> {
        self.assembler.text()
    }
}

/// The error for a part that is none of a reply.
fn unfit(answered: &Answered, why: Unfit, part: &[u8]) -> ModelError {
    if why == Unfit::TooLarge {
        return answered.arguments_too_large();
    }
    let fault = Fault::read(part);
    if why == Unfit::Error || fault.is_some() {
        answered.fault(&fault)
    } else {
        answered.malformed("is no chat completion", part).retryable(false)
    }
}

#[cfg(test)]
mod tests {
    use agent_core::model::ModelErrorKind;
    use agent_http::Reading as _;

    use super::*;

    fn streamed(events: &[&str]) -> Result<Reply, ModelError> {
        let mut reading = Reading::new(Answered::example(200), Assembler::new(1000));
        for event in events {
            reading.event(event.as_bytes())?;
        }
        reading.end(None)
    }

    #[test]
    fn a_stream_that_ends_without_a_reason_is_cut_off_where_a_call_in_it_is_not_whole() {
        let call = |arguments: &str| {
            let function = serde_json::json!({"name": "n", "arguments": arguments});
            let call = serde_json::json!({"index": 0, "id": "c", "function": function});
            serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": null}]}).to_string()
        };
        for (arguments, is_whole) in [
            (r#"{"a":1}"#, true),
            ("{}", true),
            (r#""{\"a\":1}""#, true),
            (r#"{"a":"#, false),
            ("", false),
            ("[]", false),
        ] {
            let read = streamed(&[&call(arguments), "[DONE]"]);
            assert_eq!(read.is_ok(), is_whole, "{arguments}");
            if let Err(error) = read {
                assert_eq!(error.kind(), ModelErrorKind::StreamInterrupted, "{arguments}");
            }
        }
        let text = r#"{"choices":[{"delta":{"content":"Hi."},"finish_reason":null}]}"#;
        assert_eq!(streamed(&[text, "[DONE]"]).unwrap().text.as_deref(), Some("Hi."));
    }

    const WHOLE: &str = r#"{"id":"r","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text",
        "text":"\u00e9\ud83d\ude00"}],"reasoning_details":[{"index":0,"text":"t"}],"tool_calls":[{"id":"c","index":1,
        "function":{"name":"n","arguments":"\"{\\\"a\\\":1}\""}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#;
    const STREAM: &str = "\u{feff}: hi\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"\u{e9}\\ud83d\",\"tool_calls\":\
        [{\"index\":3,\"id\":\"c\",\"function\":{\"name\":\"n\",\"arguments\":\"{\"}}]}}]}\n\nevent: error\ndata: {\"error\":\
        {\"message\":\"m\",\"code\":\"500\"}}\n\ndata: [DONE]";

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let words =
            [&b"null"[..], b"[]", b"{}", b"\"", b"\\", b"\xff", b"\\ud83d", b"\n\n", b"1e999", b"-1", b"[DONE]", b""];
        for turn in 0..20_000 {
            let mut body = [WHOLE, STREAM][turn % 2].as_bytes().to_vec();
            for _ in 0..1 + random(4) {
                let from = random(body.len());
                let to = body.len().min(from + random(12));
                body.splice(from..to, words[random(words.len())].iter().copied());
                if body.is_empty() {
                    break;
                }
            }
            let reading = || Reading::new(Answered::example(200), Assembler::new(1000).showing());
            let _ = reading().whole(&body);
            let mut events = reading();
            for line in body.split(|byte| *byte == b'\n') {
                let _ = events.event(line.strip_prefix(b"data: ").unwrap_or(line));
            }
            let _ = events.end(None);
        }
    }
}
