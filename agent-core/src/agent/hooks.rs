//! What a host may change between two turns.

use async_trait::async_trait;

use crate::model::{Message, ModelError, ToolChoice};
use crate::run::Run;

/// Looks at a run before each turn of the model, and says what the model may do in it.
///
/// It is asked on the run's own task and must not block. What it says holds for one turn, also where the run is
/// taken up elsewhere in the middle of it. A panic in it is logged, and nothing is offered in that turn.
pub trait StepHook: Send + Sync {
    /// What the model may do in its next turn.
    fn next_turn(&self, run: &Run) -> NextTurn;
}

impl<F: Fn(&Run) -> NextTurn + Send + Sync> StepHook for F {
    fn next_turn(&self, run: &Run) -> NextTurn {
        self(run)
    }
}

/// What a model may do in one turn.
///
/// ```
/// use agent_core::NextTurn;
/// // First look it up, whatever else: later turns are free again.
/// let hook = |run: &agent_core::run::Run| match run.cycle() {
///     1 => NextTurn::new().call("lookup"),
///     _ => NextTurn::new(),
/// };
/// # let _: Box<dyn agent_core::StepHook> = Box::new(hook);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NextTurn {
    pub(super) offered: Option<Vec<String>>,
    choice: Choice,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Choice {
    #[default]
    Unchanged,
    None,
    Required,
    Tool(String),
}

impl NextTurn {
    /// Nothing changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these tools are offered. A call of another is answered as one of a tool that does not exist.
    #[must_use]
    pub fn offer<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.offered = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// The model must call this tool. A call of another is answered as one of a tool that does not exist.
    #[must_use]
    pub fn call(mut self, tool: impl Into<String>) -> Self {
        self.choice = Choice::Tool(tool.into());
        self
    }

    /// The model must call a tool. One that answers in words all the same has answered.
    #[must_use]
    pub fn call_any(mut self) -> Self {
        self.choice = Choice::Required;
        self
    }

    /// The model may call nothing. A call is answered as one of a tool that does not exist.
    #[must_use]
    pub fn call_none(mut self) -> Self {
        self.choice = Choice::None;
        self
    }

    /// The tools that may run in the turn, where not all may. What is asked of a model is held to, whatever it does.
    pub(super) fn allowed(self) -> Option<Vec<String>> {
        match self.choice {
            Choice::None => Some(Vec::new()),
            Choice::Tool(tool) if self.offered.as_ref().is_none_or(|offered| offered.contains(&tool)) => {
                Some(vec![tool])
            }
            Choice::Tool(_) => Some(Vec::new()),
            Choice::Unchanged | Choice::Required => self.offered,
        }
    }

    pub(super) fn choice<'a>(&'a self, otherwise: ToolChoice<'a>) -> ToolChoice<'a> {
        match &self.choice {
            Choice::Unchanged => otherwise,
            Choice::None => ToolChoice::None,
            Choice::Required => ToolChoice::Required,
            Choice::Tool(tool) => ToolChoice::Tool(tool),
        }
    }
}

/// Sums up the older part of a conversation that has grown too long, in place of the model itself.
///
/// What it gives stands in the conversation as the words of the person's side. A failure leaves the
/// conversation as it is, and so does a panic. It is bounded by the run's time, and counts as one of the extra calls.
#[async_trait]
pub trait Compactor: Send + Sync {
    /// A summary of these messages.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from making one.
    async fn summarise(&self, older: &[Message]) -> Result<String, ModelError>;
}
