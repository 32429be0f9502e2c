//! A body that grows with its run.

use agent_core::model::{Message, MessageId, Request, Session};
use bytes::Bytes;

/// The body of a request, in which the messages of the run's requests before it are written already.
///
/// A run sends its whole history each time, and most of it was sent before. An adapter writes what stands before the
/// messages, the messages that are new, and what stands behind them; the bytes of all others are taken over as they
/// are. What was changed since, or is to be written otherwise, is written anew: a body is the same with and
/// without what was kept.
///
/// ```
/// use agent_core::model::{Message, Request, Session};
/// use agent_http::Growing;
///
/// fn body(request: &Request<'_>) -> bytes::Bytes {
///     let (mut body, new) = Growing::begin(request, "parrot", b"{\"lines\":[");
///     for message in new {
///         let line = format!("{:?},", message.body());
///         body.bytes().extend_from_slice(line.as_bytes());
///         body.written(message, true);
///     }
///     body.bytes().extend_from_slice(b"null]}");
///     body.sent(request)
/// }
///
/// let session = Session::new();
/// let mut messages = vec![Message::user("Hi.")];
/// body(&Request::new(&messages).session(Some(&session)));
/// messages.push(Message::assistant("Hello."));
/// let request = Request::new(&messages);
/// assert_eq!(body(&request.session(Some(&session))), body(&request));
/// ```
pub struct Growing {
    bytes: Vec<u8>,
    kept: Kept,
}

/// What is kept of a body for the next.
struct Kept {
    /// The whole of it, once it was sent. Nobody else holds it when the answer is there, and then it is not copied.
    sent: Bytes,
    /// How messages are written.
    format: &'static str,
    /// Where what stands before the messages ends.
    head: usize,
    places: Vec<Place>,
    /// How much was written with the last message.
    written: usize,
    /// The last byte of that, which what stands behind it may have changed.
    last: Option<u8>,
}

/// Where a message ends.
#[derive(Clone, Copy)]
struct Place {
    id: MessageId,
    /// None where the next message is written otherwise for this one, so that both go together.
    end: Option<usize>,
}

impl Growing {
    /// Begins a body with what stands before its messages; gives the messages that are still to be written.
    ///
    /// `format` names the format and everything beside `head` that changes how a message is written.
    pub fn begin<'m>(request: &Request<'m>, format: &'static str, head: &[u8]) -> (Self, &'m [Message]) {
        let kept = request.session.and_then(Session::take::<Kept>).map(|kept| *kept);
        let kept = kept.filter(|kept| kept.format == format && kept.sent.get(..kept.head) == Some(head));
        let mut growing = match kept {
            Some(mut kept) => {
                // In place where nobody else holds it.
                let bytes = Vec::from(std::mem::take(&mut kept.sent));
                let mut growing = Self { bytes, kept };
                growing.restore();
                growing
            }
            None => {
                let mut bytes = Vec::with_capacity(head.len() + 1024);
                bytes.extend_from_slice(head);
                let (sent, head) = (Bytes::new(), head.len());
                Self { bytes, kept: Kept { sent, format, head, places: Vec::new(), written: head, last: None } }
            }
        };
        let messages = request.messages;
        let same = growing.kept.places.iter().zip(messages).take_while(|(place, message)| place.id == message.id());
        let same = same.count();
        growing.cut(same);
        let rest = &messages[growing.kept.places.len()..];
        (growing, rest)
    }

    /// The body as it was when its last message was written.
    fn restore(&mut self) {
        self.bytes.truncate(self.kept.written);
        if let (Some(byte), Some(last)) = (self.bytes.last_mut(), self.kept.last) {
            *byte = last;
        }
    }

    /// Keeps at most so many messages, and as many as can be gone on from.
    fn cut(&mut self, most: usize) {
        let Kept { places, head, .. } = &mut self.kept;
        places.truncate(most);
        while places.last().is_some_and(|place| place.end.is_none()) {
            places.pop();
        }
        self.bytes.truncate(places.last().and_then(|place| place.end).unwrap_or(*head));
        self.noted();
    }

    /// Notes where the messages end.
    fn noted(&mut self) {
        self.kept.written = self.bytes.len();
        self.kept.last = self.bytes.last().copied();
    }

    /// The messages that are written already, those that were taken over included.
    pub fn messages(&self) -> usize {
        self.kept.places.len()
    }

    /// Which message is the last that is written and says something: for some messages a format has no words.
    pub fn last_said(&self) -> Option<usize> {
        let places = &self.kept.places;
        let end = |index: usize| places[index].end;
        let before = |index: usize| index.checked_sub(1).map_or(Some(self.kept.head), end);
        (0..places.len()).rev().find(|index| end(*index).is_none() || end(*index) != before(*index))
    }

    /// What is written.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Says that a message was written. Where `alone` is false, how depends on what follows it, or on what follows
    /// that, and a later body does not go on between the two.
    pub fn written(&mut self, message: &Message, alone: bool) {
        let end = alone.then_some(self.bytes.len());
        self.kept.places.push(Place { id: message.id(), end });
        self.noted();
    }

    /// The body, to be sent; it is kept for the next of its run.
    pub fn sent(self, request: &Request<'_>) -> Bytes {
        let Self { bytes, mut kept } = self;
        let bytes = Bytes::from(bytes);
        if let Some(session) = request.session {
            kept.sent = bytes.clone();
            session.keep(Box::new(kept));
        }
        bytes
    }
}

impl std::fmt::Debug for Growing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Growing").field("messages", &self.messages()).finish_non_exhaustive()
    }
}
