//! From a body to a reply, whole or event by event.

use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply};
use bytes::Bytes;

use crate::error::Answered;
use crate::event_stream::EventStream;
use crate::json::BYTE_ORDER_MARK;

/// A reply that is being read, in the words of one wire format.
///
/// Nothing that a server sends may make it panic. `docs/writing-an-adapter.md` in the repository has one.
pub trait Reading: Send {
    /// Reads a whole body that is not empty, and came with a status of success; gives the pieces that a stream of
    /// it would have had.
    ///
    /// # Errors
    ///
    /// What the body says went wrong, or that it is none of this format.
    fn whole(self, body: &[u8]) -> Result<(Reply, Vec<Delta>), ModelError>;

    /// Takes the data of an event; gives what it added.
    ///
    /// # Errors
    ///
    /// What the event says went wrong, or that it is none of this format.
    fn event(&mut self, data: &[u8]) -> Result<Vec<Delta>, ModelError>;

    /// Whether the server said that this was all. What comes after it is not read.
    fn is_done(&self) -> bool;

    /// How long to wait for more where the reply could end here though the server did not say so; none as long as
    /// it could not.
    ///
    /// Servers leave their last event out and keep the connection open.
    fn grace(&self) -> Option<Duration> {
        None
    }

    /// The reply, now that nothing more comes; `broken` is why, where that was not the server's wish.
    ///
    /// # Errors
    ///
    /// `broken`, or that the end is missing, where the reply is not whole.
    fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError>;

    /// The text so far.
    fn text(&self) -> Option<String>;
}

/// Reads a whole body that came with a status of success.
///
/// Some servers send an event stream whatever they were asked for.
pub(crate) fn whole(
    answered: &Answered,
    body: Bytes,
    reading: impl Reading,
) -> Result<(Reply, Vec<Delta>), ModelError> {
    match looks(&body) {
        Some(Looks::Events) => all_events([body], reading),
        Some(Looks::Whole) => reading.whole(&body),
        None => Err(answered.malformed("is empty", &body)),
    }
}

/// Reads a stream, of which all pieces are here.
pub(crate) fn all_events(
    pieces: impl IntoIterator<Item = Bytes>,
    mut reading: impl Reading,
) -> Result<(Reply, Vec<Delta>), ModelError> {
    let mut events = EventStream::default();
    let mut deltas = Vec::new();
    let mut pieces = pieces.into_iter();
    while !reading.is_done() {
        let data = match events.next() {
            Some(data) => data,
            None => match pieces.next() {
                Some(piece) => {
                    events.add(piece);
                    continue;
                }
                None => match events.end() {
                    Some(data) => data,
                    None => break,
                },
            },
        };
        match reading.event(data?.as_bytes()) {
            Ok(more) => deltas.extend(more),
            Err(error) => return Err(error.partial_text(reading.text())),
        }
    }
    Ok((reading.end(None)?, deltas))
}

/// How the lines of an event stream begin: with a field or a comment.
const STARTS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// What a body is, as far as its first bytes tell; the label on it is not to be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    Events,
    Whole,
}

/// What a body that begins so is; none as long as there is only white space or part of a byte-order mark.
pub(crate) fn looks(start: &[u8]) -> Option<Looks> {
    let start = start.trim_ascii_start();
    if start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(start) {
        return None;
    }
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    // Servers put blank lines before either. Few: only as many are looked through as are here at once.
    let start = start.trim_ascii_start();
    if start.is_empty() {
        return None;
    }
    let is_events = STARTS.iter().any(|known| start.starts_with(known) || known.starts_with(start));
    Some(if is_events { Looks::Events } else { Looks::Whole })
}
