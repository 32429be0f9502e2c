//! What is said with every request beside the conversation.

use agent_http::ConfigError;
use serde_json::{Map, Value};

/// Fields that the adapter writes itself.
const OWN: [&str; 8] = ["model", "max_tokens", "system", "messages", "tools", "tool_choice", "stream", "container"];

/// What the provider is asked to keep in its cache: reading it again costs a tenth, keeping it a quarter more.
///
/// ```
/// use agent_anthropic::{Anthropic, Caching};
/// let model = Anthropic::builder().base_url("http://localhost:1").caching(Caching::Prefix).build()?;
/// # let _ = model;
/// # Ok::<(), agent_anthropic::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Caching {
    /// Nothing.
    Off,
    /// Tools and system text, which are the same in every request.
    Prefix,
    /// These, and the conversation so far, which the next turn begins with.
    #[default]
    Conversation,
}

/// Settings as a request takes them.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) max_tokens: u32,
    pub(crate) caching: Caching,
    pub(crate) cache_for_an_hour: bool,
    pub(crate) parallel_tool_calls: Option<bool>,
    pub(crate) strict_tools: bool,
    /// Whether a call may be forced, which the server refuses while the model thinks.
    pub(crate) may_force: bool,
    /// Whether blocks that only the server understands go back with their messages.
    pub(crate) echo: bool,
    /// Tools that run at the server, written once, each with a comma behind it.
    pub(crate) server_tools: Vec<u8>,
    pub(crate) max_continuations: u32,
    /// The other fields as they end a body, written once: `,"temperature":0.2`.
    pub(crate) fields: Vec<u8>,
}

/// The fields as they end a body.
pub(crate) fn written(fields: &Map<String, Value>, max_tokens: u32) -> Result<Vec<u8>, ConfigError> {
    let setting = |name: &str, reason| Err(ConfigError::Setting { name: name.to_owned(), reason });
    if max_tokens == 0 {
        return setting("max_tokens", "is zero, which leaves no room for a reply");
    }
    let budget = fields.get("thinking").and_then(|thinking| thinking.get("budget_tokens")?.as_u64());
    if budget.is_some_and(|budget| budget >= u64::from(max_tokens)) {
        return setting("thinking_budget", "is not below `max_tokens`, of which it is a part");
    }
    agent_http::body::fields(fields, &OWN, &["temperature", "top_p"])
}

/// Whether these fields turn thinking on.
pub(crate) fn thinks(fields: &Map<String, Value>) -> bool {
    let kind = fields.get("thinking").and_then(|thinking| thinking.get("type")?.as_str());
    kind.is_some_and(|kind| kind != "disabled")
}
