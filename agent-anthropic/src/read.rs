//! From a body to a reply, whole or event by event.

use agent_core::model::{Delta, ModelError, Reply};
use agent_http::json::Repaired;
use agent_http::lenient::Obj;
use agent_http::{Answered, Fault, json};

use crate::convert::{Assembler, Unfit};
use crate::wire::event::Event;
use crate::wire::message::Message;

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
        let message = json::borrowed::<Obj<Message<'_>>>(body, &repaired)
            .map_err(|error| answered.malformed("is no JSON", body).caused_by(error))?;
        let message = message.0.unwrap_or_default();
        if !message.error.is_hollow() || message.content.some().is_none() {
            return Err(unfit(&answered, Unfit::NoMessage, body));
        }
        assembler.message(message).map_err(|why| unfit(&answered, why, body))?;
        let deltas = assembler.deltas();
        Ok((assembler.finish(), deltas))
    }

    fn event(&mut self, data: &[u8]) -> Result<Vec<Delta>, ModelError> {
        if data.trim_ascii() == b"[DONE]" {
            // The end of another format's streams, which gateways put behind or in place of this one's.
            self.done = self.assembler.is_finished();
            return Ok(Vec::new());
        }
        let repaired = Repaired::default();
        let event = match json::borrowed::<Obj<Event<'_>>>(data, &repaired) {
            Ok(event) => event.0.unwrap_or_default(),
            // An event that ends inside its JSON is where the stream was cut.
            Err(error) if error.is_eof() => return Err(self.answered.cut_off().caused_by(error)),
            Err(error) => {
                return Err(self.answered.malformed("holds an event that is no JSON", data).caused_by(error));
            }
        };
        let kind = event.r#type.0.as_deref().unwrap_or_default();
        if kind == "error" || kind.is_empty() || !event.error.is_hollow() {
            return Err(unfit(&self.answered, Unfit::NoMessage, data));
        }
        self.done = kind == "message_stop";
        match self.assembler.event(event) {
            Ok(()) => Ok(self.assembler.deltas()),
            Err(why) => Err(unfit(&self.answered, why, data)),
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }

    /// Only its own end makes a stream whole: the reason to stop comes before it, and calls may be cut between.
    fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError> {
        let Self { answered, assembler, done } = self;
        if done && assembler.is_message() {
            return Ok(assembler.finish());
        }
        let error = broken.unwrap_or_else(|| match done {
            true => answered.malformed("is no message", b""),
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
    match why {
        Unfit::TooLarge => answered.arguments_too_large(),
        Unfit::Order(what) => answered.malformed(what, part),
        Unfit::NoMessage => {
            let fault = Fault::read(part);
            // `{"type": "error"}` alone is an error too, without a reason.
            if fault.is_some() || part.windows(7).any(|word| word == b"\"error\"") {
                answered.fault(&fault)
            } else {
                answered.malformed("is no message", part).retryable(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use agent_http::Reading as _;

    use super::*;

    const WHOLE: &str = r#"{"id":"r","type":"message","content":[{"type":"thinking","thinking":"t","signature":"s"},
        {"type":"text","text":"\u00e9\ud83d\ude00","citations":[{}]},{"type":"tool_use","id":"c","name":"n","input":{"a":1}},
        {"type":"server_tool_use","id":"s","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#;
    const STREAM: &str = r#"{"type":"message_start","message":{"content":[],"usage":{"input_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u00e9\ud83d"}}
{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}
{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"n","input":{}}}
{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}
{"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"b"}},"usage":{"output_tokens":2}}
{"type":"message_stop"}"#;

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let words = [
            &b"null"[..],
            b"[]",
            b"{}",
            b"\"",
            b"\\",
            b"\xff",
            b"\\ud83d",
            b"\n",
            b"1e999",
            b"-1",
            b"[DONE]",
            b"",
            b"tool_use",
            b"thinking",
            b"text",
            b"\"index\":0",
            b"message_stop",
            b"18446744073709551615",
        ];
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
                let _ = events.event(line);
            }
            let _ = events.end(None);
        }
    }
}
