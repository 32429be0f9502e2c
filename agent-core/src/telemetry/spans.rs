//! The spans of a run. Their names and attributes are those of the GenAI conventions of OpenTelemetry; `docs/telemetry.md`
//! has the table.
//!
//! Nothing is computed for a span that nobody wants: the macros look first.

use serde_json::json;
use tracing::{Span, field};

use super::{Redact, content};
use crate::dispatch::{ToolResult, cut};
use crate::model::{Message, ModelError, Reply, ToolCall, ToolDefinition};
use crate::run::{Purpose, Record, RunErrorKind, StepRecord};

/// The span of a run.
pub(crate) fn invoke_agent(agent: Option<&str>, provider: &str, model: &str, run_id: &str, resumed: bool) -> Span {
    tracing::info_span!(
        target: "agent",
        "invoke_agent",
        otel.name = agent.map_or_else(|| "invoke_agent".to_owned(), |agent| format!("invoke_agent {agent}")),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.provider.name = provider,
        gen_ai.agent.name = agent,
        gen_ai.request.model = model,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.usage.cache_read.input_tokens = field::Empty,
        gen_ai.system_instructions = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
        gen_ai.tool.definitions = field::Empty,
        "error.type" = field::Empty,
        agent.content.left_out = field::Empty,
        agent.run.id = run_id,
        agent.run.resumed = resumed,
        agent.run.end_reason = field::Empty,
        agent.run.cycles = field::Empty,
        agent.run.tool_calls = field::Empty,
        agent.run.bound = field::Empty,
        agent.run.bound.limit = field::Empty,
        agent.run.bound.value = field::Empty,
    )
}

/// What a model, or a run, is given, where content is on.
pub(crate) fn given(
    span: &Span,
    system: Option<&str>,
    messages: &[Message],
    tools: &[ToolDefinition],
    redact: Option<&dyn Redact>,
) {
    let Some(redact) = redact.filter(|_| !span.is_disabled()) else { return };
    system.map(|system| span.record("gen_ai.system_instructions", content::system(system, redact)));
    let (input, left_out) = content::input(messages, redact);
    span.record("gen_ai.input.messages", input);
    if left_out > 0 {
        span.record("agent.content.left_out", int(left_out));
    }
    if !tools.is_empty() {
        span.record("gen_ai.tool.definitions", content::definitions(tools, redact));
    }
}

/// How the run ended, with its answer or its closing words.
pub(crate) fn invoked(
    span: &Span,
    record: &Record,
    error: Option<&RunErrorKind>,
    text: Option<&str>,
    redact: Option<&dyn Redact>,
) {
    if span.is_disabled() {
        return;
    }
    if let (Some(text), Some(redact)) = (text, redact) {
        span.record("gen_ai.output.messages", content::answer(text, redact));
    }
    let calls = record.steps.iter().filter(|step| matches!(step, StepRecord::Tool(_))).count();
    span.record("gen_ai.usage.input_tokens", int(record.usage.input));
    span.record("gen_ai.usage.output_tokens", int(record.usage.output));
    span.record("gen_ai.usage.cache_read.input_tokens", int(record.usage.cached_input));
    span.record("agent.run.cycles", int(record.cycles));
    span.record("agent.run.tool_calls", int(calls));
    span.record("agent.run.end_reason", error.map_or("answered", RunErrorKind::as_str));
    // People are waited for; that is no fault.
    if let Some(error) = error.filter(|error| !matches!(error, RunErrorKind::Suspended(_))) {
        fail(span, error.as_str());
        if let Some(bound) = crate::audit::Bound::of(error) {
            span.record("agent.run.bound", bound.name);
            bound.limit.map(|limit| span.record("agent.run.bound.limit", limit));
            bound.value.map(|value| span.record("agent.run.bound.value", value));
        }
    }
}

/// The span of one reply, the adapter's own retries included.
pub(crate) fn chat(provider: &str, model: &str, purpose: Purpose, cycle: u32, streams: bool) -> Span {
    tracing::info_span!(
        target: "agent",
        "chat",
        otel.name = format!("chat {model}"),
        otel.kind = "client",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = model,
        gen_ai.request.stream = streams.then_some(true),
        gen_ai.response.model = field::Empty,
        gen_ai.response.id = field::Empty,
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.usage.cache_read.input_tokens = field::Empty,
        gen_ai.usage.reasoning.output_tokens = field::Empty,
        gen_ai.system_instructions = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
        gen_ai.tool.definitions = field::Empty,
        "error.type" = field::Empty,
        agent.content.left_out = field::Empty,
        agent.cycle = int(cycle),
        agent.purpose = match purpose {
            Purpose::Turn => "turn",
            Purpose::Close => "close",
            Purpose::Compact => "compact",
        },
        agent.attempts = field::Empty,
        agent.calls = field::Empty,
    )
}

/// What came of it.
pub(crate) fn replied(span: &Span, reply: &Result<Reply, ModelError>, redact: Option<&dyn Redact>) {
    if span.is_disabled() {
        return;
    }
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => {
            span.record("agent.attempts", int(error.get_attempts()));
            return fail(span, error.kind().as_str());
        }
    };
    reply.model.as_deref().map(|model| span.record("gen_ai.response.model", cut(model)));
    reply.id.as_deref().map(|id| span.record("gen_ai.response.id", cut(id)));
    if let Some(finish) = &reply.finish {
        span.record("gen_ai.response.finish_reasons", json!([cut(content::word(finish))]).to_string());
    }
    if let Some(usage) = &reply.usage {
        span.record("gen_ai.usage.input_tokens", int(usage.input));
        span.record("gen_ai.usage.output_tokens", int(usage.output));
        span.record("gen_ai.usage.cache_read.input_tokens", int(usage.cached_input));
        span.record("gen_ai.usage.reasoning.output_tokens", int(usage.reasoning));
    }
    span.record("agent.attempts", int(reply.attempts));
    span.record("agent.calls", int(reply.calls.len()));
    if let Some(redact) = redact {
        span.record("gen_ai.output.messages", content::output(reply, redact));
    }
}

/// The span of one call, all tries of it included.
pub(crate) fn execute_tool(call: &ToolCall) -> Span {
    let tool = cut(&call.name);
    tracing::info_span!(
        target: "agent",
        "execute_tool",
        otel.name = format!("execute_tool {tool}"),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        gen_ai.tool.call.id = cut(call.id.as_str()),
        "gen_ai.tool.type" = "function",
        gen_ai.tool.call.arguments = field::Empty,
        gen_ai.tool.call.result = field::Empty,
        "error.type" = field::Empty,
        agent.tool.status = field::Empty,
        agent.tool.attempts = field::Empty,
        agent.tool.replayed = field::Empty,
        agent.tool.denied = field::Empty,
    )
}

/// What came of it.
pub(crate) fn executed(span: &Span, call: &ToolCall, result: &ToolResult, redact: Option<&dyn Redact>) {
    if span.is_disabled() {
        return;
    }
    let metadata = result.metadata();
    span.record("agent.tool.status", result.status().as_str());
    span.record("agent.tool.attempts", int(metadata.attempts));
    if metadata.replayed {
        span.record("agent.tool.replayed", true);
    }
    if result.status() == crate::dispatch::Status::PermissionDenied {
        span.record("agent.tool.denied", true);
    }
    if let Some(code) = result.code() {
        fail(span, code);
    }
    if let Some(redact) = redact {
        span.record("gen_ai.tool.call.arguments", content::arguments(call, redact));
        span.record("gen_ai.tool.call.result", content::result(call, result, redact));
    }
}

/// The span of a call that a gate refused: it says why, and takes no time.
pub(crate) fn refused(call: &ToolCall, result: &ToolResult, redact: Option<&dyn Redact>) {
    executed(&execute_tool(call), call, result, redact);
}

/// The wait for people to decide.
pub(crate) fn approval(calls: usize) -> Span {
    tracing::info_span!(target: "agent", "approval", otel.kind = "internal", agent.approval.calls = int(calls))
}

fn fail(span: &Span, error: &str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}

/// Signed: `tracing-opentelemetry` makes text of an unsigned number, and readers look for a number.
fn int(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
