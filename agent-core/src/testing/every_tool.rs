//! A model that tries everything.

use std::collections::HashSet;
use std::fmt;

use async_trait::async_trait;

use super::sample::sample;
use crate::model::{
    Body, Message, Model, ModelError, ModelErrorKind, Reply, Request, ToolCall, ToolChoice, ToolDefinition,
};
use crate::schema::profile::{self, Keywords, Profile};

/// As many calls as the default limits allow in one turn.
const A_TURN: usize = 16;

/// Takes every keyword and any number of tools: the values must keep to rules that no provider publishes, too.
const EVERYTHING: Profile = Profile {
    name: "the model that calls every tool",
    strict: false,
    keywords: Keywords {
        bounds: true,
        exclusive_bounds: true,
        multiple_of: true,
        lengths: true,
        pattern: true,
        items: true,
        few_items: true,
    },
    formats: profile::ANTHROPIC.formats,
    max_depth: None,
    max_properties: None,
    max_enum_values: None,
    max_long_enum: None,
    max_name_chars: None,
    max_tools: None,
    ..profile::OPENAI
};

/// A model that calls every tool once, with values made from its schema, and then says what it was told.
/// A smoke test for tools: each must take what its own schema allows.
///
/// It calls up to 16 tools a turn, so that 64 fit into the default [`Limits`](crate::Limits). Where it must call one,
/// the last that is offered, which is the finish tool of a typed answer, has a turn of its own.
///
/// ```
/// use agent_core::testing::EveryTool;
/// use agent_core::{Agent, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(
///     /// One.
///     #[arg(minimum = 1)]
///     a: i32,
///     /// Another.
///     b: i32,
/// ) -> i32 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::builder(EveryTool::new()).tools(tools![add]).build()?;
/// let answer = agent.run("Try them.").await?;
/// assert!(answer.text().contains(r#"add({"a":1,"b":0})"#), "{}", answer.text());
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct EveryTool {
    values: Vec<(String, String)>,
}

impl EveryTool {
    /// A model that makes every value by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls this tool with these arguments, JSON text, in place of made ones.
    #[must_use]
    pub fn with(mut self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.values.push((tool.into(), arguments.into()));
        self
    }

    /// The calls of the next turn, where a tool is left.
    fn calls(&self, request: &Request<'_>) -> Result<Vec<ToolCall>, ModelError> {
        let tried: HashSet<&str> = request
            .messages
            .iter()
            .filter_map(|message| match message.body() {
                Body::Tool { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let mut left: Vec<_> = request.tools.iter().filter(|tool| !tried.contains(tool.name())).collect();
        if matches!(request.tool_choice, ToolChoice::Required) && left.len() > 1 {
            left.pop();
        }
        left.into_iter().take(A_TURN).map(|tool| self.call(tool)).collect()
    }

    fn call(&self, tool: &ToolDefinition) -> Result<ToolCall, ModelError> {
        let given = self.values.iter().find(|(name, _)| name == tool.name()).map(|(_, arguments)| arguments.clone());
        let arguments = match given {
            Some(arguments) => arguments,
            None => made(tool).map_err(|why| ModelError::new(ModelErrorKind::InvalidRequest, why))?,
        };
        Ok(ToolCall::new(format!("try_{}", tool.name()), tool.name(), arguments))
    }
}

fn made(tool: &ToolDefinition) -> Result<String, String> {
    let name = tool.name();
    let published = tool.published(&EVERYTHING).ok_or_else(|| format!("`{name}` has no text with all of its rules"))?;
    let schema = serde_json::from_str(&published.parameters).map_err(|error| format!("`{name}`: {error}"))?;
    let value = sample(&schema, &schema).map_err(|why| format!("`{name}`: {why}; give it arguments with `with`"))?;
    Ok(value.to_string())
}

#[async_trait]
impl Model for EveryTool {
    fn profiles(&self) -> &[&'static Profile] {
        &[&EVERYTHING]
    }

    fn name(&self) -> &str {
        "every tool"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let calls = self.calls(&request)?;
        Ok(if calls.is_empty() { Reply::text(told(request.messages)) } else { Reply::calls(calls) })
    }
}

/// Each call with its result, a line each.
fn told(messages: &[Message]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        match message.body() {
            Body::Assistant { calls, .. } => {
                lines.extend(calls.iter().map(|call| format!("{}({})", call.name, call.arguments)));
            }
            Body::Tool { content, .. } => lines.push(format!("  {content}")),
            _ => {}
        }
    }
    lines.join("\n")
}

impl fmt::Debug for EveryTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EveryTool")
    }
}
