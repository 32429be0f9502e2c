//! An event stream, taken apart in whatever pieces it comes, as
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream> has it.
//!
//! Only data is looked for: what providers say in the names of events stands in their data as well.

use bytes::{Buf, Bytes};
use memchr::memchr2;

use crate::json::BYTE_ORDER_MARK;

/// Gives the data of each event. Each byte is looked at once, however small the pieces are, and data that lies in one
/// piece is not copied.
#[derive(Default)]
pub(crate) struct EventStream {
    /// The piece that is being read, without what was read of it.
    piece: Bytes,
    /// The beginning of a line that goes on in the next piece.
    line: Vec<u8>,
    /// The data of the event so far; none where it has had none.
    data: Option<Data>,
    /// Whether a line feed that comes next belongs to the line before.
    after_return: bool,
    /// Whether the first line was read, which alone may begin with a byte-order mark.
    begun: bool,
}

enum Data {
    Line(Bytes),
    Lines(Vec<u8>),
}

impl EventStream {
    /// Takes the next piece. Of the one before, each event is to be read.
    pub(crate) fn add(&mut self, piece: Bytes) {
        debug_assert!(self.piece.is_empty(), "the piece before was not read to its end");
        self.piece = piece;
    }

    /// The data of the next event that is here; none where more has to come.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.after_return && !self.piece.is_empty() {
                self.after_return = false;
                self.skip_line_feed();
            }
            let Some(end) = memchr2(b'\n', b'\r', &self.piece) else {
                self.line.extend_from_slice(&std::mem::take(&mut self.piece));
                return None;
            };
            let rest = self.piece.split_to(end);
            let line = match self.line.is_empty() {
                true => rest,
                false => {
                    self.line.extend_from_slice(&rest);
                    Bytes::from(std::mem::take(&mut self.line))
                }
            };
            let is_return = self.piece.first() == Some(&b'\r');
            self.piece.advance(1);
            if is_return {
                self.after_return = self.piece.is_empty();
                self.skip_line_feed();
            }
            if let Some(data) = self.take_line(line) {
                return Some(data);
            }
        }
    }

    /// The data of the last event. Servers leave out the blank line after it, or the end of its line.
    pub(crate) fn end(&mut self) -> Option<Bytes> {
        let line = Bytes::from(std::mem::take(&mut self.line));
        self.take_line(line).or_else(|| self.dispatched())
    }

    fn skip_line_feed(&mut self) {
        if self.piece.first() == Some(&b'\n') {
            self.piece.advance(1);
        }
    }

    /// Takes a line; gives the data of the event that it ends.
    fn take_line(&mut self, mut line: Bytes) -> Option<Bytes> {
        if !self.begun {
            self.begun = true;
            if line.starts_with(BYTE_ORDER_MARK) {
                line.advance(BYTE_ORDER_MARK.len());
            }
        }
        if line.is_empty() {
            return self.dispatched();
        }
        let value = match line.strip_prefix(b"data")? {
            [] => Bytes::new(),
            [b':', b' ', ..] => line.split_off(b"data: ".len()),
            [b':', ..] => line.split_off(b"data:".len()),
            _ => return None,
        };
        self.data = Some(match self.data.take() {
            None => Data::Line(value),
            Some(before) => {
                let mut lines = match before {
                    Data::Line(line) => Vec::from(line),
                    Data::Lines(lines) => lines,
                };
                lines.push(b'\n');
                lines.extend_from_slice(&value);
                Data::Lines(lines)
            }
        });
        None
    }

    /// The data of an event that has ended, unless it says nothing.
    fn dispatched(&mut self) -> Option<Bytes> {
        let data = match self.data.take()? {
            Data::Line(line) => line,
            Data::Lines(lines) => Bytes::from(lines),
        };
        (!data.trim_ascii().is_empty()).then_some(data)
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
        data.into_iter().map(|data| String::from_utf8(data.into()).unwrap()).collect()
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
    fn a_line_without_end_costs_each_byte_once() {
        let mut events = EventStream::default();
        // Were all of the line looked through for each piece, this would take hours.
        for _ in 0..3_000_000 {
            events.add(Bytes::from_static(b"x"));
            assert!(events.next().is_none());
        }
        assert!(events.end().is_none());
    }

    #[test]
    fn data_in_one_piece_is_not_copied() {
        let piece = Bytes::from("data: abc\n\n".to_owned());
        let mut events = EventStream::default();
        events.add(piece.clone());
        assert_eq!(events.next().unwrap().as_ptr(), piece[6..].as_ptr());
    }
}
