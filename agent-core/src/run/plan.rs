//! What does not change during a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::end::LimitKind;
use crate::agent::Limits;
use crate::dispatch::Observation;

/// What does not change during a run: tools, limits, and what the host wants at each boundary.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The tools, in order.
    pub tools: Vec<PlannedTool>,
    /// The bounds.
    pub limits: Limits,
    /// What a denied call does to the run.
    pub on_denied: OnDenied,
    /// What a bound does, where it differs from the default: a closing turn for the circuit, none for the others.
    pub on_limit: BTreeMap<LimitKind, OnLimit>,
    /// The form in which the model is shown results.
    pub observation: Observation,
    /// Bytes of system text and tool list, for estimates where a server sends no usage.
    pub fixed_bytes: u64,
}

/// A tool as the state machine needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedTool {
    /// Its name.
    pub name: String,
    /// Whether it changes anything.
    pub mutating: bool,
    /// How often it may be called in the run.
    pub max_calls: Option<u32>,
}

impl PlannedTool {
    /// A tool that only reads.
    pub fn read(name: impl Into<String>) -> Self {
        Self { name: name.into(), mutating: false, max_calls: None }
    }

    /// A tool that changes something.
    pub fn mutating(name: impl Into<String>) -> Self {
        Self { name: name.into(), mutating: true, max_calls: None }
    }

    /// That may be called so often in a run.
    #[must_use]
    pub fn max_calls(mut self, max_calls: Option<u32>) -> Self {
        self.max_calls = max_calls;
        self
    }
}

impl Plan {
    /// A plan with these tools and limits, and the defaults otherwise.
    pub fn new(tools: Vec<PlannedTool>, limits: Limits) -> Self {
        Self {
            tools,
            limits,
            on_denied: OnDenied::default(),
            on_limit: BTreeMap::new(),
            observation: Observation::default(),
            fixed_bytes: 0,
        }
    }

    pub(super) fn concludes(&self, limit: LimitKind) -> bool {
        let default = if limit == LimitKind::CircuitOpen { OnLimit::Conclude } else { OnLimit::Stop };
        *self.on_limit.get(&limit).unwrap_or(&default) == OnLimit::Conclude
    }
}

/// What a bound does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnLimit {
    /// The model gets one closing turn without tools, so that the person is told which boundary was met; the text is in the error.
    Conclude,
    /// The run ends at once.
    Stop,
}

/// What a call that the caller may not make does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnDenied {
    /// Nothing of the turn runs; the model gets one closing turn without tools, and the run ends.
    #[default]
    Conclude,
    /// Nothing of the turn runs, and the run ends at once.
    Stop,
    /// The model is told; the other calls of the turn run and the run goes on.
    Continue,
}
