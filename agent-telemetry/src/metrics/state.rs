//! What is remembered of the runs that have not ended.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// A run that is dropped does not say that it ends; beyond so many, the oldest is forgotten.
const MOST: usize = 10_000;

#[derive(Default)]
pub(super) struct Runs {
    runs: HashMap<String, State>,
}

pub(super) struct State {
    pub(super) began: Instant,
    /// When the model was last asked, about.
    pub(super) asked: Instant,
    /// How long a model took that then failed.
    pub(super) failed_after: Option<Duration>,
    pub(super) replies: u64,
    pub(super) calls: u64,
    /// Tools whose last calls had no value, each with the turn.
    failed: HashMap<String, u32>,
}

impl State {
    fn new() -> Self {
        let now = Instant::now();
        Self { began: now, asked: now, failed_after: None, replies: 0, calls: 0, failed: HashMap::new() }
    }

    /// Whether the model has seen the tool fail before this turn.
    pub(super) fn has_failed(&self, tool: &str, cycle: u32) -> bool {
        self.failed.get(tool).is_some_and(|failed| *failed < cycle)
    }

    pub(super) fn called(&mut self, tool: &str, cycle: u32, succeeded: bool) {
        match succeeded {
            // A success beside a failure does not make up for it.
            true if self.has_failed(tool, cycle) => drop(self.failed.remove(tool)),
            true => {}
            false => drop(self.failed.insert(tool.to_owned(), cycle)),
        }
    }
}

impl Runs {
    pub(super) fn of(&mut self, run_id: &str) -> &mut State {
        if !self.runs.contains_key(run_id) && self.runs.len() >= MOST {
            let oldest = self.runs.iter().min_by_key(|(_, state)| state.began).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.runs.remove(&id));
        }
        self.runs.entry(run_id.to_owned()).or_insert_with(State::new)
    }

    pub(super) fn end(&mut self, run_id: &str) -> State {
        self.runs.remove(run_id).unwrap_or_else(State::new)
    }
}
