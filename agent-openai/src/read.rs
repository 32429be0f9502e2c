//! From a body to a reply, whole or event by event.

use agent_core::model::{Delta, ModelError, ModelErrorKind, Reply};
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use sse_stream::SseByteStream;

use crate::convert::{Assembler, Unfit};
use crate::error::{Answered, Fault};
use crate::wire::completion::Completion;
use crate::wire::json;
use crate::wire::lenient::Obj;

/// Reads a whole body that came with a status of success.
///
/// Some servers send an event stream whatever they were asked for.
pub(crate) async fn whole(
    answered: &Answered,
    body: &Bytes,
    mut assembler: Assembler,
) -> Result<(Reply, Vec<Delta>), ModelError> {
    if is_events(body) {
        return all_events(answered, body.clone(), assembler).await;
    }
    if body.trim_ascii().is_empty() {
        return Err(answered.malformed("is empty", body));
    }
    let completion =
        json::read::<Obj<Completion>>(body).map_err(|error| answered.malformed("is no JSON", body).caused_by(error))?;
    match assembler.push(completion.0.unwrap_or_default()) {
        Ok(()) if assembler.has_choice() => {
            let deltas = assembler.deltas();
            Ok((assembler.finish(), deltas))
        }
        Ok(()) => Err(unfit(answered, Unfit::NoChoices, body)),
        Err(why) => Err(unfit(answered, why, body)),
    }
}

async fn all_events(answered: &Answered, body: Bytes, assembler: Assembler) -> Result<(Reply, Vec<Delta>), ModelError> {
    let mut events = events(stream::iter([Ok(body)]));
    let mut reading = Reading::new(answered.clone(), assembler);
    let mut deltas = Vec::new();
    while let Some(event) = events.next().await {
        match reading.take(event?.as_bytes()) {
            Ok(more) => deltas.extend(more),
            Err(error) => return Err(error.partial_text(reading.into_text())),
        }
    }
    Ok((reading.end(None)?, deltas))
}

/// How an event stream begins: with a field, a comment or a byte-order mark.
const STARTS: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b":", b"\xEF\xBB\xBF"];

/// Whether a body that begins so is an event stream, as far as its first bytes tell; the label on it is not to be
/// relied on.
pub(crate) fn is_events(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    !start.is_empty() && STARTS.iter().any(|known| start.starts_with(known) || known.starts_with(start))
}

/// The data of each event.
pub(crate) fn events<'a>(
    bytes: impl Stream<Item = Result<Bytes, ModelError>> + Send + 'a,
) -> BoxStream<'a, Result<String, ModelError>> {
    // Servers leave out the blank line after the last event, which a parser would then drop.
    let end = stream::iter([Ok(Bytes::from_static(b"\n\n"))]);
    let events = SseByteStream::new(Box::pin(bytes.chain(end)));
    let data = events.filter_map(async |event| match event {
        Ok(event) => event.data.filter(|data| !data.trim().is_empty()).map(Ok),
        Err(sse_stream::Error::Body(source)) => Some(Err(match source.downcast::<ModelError>() {
            Ok(error) => *error,
            Err(other) => ModelError::new(ModelErrorKind::Connection, "the stream broke").caused_by(other),
        })),
        Err(other) => {
            let error = ModelError::new(ModelErrorKind::MalformedResponse, "the stream holds bytes that are no UTF-8");
            Some(Err(error.caused_by(other)))
        }
    });
    Box::pin(data)
}

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

    /// Whether the server said that this was all.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Takes the data of an event; gives what it added.
    pub(crate) fn take(&mut self, data: &[u8]) -> Result<Vec<Delta>, ModelError> {
        if self.done {
            return Ok(Vec::new());
        }
        if data.trim_ascii() == b"[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let chunk = match json::read::<Obj<Completion>>(data) {
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

    /// The reply, now that nothing more comes; `broken` is why, where that was not the server's wish.
    ///
    /// A reply with a finish reason is whole, even if the connection broke before the stream's own end.
    pub(crate) fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError> {
        let Self { answered, assembler, done } = self;
        let is_whole = done || assembler.is_finished();
        if is_whole && assembler.has_choice() {
            return Ok(assembler.finish());
        }
        let error = broken.unwrap_or_else(|| match is_whole {
            true => answered.malformed("is no chat completion", b""),
            false => answered.cut_off(),
        });
        Err(error.partial_text(assembler.into_text()))
    }

    /// The text so far.
    pub(crate) fn into_text(self) -> Option<String> {
        self.assembler.into_text()
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
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;

    use super::*;

    const WHOLE: &str = r#"{"id":"r","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text",
        "text":"\u00e9\ud83d\ude00"}],"reasoning_details":[{"index":0,"text":"t"}],"tool_calls":[{"id":"c","index":1,
        "function":{"name":"n","arguments":"\"{\\\"a\\\":1}\""}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#;
    const STREAM: &str = "\u{feff}: hi\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"\u{e9}\\ud83d\",\"tool_calls\":\
        [{\"index\":3,\"id\":\"c\",\"function\":{\"name\":\"n\",\"arguments\":\"{\"}}]}}]}\n\nevent: error\ndata: {\"error\":\
        {\"message\":\"m\",\"code\":\"500\"}}\n\ndata: [DONE]";

    fn answered() -> Answered {
        Answered { server: "s".to_owned(), secrets: [].into(), status: StatusCode::OK, headers: HeaderMap::new() }
    }

    #[tokio::test]
    async fn no_bytes_make_the_reader_panic() {
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
            let assembler = Assembler::new(1000).showing();
            let _ = whole(&answered(), &Bytes::from(body), assembler).await;
        }
    }
}
