//! Asks the model for its next reply.

use futures_util::stream::StreamExt;
use tokio::task::yield_now;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::Driver;
use crate::agent::NextTurn;
use crate::guest::{awaited, quiet};
use crate::model::{Delta, ModelError, ModelErrorKind, Reply, Request, ToolChoice, ToolDefinition, Usage};
use crate::run::{Event, Purpose, Run};
use crate::security::Access;
use crate::telemetry::spans;

/// So many pieces of a reply are taken before others may run.
const PIECES_AT_ONCE: u32 = 32;

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// What the host wants of the next turn.
    pub(super) fn next_turn(&self, run: &Run, purpose: Purpose) -> NextTurn {
        match &self.agent.hook {
            Some(hook) if purpose == Purpose::Turn => quiet(|| hook.next_turn(run)).unwrap_or_else(|| {
                tracing::error!(run = run.id(), "a step hook panicked; nothing is offered in this turn");
                NextTurn::new().offer([""; 0])
            }),
            _ => NextTurn::new(),
        }
    }

    /// Asks the model, or who sums up in its place. A panic in either is a failure.
    pub(super) async fn ask_guarded(
        &self,
        run: &Run,
        purpose: Purpose,
        next: &NextTurn,
        deadline: Instant,
    ) -> Result<Reply, ModelError> {
        let streams = purpose == Purpose::Turn && self.listeners.want_deltas();
        let (provider, name) = self.agent.model_names();
        let span = spans::chat(provider, name, purpose, run.cycle(), streams);
        let asking = awaited(|| Box::pin(self.ask(run, purpose, next, deadline, &span))).instrument(span.clone());
        let reply = asking.await.unwrap_or_else(|| {
            let who = match (purpose, &self.agent.compactor) {
                (Purpose::Compact, Some(_)) => "the compactor",
                _ => "the model adapter",
            };
            Err(ModelError::new(ModelErrorKind::Panicked, format!("{who} panicked; see its own output")))
        });
        spans::replied(&span, &reply, self.agent.toolbox.content());
        reply
    }

    async fn ask(
        &self,
        run: &Run,
        purpose: Purpose,
        next: &NextTurn,
        deadline: Instant,
        span: &Span,
    ) -> Result<Reply, ModelError> {
        let summed_up = run.request_messages(purpose);
        let messages = summed_up.as_deref().unwrap_or_else(|| run.conversation());
        if let (Purpose::Compact, Some(compactor)) = (purpose, &self.agent.compactor) {
            let summary = compactor.summarise(&messages[..messages.len().saturating_sub(1)]).await?;
            // No model was asked, and so nothing was spent.
            let mut reply = Reply::text(summary).usage(Usage::default());
            reply.attempts = 0;
            return Ok(reply);
        }
        let filtered = self.offered(next).await;
        let tools = filtered.as_deref().unwrap_or_else(|| self.agent.toolbox.definitions());
        let choice = match purpose {
            Purpose::Turn if tools.is_empty() => ToolChoice::Auto,
            Purpose::Turn if self.finish.is_some() => next.choice(ToolChoice::Required),
            Purpose::Turn => next.choice(ToolChoice::Auto),
            // The history names tools, so they stay listed; calling one is what is not allowed.
            Purpose::Close | Purpose::Compact => ToolChoice::None,
        };
        if let (Purpose::Turn, Some(audit)) = (purpose, &self.audit) {
            audit.offered(deadline, tools.iter().map(ToolDefinition::name)).await;
        }
        spans::given(span, self.agent.system.as_deref(), messages, tools, self.agent.toolbox.content());
        let request = Request::new(messages)
            .run_id(&self.run_id)
            .system(self.agent.system.as_deref())
            .tools(tools)
            .tool_choice(choice)
            .deadline(Some(deadline))
            .session(Some(&self.session));
        if purpose != Purpose::Compact && self.listeners.want_deltas() {
            self.stream(request).await
        } else {
            self.agent.model.reply(request).await
        }
    }

    /// The reply, told piece by piece.
    async fn stream(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let mut deltas = self.agent.model.stream(request);
        let mut pieces = 0_u32;
        while let Some(delta) = deltas.next().await {
            // A stream that is always ready lets nothing else run: no timer, no cancel, no reader.
            pieces = pieces.wrapping_add(1);
            if pieces.is_multiple_of(PIECES_AT_ONCE) {
                yield_now().await;
            }
            self.listeners.room().await;
            match delta? {
                Delta::Text(text) => self.listeners.tell(Event::TextDelta { text }),
                Delta::Reasoning(text) => self.listeners.tell(Event::ReasoningDelta { text }),
                Delta::Call { index, name, arguments, .. } => {
                    self.listeners.tell(Event::CallBuilding { index, name, arguments });
                }
                Delta::Refusal(_) => {}
                Delta::Done(reply) => return Ok(reply),
            }
        }
        Err(ModelError::new(ModelErrorKind::StreamInterrupted, "the model's stream ended without a reply"))
    }

    /// The tools for this turn, where they are not simply all.
    async fn offered(&self, next: &NextTurn) -> Option<Vec<ToolDefinition>> {
        if next.offered.is_none() && self.finish.is_none() && !self.agent.offer_permitted {
            return None;
        }
        let mut tools = Vec::new();
        for tool in self.agent.toolbox.definitions() {
            let named = next.offered.as_ref().is_none_or(|names| names.iter().any(|name| name == tool.name()));
            if named && (!self.agent.offer_permitted || self.may_use(tool.name()).await) {
                tools.push(tool.clone());
            }
        }
        tools.extend(self.finish.as_ref().map(|finish| finish.definition.clone()));
        Some(tools)
    }

    async fn may_use(&self, tool: &str) -> bool {
        let Some(spec) = self.agent.toolbox.spec(tool) else { return false };
        let asked = Access { tool, permission: spec.permission.as_deref(), mutating: spec.effect.is_mutating() };
        self.agent.toolbox.authorize(&self.caller, &asked).await.is_ok()
    }
}
