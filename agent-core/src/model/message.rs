//! What is said in a conversation, in no provider's format.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The id of one call of a tool, unique within its run.
///
/// Servers repeat ids and leave them out; a run gives such calls an id of its own before anything
/// else sees them. Nothing that must happen once hangs on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
// Shared, since many places keep it.
pub struct CallId(Arc<str>);

impl CallId {
    /// The id with this text.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// A call of a tool, as the model asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id.
    pub id: CallId,
    /// The tool's name, which may be no tool's.
    pub name: String,
    /// The arguments as the model wrote them, which may be no JSON.
    pub arguments: String,
    /// Fields that the server needs to see again beside the call; opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<Echo>,
}

impl ToolCall {
    /// A call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: CallId::new(id), name: name.into(), arguments: arguments.into(), echo: None }
    }
}

/// What a server said that only it understands and needs to see again, unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Echo {
    /// The wire format that it belongs to; another adapter leaves it out.
    pub format: String,
    /// The fields.
    pub fields: Value,
}

/// One message of a conversation.
///
/// The system text is not a message; it stands beside them in a [`Request`](crate::model::Request).
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Message {
    body: Body,
    #[serde(skip, default = "MessageId::next")]
    id: MessageId,
    /// The message as the adapter wrote it for the last request, so that a long history is written once.
    #[serde(skip)]
    wire: OnceLock<(&'static str, Box<[u8]>)>,
}

/// Tells a message from all others of this process, except for its clones, which say the same.
///
/// An adapter knows by it what it has written before. It is not saved.
///
/// ```
/// use agent_core::model::Message;
///
/// let message = Message::user("Hi.");
/// assert_eq!(message.clone().id(), message.id());
/// assert_ne!(Message::user("Hi.").id(), message.id());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageId(u64);

impl MessageId {
    fn next() -> Self {
        // One each nanosecond would last for centuries.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a [`Message`] says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Body {
    /// The person.
    User {
        /// What they say, in parts.
        content: Vec<Part>,
    },
    /// The model.
    Assistant {
        /// Its text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Its refusal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<String>,
        /// The calls that it asks for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What its server needs to see again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        echo: Option<Echo>,
    },
    /// The result of a call.
    Tool {
        /// The call.
        call_id: CallId,
        /// The tool's name.
        name: String,
        /// The result as the model is shown it.
        content: String,
    },
}

/// A part of what a person says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its address, or a `data:` URL.
        url: String,
        /// How closely to look at it, in the provider's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
}

impl Message {
    fn new(body: Body) -> Self {
        Self { body, id: MessageId::next(), wire: OnceLock::new() }
    }

    /// A person's message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::user_parts(vec![Part::Text { text: text.into() }])
    }

    /// A person's message of several parts.
    pub fn user_parts(content: Vec<Part>) -> Self {
        Self::new(Body::User { content })
    }

    /// A model's message.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Body::Assistant { text: Some(text.into()), refusal: None, calls: Vec::new(), echo: None })
    }

    /// A model's message with calls.
    pub fn assistant_calls(text: Option<String>, calls: Vec<ToolCall>) -> Self {
        Self::new(Body::Assistant { text, refusal: None, calls, echo: None })
    }

    /// A model's message with everything that it may hold.
    pub fn reply(text: Option<String>, refusal: Option<String>, calls: Vec<ToolCall>, echo: Option<Echo>) -> Self {
        Self::new(Body::Assistant { text, refusal, calls, echo })
    }

    /// The result of a call.
    pub fn tool(call_id: CallId, name: impl Into<String>, content: impl Into<String>) -> Self {
        Self::new(Body::Tool { call_id, name: name.into(), content: content.into() })
    }

    /// What the message says.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Which message it is: what it says never changes.
    pub fn id(&self) -> MessageId {
        self.id
    }

    /// The message in an adapter's format: `write` makes it once, later requests find it here.
    ///
    /// `format` names the format and everything that changes it; a second format on the same
    /// message is written each time.
    pub fn wire(&self, format: &'static str, write: impl Fn(&Body) -> Vec<u8>) -> Cow<'_, [u8]> {
        let (kept, bytes) = self.wire.get_or_init(|| (format, write(&self.body).into_boxed_slice()));
        if *kept == format { Cow::Borrowed(bytes) } else { Cow::Owned(write(&self.body)) }
    }
}

impl Clone for Message {
    fn clone(&self) -> Self {
        Self { body: self.body.clone(), id: self.id, wire: self.wire.clone() }
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.body == other.body
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.body.fmt(f)
    }
}
