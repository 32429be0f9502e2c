//! A run as one HTML file to look at.

mod html;
mod item;
mod page;
mod pretty;
mod steps;
mod timeline;
mod tokens;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_core::run::Record;
use agent_core::telemetry::Redact;
use agent_core::{Event, Observer, RunErrorKind};
use tokio::time::Instant;

use self::item::Story;

/// Turns one run into an HTML file: its end, a timeline with a lane for each call of the model and of a tool, its tokens,
/// and every message and call with arguments, result and problems.
///
/// The file stands alone: no script, no network, nothing that the model or a tool wrote is anything but text. It can be
/// read by keyboard, in the dark, on a telephone and on paper.
///
/// ```
/// use std::sync::Arc;
///
/// use agent_core::Agent;
/// use agent_core::model::Reply;
/// use agent_core::testing::ScriptedModel;
/// use agent_telemetry::RunReport;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let report = Arc::new(RunReport::new());
/// let model = ScriptedModel::new([Reply::text("Good morning.")]);
/// let agent = Agent::builder(model).observer(report.clone()).build()?;
/// let answer = agent.run("Say hello.").id("greeting-1").await?;
/// // The record adds what the events do not have: the conversation.
/// report.record(answer.record());
/// let page = report.html();
/// assert!(page.starts_with("<!doctype html>") && page.contains("Say hello."));
/// # Ok(())
/// # }
/// ```
///
/// It is an observer of one run: of the one with the id that [`of`](Self::of) names, or else of the first that it is told
/// of. From a [`Record`] alone, as [`from_record`](Self::from_record) makes it, nobody knows which calls ran side by side:
/// they are drawn one after the other.
///
/// A report has all content of a run, unless [`redact`](Self::redact) takes some of it out.
#[derive(Default)]
pub struct RunReport {
    window: Option<u64>,
    redact: Option<Box<dyn Redact>>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    run_id: Option<String>,
    began: Option<Instant>,
    events: Vec<(Duration, Event)>,
    record: Option<Record>,
    end: Option<RunErrorKind>,
}

impl RunReport {
    /// A report of the first run that it is told of.
    pub fn new() -> Self {
        Self::default()
    }

    /// A report of the run with this id.
    pub fn of(run_id: impl Into<String>) -> Self {
        let report = Self::default();
        report.lock().run_id = Some(run_id.into());
        report
    }

    /// A report of what a record has, and of why there is no answer, where there is none.
    pub fn from_record(record: &Record, error: Option<&RunErrorKind>) -> Self {
        let report = Self::of(record.run_id.clone());
        report.record(record);
        report.lock().end = error.cloned();
        report
    }

    /// Shows how full the window was: the tokens that the model can read and write in one request.
    #[must_use]
    pub fn window(mut self, tokens: u64) -> Self {
        self.window = Some(tokens);
        self
    }

    /// Shows of messages, arguments and results only what this leaves.
    #[must_use]
    pub fn redact(mut self, redact: impl Redact + 'static) -> Self {
        self.redact = Some(Box::new(redact));
        self
    }

    /// Adds what only the record of the run has: the conversation, with the person's part of it.
    pub fn record(&self, record: &Record) {
        let mut seen = self.lock();
        if seen.run_id.as_ref().is_none_or(|run| *run == record.run_id) {
            seen.record = Some(record.clone());
        }
    }

    /// The file, of what is known by now: a run need not have ended.
    pub fn html(&self) -> String {
        let seen = self.lock();
        let story = Story::of(&seen);
        page::page(&story, self.window, self.redact.as_deref())
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for RunReport {
    fn event(&self, run_id: &str, event: &Event) {
        let mut seen = self.lock();
        if seen.run_id.get_or_insert_with(|| run_id.to_owned()) != run_id {
            return;
        }
        let now = Instant::now();
        let began = *seen.began.get_or_insert(now);
        // The whole reply has all its pieces.
        let is_piece = matches!(
            event,
            Event::TextDelta { .. }
                | Event::ReasoningDelta { .. }
                | Event::CallBuilding { .. }
                | Event::CallProgress { .. }
        );
        if !is_piece {
            seen.events.push((now.duration_since(began), event.clone()));
        }
    }
}

impl fmt::Debug for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen = self.lock();
        f.debug_struct("RunReport").field("run_id", &seen.run_id).field("events", &seen.events.len()).finish()
    }
}
