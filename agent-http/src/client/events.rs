//! Opening a stream.

use agent_core::model::ModelError;
use bytes::{Buf, Bytes};
use tokio::time::{Instant, timeout_at};

use super::incoming::Incoming;
use super::{Client, body, later};
use crate::error::{self, Answered};
use crate::json::BYTE_ORDER_MARK;
use crate::read::{self, Looks};

/// What a server answers when it is asked for a stream.
pub(crate) enum Opened {
    /// A body that was read whole, since it is none of events.
    Whole(Bytes),
    /// Events, and how they begin.
    Events(Incoming, Start),
}

impl Client {
    /// Asks for a stream, and waits until its first bytes tell what it is.
    pub(crate) async fn open(&self, body: Bytes, deadline: Option<Instant>) -> Result<(Answered, Opened), ModelError> {
        let server = &self.endpoint.shown;
        let opened = timeout_at(later(self.first_byte_timeout, deadline), self.first(body)).await;
        let (answered, mut incoming, start) = opened.map_err(|_| error::late(server, "sent nothing in time"))??;
        if start.looks != Some(Looks::Whole) {
            return Ok((answered, Opened::Events(incoming, start)));
        }
        let whole = body::whole(&mut incoming, &answered, self.most_bytes, start.bytes);
        match timeout_at(later(self.timeout, deadline), whole).await {
            Ok(bytes) => Ok((answered, Opened::Whole(bytes?))),
            Err(_) => Err(error::late(server, "did not answer in time")),
        }
    }

    /// Sends, and reads until it can be told whether events come or something whole.
    async fn first(&self, body: Bytes) -> Result<(Answered, Incoming, Start), ModelError> {
        let (answered, mut incoming) = self.head(body, &self.stream_headers).await?;
        if !answered.status.is_success() {
            let bytes = body::whole(&mut incoming, &answered, self.most_bytes, Bytes::new()).await?;
            return Err(answered.refused(&bytes));
        }
        let mut start = Start::default();
        while start.looks.is_none() {
            match incoming.chunk().await {
                Ok(Some(chunk)) => start.add(chunk),
                Ok(None) => break,
                Err(broken) => return Err(answered.interrupted(broken)),
            }
            if start.read > self.most_bytes {
                return Err(answered.too_large(self.most_bytes));
            }
        }
        Ok((answered, incoming, start))
    }
}

/// How an answer begins. White space in front, which servers send to keep a connection, is counted and forgotten, so
/// that any amount of it costs each byte once.
#[derive(Default)]
pub(crate) struct Start {
    pub(crate) bytes: Bytes,
    /// How many bytes came.
    pub(crate) read: usize,
    /// What they are the beginning of, once that can be told.
    looks: Option<Looks>,
}

impl Start {
    fn add(&mut self, mut chunk: Bytes) {
        self.read += chunk.len();
        if self.bytes.is_empty() {
            chunk.advance(chunk.len() - chunk.trim_ascii_start().len());
            self.bytes = chunk;
        } else {
            self.bytes = [&*self.bytes, &*chunk].concat().into();
        }
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            let rest = self.bytes[BYTE_ORDER_MARK.len()..].trim_ascii_start().len();
            self.bytes.advance(self.bytes.len() - rest);
        }
        self.looks = read::looks(&self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_without_end_costs_each_byte_once() {
        for mark in ["", "\u{feff}"] {
            let mut start = Start::default();
            mark.bytes().for_each(|byte| start.add(vec![byte].into()));
            for read in 1..=1_000 {
                start.add(Bytes::from_static(b" "));
                // What is kept is what the next piece has looked through once more.
                assert_eq!((start.looks, start.bytes.len(), start.read), (None, 0, read + mark.len()));
            }
            start.add(Bytes::from_static(b"{"));
            assert_eq!((start.looks, &start.bytes[..]), (Some(Looks::Whole), &b"{"[..]));
        }
    }

    #[test]
    fn what_comes_is_known_by_its_first_bytes_in_any_pieces() {
        for (body, looks) in [
            ("\n\r\n data: x", Looks::Events),
            (": hi", Looks::Events),
            ("\u{feff}data:", Looks::Events),
            ("\u{feff}\n{\"a\":1}", Looks::Whole),
            ("[1]", Looks::Whole),
            ("<html>", Looks::Whole),
        ] {
            for size in 1..=body.len() {
                let mut start = Start::default();
                for chunk in body.as_bytes().chunks(size) {
                    if start.looks.is_none() {
                        start.add(Bytes::copy_from_slice(chunk));
                    }
                }
                assert_eq!(start.looks, Some(looks), "{body:?} in pieces of {size}");
            }
        }
    }
}
