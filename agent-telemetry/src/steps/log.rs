//! The observer.

use std::fmt;
use std::io::{self, Write};

use agent_core::telemetry::{Content, ContentKind, Redact};
use agent_core::{Event, Observer};

use super::line::{End, Line, Model, ModelFailed, Step, Teller, Tool, millis};
use super::writer::Writer;
use crate::key::DigestKey;

/// Tells one record per step of each run: of each reply of the model, each call, and the end.
///
/// ```
/// use agent_core::telemetry::Content;
/// use agent_telemetry::{DigestKey, StepLog};
///
/// let key = DigestKey::new(b"thirty-two bytes from a key vault")?;
/// let log = StepLog::json_lines(key, std::io::stderr())
///     .content(|content: Content<'_>| content.text.replace("4711", "****"));
/// # Ok::<(), agent_telemetry::WeakKey>(())
/// ```
///
/// As JSON, one object a line, written by a thread of the log's own; as events of `tracing`, at level INFO under the
/// target `agent::step`. Both have the same fields:
///
/// | field | of | is |
/// | --- | --- | --- |
/// | `at`, `run`, `step` | all | when (JSON only), the run's id, `model`, `model_failed`, `tool` or `end` |
/// | `cycle` | `model`, `tool` | the turn, from 1 |
/// | `purpose`, `model`, `finish`, `calls` | `model` | what it was asked for, who answered, why it stopped, how many calls it made |
/// | `tokens_in`, `tokens_out`, `tokens_cached`, `tokens_estimated` | `model` | its tokens; whether they are estimated |
/// | `call_id`, `tool`, `status`, `code`, `replayed` | `tool` | the call and how it ended |
/// | `arguments`, `result` | `tool` | each as `hmac_sha256` and `bytes`, and as `text` where content is on |
/// | `attempt` | `model`, `tool` | requests sent, or tries of the function; 0 where nothing ran |
/// | `latency_ms`, `elapsed_ms` | `model` and `tool`, `end` | how long it took |
/// | `reason`, `stored` | `end` | `answered`, or why there is no answer; whether the end is given again, of a run that had ended |
/// | `text`, `message` | `model`, `model_failed` | what the model or its server said, where content is on |
///
/// Content is off unless [`content`](Self::content) turns it on. Names and ids, which a model or its server can write as long
/// as it likes, are cut after 128 bytes.
pub struct StepLog {
    teller: Teller,
    out: Out,
}

enum Out {
    Lines(Writer),
    Tracing,
}

impl StepLog {
    /// A log that writes JSON lines; content is digested under this key.
    ///
    /// No run waits for the writer: beyond some thousand lines that wait to be written, further ones are
    /// [left out](Self::left_out). A panic of `out` is a line that is not written. Dropping the log waits until all that
    /// waits is written, however long `out` takes.
    pub fn json_lines(key: DigestKey, out: impl Write + Send + 'static) -> Self {
        Self { teller: Teller { key, redact: None }, out: Out::Lines(Writer::start(out)) }
    }

    /// A log whose records are events of `tracing`; content is digested under this key.
    pub fn tracing(key: DigestKey) -> Self {
        Self { teller: Teller { key, redact: None }, out: Out::Tracing }
    }

    /// Turns content on: what this makes of replies, arguments, results and errors stands beside their digests.
    #[must_use]
    pub fn content(mut self, redact: impl Redact + 'static) -> Self {
        self.teller.redact = Some(Box::new(redact));
        self
    }

    /// Waits until all lines so far are written. It blocks.
    ///
    /// # Errors
    ///
    /// The last error of the writer since the last call of this; each time, where there is no thread that writes.
    pub fn flush(&self) -> io::Result<()> {
        match &self.out {
            Out::Lines(writer) => writer.flush(),
            Out::Tracing => Ok(()),
        }
    }

    /// How many lines were not written, since too many waited or the writer failed.
    pub fn left_out(&self) -> u64 {
        match &self.out {
            Out::Lines(writer) => writer.left_out(),
            Out::Tracing => 0,
        }
    }

    fn step<'a>(&self, event: &'a Event) -> Option<Step<'a>> {
        match event {
            Event::ModelReplied { step, reply } => Some(Step::Model(self.teller.model(step, reply))),
            Event::ModelFailed { message } => {
                let content = Content::message(ContentKind::Model, message);
                Some(Step::ModelFailed(ModelFailed { message: self.teller.text(content) }))
            }
            Event::CallFinished { step, result } => Some(Step::Tool(self.teller.tool(step, result))),
            Event::RunFinished { error, elapsed, stored, .. } => Some(Step::End(End {
                reason: error.as_ref().map_or("answered", |error| error.as_str()),
                elapsed_ms: millis(*elapsed),
                stored: *stored,
            })),
            _ => None,
        }
    }
}

impl Observer for StepLog {
    fn event(&self, run_id: &str, event: &Event) {
        if matches!(self.out, Out::Tracing) && !tracing::enabled!(target: "agent::step", tracing::Level::INFO) {
            return;
        }
        let Some(step) = self.step(event) else { return };
        match &self.out {
            Out::Tracing => trace(run_id, &step),
            Out::Lines(writer) => {
                // A step has only texts and numbers, which can be written.
                if let Ok(mut line) = serde_json::to_vec(&Line::now(run_id, step)) {
                    line.push(b'\n');
                    writer.line(line);
                }
            }
        }
    }
}

macro_rules! step_event {
    ($run:expr, $step:literal, $($field:tt)*) => {
        tracing::info!(target: "agent::step", run = $run, step = $step, $($field)*)
    };
}

fn trace(run: &str, step: &Step<'_>) {
    match step {
        Step::Model(Model {
            cycle,
            purpose,
            model,
            finish,
            calls,
            attempt,
            latency_ms,
            tokens_in,
            tokens_out,
            tokens_cached,
            tokens_estimated,
            text,
        }) => step_event!(
            run,
            "model",
            cycle,
            purpose = word(purpose),
            model,
            finish = finish.as_ref().map(word),
            calls,
            attempt,
            latency_ms,
            tokens_in,
            tokens_out,
            tokens_cached,
            tokens_estimated,
            text
        ),
        Step::ModelFailed(ModelFailed { message }) => step_event!(run, "model_failed", message = message.as_deref()),
        Step::Tool(Tool { cycle, call_id, tool, status, code, attempt, replayed, latency_ms, arguments, result }) => {
            step_event!(
                run,
                "tool",
                cycle,
                call_id,
                tool,
                status,
                code,
                attempt,
                replayed,
                latency_ms,
                arguments.hmac_sha256,
                arguments.bytes,
                arguments.text,
                result.hmac_sha256,
                result.bytes,
                result.text
            );
        }
        Step::End(End { reason, elapsed_ms, stored }) => step_event!(run, "end", reason, elapsed_ms, stored),
    }
}

/// A word as serde writes it.
fn word(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

impl fmt::Debug for StepLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepLog").field("content", &self.teller.redact.is_some()).finish_non_exhaustive()
    }
}
