//! What a record says of a step.

use std::time::SystemTime;

use agent_core::dispatch::ToolResult;
use agent_core::model::{Finish, Reply};
use agent_core::run::{ModelStep, Purpose, ToolStep};
use agent_core::telemetry::{Content, ContentKind, Redact};
use serde::Serialize;

use crate::clock::rfc3339;
use crate::guest::redacted;
use crate::key::DigestKey;

/// One step as a line of JSON.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    pub(super) at: String,
    pub(super) run: &'a str,
    #[serde(flatten)]
    pub(super) step: Step<'a>,
}

impl<'a> Line<'a> {
    pub(super) fn now(run: &'a str, step: Step<'a>) -> Self {
        Self { at: rfc3339(SystemTime::now()), run, step }
    }
}

#[derive(Serialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum Step<'a> {
    Model(Model<'a>),
    ModelFailed(ModelFailed),
    Tool(Tool<'a>),
    End(End<'a>),
}

#[derive(Serialize)]
pub(super) struct Model<'a> {
    pub(super) cycle: u32,
    pub(super) purpose: Purpose,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish: Option<Finish>,
    pub(super) calls: usize,
    pub(super) attempt: u32,
    pub(super) latency_ms: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    pub(super) tokens_cached: u64,
    pub(super) tokens_estimated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ModelFailed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) cycle: u32,
    pub(super) call_id: &'a str,
    pub(super) tool: &'a str,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'a str>,
    pub(super) attempt: u32,
    pub(super) replayed: bool,
    pub(super) latency_ms: u64,
    pub(super) arguments: Said,
    pub(super) result: Said,
}

#[derive(Serialize)]
pub(super) struct End<'a> {
    pub(super) reason: &'a str,
    pub(super) elapsed_ms: u64,
    pub(super) stored: bool,
}

/// Content as its size and a digest, and as text where content is turned on.
#[derive(Serialize)]
pub(super) struct Said {
    pub(super) hmac_sha256: String,
    pub(super) bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// How content is told.
pub(super) struct Teller {
    pub(super) key: DigestKey,
    pub(super) redact: Option<Box<dyn Redact>>,
}

impl Teller {
    fn said(&self, content: Content<'_>) -> Said {
        Said { hmac_sha256: self.key.digest(content.text), bytes: content.text.len(), text: self.text(content) }
    }

    pub(super) fn text(&self, content: Content<'_>) -> Option<String> {
        self.redact.as_deref().map(|redact| redacted(redact, content))
    }

    pub(super) fn model<'a>(&self, step: &'a ModelStep, reply: &Reply) -> Model<'a> {
        let said = reply.text.as_deref().or(reply.refusal.as_deref());
        Model {
            cycle: step.cycle,
            purpose: step.purpose,
            model: step.model.as_deref().map(cut),
            finish: step.finish.as_ref().map(|finish| match finish {
                Finish::Other(word) => Finish::Other(cut(word).to_owned()),
                known => known.clone(),
            }),
            calls: step.calls,
            attempt: step.attempts,
            latency_ms: millis(step.latency),
            tokens_in: step.usage.input,
            tokens_out: step.usage.output,
            tokens_cached: step.usage.cached_input,
            tokens_estimated: step.usage_estimated,
            text: said.and_then(|text| self.text(Content::message(ContentKind::Model, text))),
        }
    }

    pub(super) fn tool<'a>(&self, step: &'a ToolStep, result: &ToolResult) -> Tool<'a> {
        // What a person put in place of the model's arguments is what ran.
        let arguments = result.metadata().edited_arguments.as_deref().unwrap_or(&step.arguments);
        let error;
        let text = match (result.data(), result.error_body()) {
            (Some(data), _) => data.get(),
            (None, body) => {
                error = body.and_then(|body| serde_json::to_string(body).ok()).unwrap_or_default();
                error.as_str()
            }
        };
        Tool {
            cycle: step.cycle,
            call_id: cut(step.call_id.as_str()),
            tool: cut(&step.tool),
            status: step.status.as_str(),
            code: step.code.as_deref().map(cut),
            attempt: step.attempts,
            replayed: step.replayed,
            latency_ms: millis(step.latency),
            arguments: self.said(Content::arguments(&step.tool, arguments)),
            result: self.said(Content::result(&step.tool, text)),
        }
    }
}

/// A name or an id as it is told: a model, or its server, can write one of any length.
pub(super) fn cut(name: &str) -> &str {
    const MOST: usize = 128;
    let mut end = name.len().min(MOST);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

pub(super) fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
