//! One call of a tool, from the pieces in which it arrives.

use std::borrow::Cow;

use agent_core::model::ToolCall;
use agent_http::opaque::Fields;
use agent_http::{arguments, json};
use serde_json::{Map, Value};

use super::echo;
use crate::wire::completion::Function;

/// A call in the making.
#[derive(Debug, Default)]
pub(super) struct Building {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) echo: Fields,
}

impl Building {
    /// Takes a piece; gives what it added to the name and to the arguments.
    pub(super) fn continued<'f>(&mut self, function: Function<'f>) -> (Option<Cow<'f, str>>, Cow<'f, str>) {
        // A name comes whole, in pieces, or whole again with every piece of the arguments.
        let name = function.name.0.filter(|name| **name != self.name);
        self.name.push_str(name.as_deref().unwrap_or_default());
        let piece = function.arguments.0.and_then(arguments::piece).unwrap_or_default();
        self.arguments.push_str(&piece);
        (name, piece)
    }

    /// Whether its arguments are a JSON object.
    pub(super) fn is_whole(&self) -> bool {
        let text = arguments::text(self.arguments.clone());
        !self.arguments.trim().is_empty() && json::read::<Map<String, Value>>(text.as_bytes()).is_ok()
    }

    pub(super) fn built(self) -> ToolCall {
        let mut call = ToolCall::new(self.id.unwrap_or_default(), self.name, arguments::text(self.arguments));
        call.echo = echo::kept(self.echo);
        call
    }
}

/// Whether a legacy call is there in name only.
pub(super) fn is_empty(function: &Function<'_>) -> bool {
    function.name.0.is_none() && function.arguments.is_hollow()
}
