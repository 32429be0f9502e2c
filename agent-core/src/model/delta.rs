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
