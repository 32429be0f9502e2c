//! What happens in runs, as metrics.

mod instruments;
mod state;

use std::fmt;
use std::sync::Mutex;

use agent_core::dispatch::{Status, code};
use agent_core::run::{Circuit, ModelStep, ToolStep};
use agent_core::{Event, Observer, RunErrorKind};
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;

use self::instruments::Instruments;
use self::state::{Runs, State};

/// Whose names metrics have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Conventions {
    /// Those of the semantic conventions 1.41, the last release that had them, which tools know.
    #[default]
    V1_41,
    /// Those of the conventions' own repository, 0.1.0, which may change.
    Latest,
}

/// Counts and measures runs for OpenTelemetry.
///
/// A stored end that is given again is no run, and is not counted.
///
/// It is an observer; where its numbers go is the matter of the meter's provider. `docs/telemetry.md` has the table of
/// metrics and attributes. None has content, nor anything else of which there are too many: no run, user or call, and of
/// tools only those that the agent has.
///
/// ```
/// use agent_telemetry::{Conventions, RunMetrics};
/// use opentelemetry::metrics::MeterProvider;
/// # let provider = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build();
///
/// let metrics = RunMetrics::new(&provider.meter("shop"), "openai", Conventions::V1_41).agent("seller");
/// ```
pub struct RunMetrics {
    instruments: Instruments,
    provider: String,
    agent: Option<String>,
    model: Option<String>,
    runs: Mutex<Runs>,
}

impl RunMetrics {
    /// Metrics of an agent whose models are this provider's, as [`Model::provider`](agent_core::model::Model::provider)
    /// names it.
    pub fn new(meter: &Meter, provider: impl Into<String>, conventions: Conventions) -> Self {
        Self {
            instruments: Instruments::new(meter, conventions),
            provider: provider.into(),
            agent: None,
            model: None,
            runs: Mutex::default(),
        }
    }

    /// The agent's name, as an attribute.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agent = Some(name.into());
        self
    }

    /// The model that is asked, as an attribute beside the one that answered.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// What each metric about a model has.
    fn of_model(&self, answered: Option<&str>, error: Option<&str>) -> Vec<KeyValue> {
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.provider.name", self.provider.clone()),
        ];
        for (name, value) in [
            ("gen_ai.request.model", self.model.as_deref()),
            ("gen_ai.response.model", answered),
            ("error.type", error),
        ] {
            attributes.extend(value.map(|value| KeyValue::new(name, value.to_owned())));
        }
        attributes
    }

    /// What each metric about a run has.
    fn of_run(&self) -> Vec<KeyValue> {
        self.agent.iter().map(|agent| KeyValue::new("gen_ai.agent.name", agent.clone())).collect()
    }

    fn of_tool(&self, tool: &str) -> Vec<KeyValue> {
        let mut attributes = self.of_run();
        attributes.push(KeyValue::new("gen_ai.tool.name", tool.to_owned()));
        attributes
    }

    fn replied(&self, step: &ModelStep, state: &mut State) {
        // A compactor that asks no model sends no request.
        if step.attempts == 0 {
            return;
        }
        state.replies += 1;
        let attributes = self.of_model(step.model.as_deref(), None);
        self.instruments.replied(step.latency, &step.usage, &attributes);
    }

    fn called(&self, step: &ToolStep, state: &mut State) {
        // Held back before a gate has seen it: it did nothing, and its tool may be made up too.
        let held_back = [code::NOT_RUN, code::LIMIT_REACHED, code::CANCELLED];
        if step.attempts == 0 && step.code.as_deref().is_some_and(|code| held_back.contains(&code)) {
            return;
        }
        // What the model made up is no tool, and would be as many as it likes.
        let is_unknown = step.status == Status::FatalError && step.code.as_deref() == Some(code::UNKNOWN_TOOL);
        let tool = if is_unknown { "_OTHER" } else { &*step.tool };
        let attributes = self.of_tool(tool);
        let with = |attribute: KeyValue| {
            let mut attributes = attributes.clone();
            attributes.push(attribute);
            attributes
        };
        if step.attempts > 0 {
            state.calls += 1;
            let attributes = match &step.code {
                Some(code) => with(KeyValue::new("error.type", code.clone())),
                None => attributes.clone(),
            };
            self.instruments.execute_tool.record(step.latency.as_secs_f64(), &attributes);
        }
        if step.attempts > 1 {
            let by = KeyValue::new("agent.retry.by", "framework");
            self.instruments.retries.add(u64::from(step.attempts - 1), &with(by));
        }
        if state.has_failed(tool, step.cycle) {
            self.instruments.retries.add(1, &with(KeyValue::new("agent.retry.by", "model")));
        }
        if step.replayed {
            self.instruments.replays.add(1, &attributes);
        }
        if step.status == Status::PermissionDenied {
            let code = step.code.clone().unwrap_or_default();
            self.instruments.denials.add(1, &with(KeyValue::new("error.type", code)));
        }
        state.called(tool, step.cycle, step.status == Status::Success);
    }

    fn ended(&self, state: &State, error: Option<&RunErrorKind>, reason: &'static str) {
        if let Some(asked) = state.failed_after {
            let kind = match error {
                Some(RunErrorKind::ModelFailed(failure)) => failure.kind.as_str(),
                _ => "_OTHER",
            };
            self.instruments.failed(asked, &self.of_model(None, Some(kind)));
        }
        let mut attributes = self.of_run();
        self.instruments.inference_calls.record(state.replies, &attributes);
        self.instruments.tool_calls.record(state.calls, &attributes);
        let mut ended = attributes.clone();
        ended.push(KeyValue::new("agent.run.end_reason", reason));
        self.instruments.runs.add(1, &ended);
        // People are waited for; that is no fault.
        attributes.extend(error.map(|_| KeyValue::new("error.type", reason)));
        self.instruments.invoke_agent.record(state.began.elapsed().as_secs_f64(), &attributes);
    }
}

impl Observer for RunMetrics {
    fn event(&self, run_id: &str, event: &Event) {
        // A panic under the lock is one of the meter, and leaves a run's sums at worst too small.
        let mut runs = self.runs.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::ModelReplied { step, .. } => self.replied(step, runs.of(run_id)),
            Event::ModelFailed { .. } => {
                let state = runs.of(run_id);
                state.replies += 1;
                state.failed_after = Some(state.asked.elapsed());
            }
            Event::CallFinished { step, .. } => self.called(step, runs.of(run_id)),
            Event::RunStarted { .. } | Event::CycleStarted { .. } | Event::Concluding { .. } => {
                runs.of(run_id).asked = tokio::time::Instant::now();
            }
            Event::CircuitOpened { circuit } => {
                let circuit = match circuit {
                    Circuit::RepeatedError { .. } => "repeated_error",
                    Circuit::RepeatedRead { .. } => "repeated_read",
                    Circuit::InvalidTurns { .. } => "invalid_turns",
                    _ => "_OTHER",
                };
                let mut attributes = self.of_run();
                attributes.push(KeyValue::new("agent.circuit", circuit));
                self.instruments.circuits.add(1, &attributes);
            }
            Event::Suspended { .. } => self.ended(&runs.end(run_id), None, "suspended"),
            // A stored end, given again, is no run; what was measured of it was when it ended.
            Event::RunFinished { stored: true, .. } => {}
            Event::RunFinished { error, .. } => {
                let reason = error.as_ref().map_or("answered", RunErrorKind::as_str);
                self.ended(&runs.end(run_id), error.as_ref(), reason);
            }
            _ => {}
        }
    }
}

impl fmt::Debug for RunMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunMetrics")
            .field("provider", &self.provider)
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}
