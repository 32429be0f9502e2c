//! An event stream, taken apart in whatever pieces it comes.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use agent_core::model::{ModelError, ModelErrorKind};
use bytes::Bytes;
use futures_util::Stream;
use sse_stream::SseByteStream;

/// Gives the data of each event. Only data is looked for: what providers say in the names of events stands in their data
/// as well.
pub(crate) struct EventStream {
    parser: SseByteStream<Pieces>,
    pieces: Pieces,
}

/// What the parser reads next.
#[derive(Clone, Default)]
struct Pieces(Arc<Mutex<Next>>);

#[derive(Default)]
enum Next {
    #[default]
    ToCome,
    Piece(Bytes),
    End,
}

impl Pieces {
    fn set(&self, next: Next) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }
}

impl Stream for Pieces {
    type Item = Result<Bytes, std::convert::Infallible>;

    /// Pending where a piece is to come; nobody has to be woken, as whoever adds it asks anew.
    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::take(&mut *next) {
            Next::ToCome => Poll::Pending,
            Next::Piece(piece) => Poll::Ready(Some(Ok(piece))),
            Next::End => Poll::Ready(None),
        }
    }
}

impl Default for EventStream {
    fn default() -> Self {
        let pieces = Pieces::default();
        Self { parser: SseByteStream::new(pieces.clone()), pieces }
    }
}

impl EventStream {
    /// Takes the next piece. Of the one before, each event is to be read.
    pub(crate) fn add(&mut self, piece: Bytes) {
        self.pieces.set(Next::Piece(piece));
    }

    /// The data of the next event that is here; none where more has to come.
    pub(crate) fn next(&mut self) -> Option<Result<String, ModelError>> {
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(event)) = Pin::new(&mut self.parser).poll_next(&mut context) {
            match event {
                Ok(event) => match event.data.filter(|data| !data.trim().is_empty()) {
                    Some(data) => return Some(Ok(data)),
                    None => continue,
                },
                Err(error) => {
                    let what = "the stream holds bytes that are no UTF-8";
                    return Some(Err(ModelError::new(ModelErrorKind::MalformedResponse, what).caused_by(error)));
                }
            }
        }
        None
    }

    /// The data of the last event. Servers leave out the blank line after it, without which a parser drops it.
    pub(crate) fn end(&mut self) -> Option<Result<String, ModelError>> {
        self.add(Bytes::from_static(b"\n\n"));
        let last = self.next();
        self.pieces.set(Next::End);
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of each event of a stream that comes in pieces of this size.
    fn read(stream: &str, size: usize) -> Vec<String> {
        let mut events = EventStream::default();
        let mut data = Vec::new();
        for piece in stream.as_bytes().chunks(size) {
            events.add(Bytes::copy_from_slice(piece));
            data.extend(std::iter::from_fn(|| events.next()));
        }
        data.extend(events.end());
        data.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn a_stream_is_taken_apart_alike_in_any_pieces() {
        for (stream, data) in [
            ("data: a\n\ndata: b\n\n", &["a", "b"][..]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            ("data: a\r\n\ndata: b\n\r\n", &["a", "b"]),
            ("\u{feff}data: a\n\n", &["a"]),
            ("\n\u{feff}data: a\n\n", &[]),
            ("data: a\ndata: b\ndata\ndata:c\n\n", &["a\nb\n\nc"]),
            ("data:  a \n\n", &[" a "]),
            (": hi\nid: 1\nevent: x\nretry: 1\ndata: a\n: hi\n\n", &["a"]),
            ("event: x\n\ndata\n\ndata: \n\ndata:\ndata:\n\n", &[]),
            ("datum: x\ndatax\n data: x\n\n", &[]),
            ("data: \u{e9}\u{1f600}\n\n", &["\u{e9}\u{1f600}"]),
            ("data: a\n\ndata: b", &["a", "b"]),
            ("data: a\n\ndata: b\n", &["a", "b"]),
            ("data: a\r", &["a"]),
            ("data: a\r\n\r", &["a"]),
            ("", &[]),
        ] {
            for size in 1..=stream.len().max(1) {
                assert_eq!(read(stream, size), data, "{stream:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_line_without_end_is_no_event_in_any_number_of_pieces() {
        let mut events = EventStream::default();
        for _ in 0..100_000 {
            events.add(Bytes::from_static(b"x"));
            assert!(events.next().is_none());
        }
        assert!(events.end().is_none());
    }
}
