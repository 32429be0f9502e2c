//! A reply while it is being written.

use super::reply::Reply;

/// A piece of a reply, as [`Model::stream`](super::Model::stream) gives it.
///
/// The pieces are there to be shown; what counts is the [`Reply`] in the last one, which is the
/// same as [`Model::reply`](super::Model::reply) would have given.
///
/// ```
/// use agent_core::model::{Delta, Reply};
///
/// fn shown(delta: &Delta) -> &str {
///     match delta {
///         Delta::Text(text) => text,
///         _ => "",
///     }
/// }
/// assert_eq!(shown(&Delta::Text("Hel".to_owned())), "Hel");
/// assert_eq!(shown(&Delta::Done(Reply::text("Hello."))), "");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "one in each stream, and moved only once or twice")]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// More of the reasoning that the server shows.
    Reasoning(String),
    /// More of a refusal.
    Refusal(String),
    /// More of a call. What it asks for is known, and may be acted on, only with the whole reply.
    Call {
        /// Its place among the calls of the reply.
        index: usize,
        /// Its id, in the first piece, where the server gives one.
        id: Option<String>,
        /// More of the tool's name; mostly the whole of it, in the first piece.
        name: Option<String>,
        /// More of the arguments, as the model writes them; may be empty.
        arguments: String,
    },
    /// The end, with the whole reply. Nothing comes after it.
    Done(Reply),
}

impl Delta {
    /// A whole reply, a piece for each of its parts.
    pub(super) fn parts(reply: Reply) -> impl Iterator<Item = Self> {
        let said = [
            reply.reasoning.clone().map(Self::Reasoning),
            reply.text.clone().map(Self::Text),
            reply.refusal.clone().map(Self::Refusal),
        ];
        let calls = reply.calls.iter().enumerate().map(|(index, call)| Self::Call {
            index,
            id: Some(call.id.to_string()),
            name: Some(call.name.clone()),
            arguments: call.arguments.clone(),
        });
        let parts: Vec<_> = said.into_iter().flatten().chain(calls).collect();
        parts.into_iter().chain([Self::Done(reply)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolCall;

    #[test]
    fn a_whole_reply_has_a_piece_for_each_of_its_parts_and_itself_at_the_end() {
        let mut reply = Reply::calls([ToolCall::new("a", "look", "{}")]);
        reply.text = Some("Let me see.".to_owned());
        let call = Delta::Call {
            index: 0,
            id: Some("a".to_owned()),
            name: Some("look".to_owned()),
            arguments: "{}".to_owned(),
        };
        let pieces: Vec<_> = Delta::parts(reply.clone()).collect();
        assert_eq!(pieces, [Delta::Text("Let me see.".to_owned()), call, Delta::Done(reply)]);
    }
}
