//! From a body to a reply, whole or event by event.

use agent_core::model::{Delta, ModelError, Reply};
use agent_http::json::is_hollow;
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
        let message = json::read::<Obj<Message>>(body)
            .map_err(|error| answered.malformed("is no JSON", body).caused_by(error))?;
        let message = message.0.unwrap_or_default();
        if !is_hollow(&message.error) || message.content.is_none() {
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
        let event = match json::read::<Obj<Event>>(data) {
            Ok(event) => event.0.unwrap_or_default(),
            // An event that ends inside its JSON is where the stream was cut.
            Err(error) if error.is_eof() => return Err(self.answered.cut_off().caused_by(error)),
            Err(error) => {
                return Err(self.answered.malformed("holds an event that is no JSON", data).caused_by(error));
            }
        };
        let kind = event.r#type.0.as_deref().unwrap_or_default();
        if kind == "error" || kind.is_empty() || !is_hollow(&event.error) {
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
