//! What a person sees: every line comes from the run's events and its record.
//!
//! The answer goes to stdout, and so does the JSON where that is wanted; how it came about goes to stderr.

mod json;
mod live;
mod screen;
mod text;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use agent_core::run::Record;
use agent_core::{Event, Observation, Observer};
use agent_telemetry::RunReport;
use tokio::time::MissedTickBehavior;

use self::screen::Screen;
use self::text::Transcript;
pub use self::text::counted;
use crate::{Common, Model};

/// Shows a run while it happens.
///
/// It blocks the run for as long as the terminal does, which is right for a program with one; a service hands
/// events to a channel instead.
pub struct View {
    json: bool,
    report: Option<(PathBuf, RunReport)>,
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    transcript: Transcript,
    screen: Screen,
    /// Whether anything was told yet.
    begun: bool,
    /// Whether the run had ended before this program began: its end is all that it tells.
    stored: bool,
    /// Why stdout cannot be written. A run goes on without it: what it has begun must end well.
    failed: Option<io::Error>,
}

impl View {
    /// With `shown`, results stand as the model reads them in that form; without, as a person does.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    pub fn new(common: &Common, shown: Option<Observation>) -> Self {
        // Who reads events has their lines in JSON, and needs no others.
        Self::on(if common.json { Screen::Plain } else { Screen::of_stderr() }, common, shown)
    }

    fn on(screen: Screen, common: &Common, shown: Option<Observation>) -> Self {
        let report = common.report.clone().map(|file| (file, RunReport::new()));
        let live = screen.is_live();
        let transcript = Transcript::new(shown);
        let inner = Inner { transcript, screen, begun: false, stored: false, failed: None };
        let inner = Arc::new(Mutex::new(inner));
        if live {
            tokio::spawn(turn(Arc::downgrade(&inner)));
        }
        Self { json: common.json, report, inner }
    }

    /// What is asked, of whom, and by whom: `roles` is what the caller may do.
    pub fn begin(&self, model: &Model, prompt: &str, roles: &[&str]) {
        if !self.json {
            self.lock().screen.lines(&text::printable(&text::header(model, prompt, roles)));
        }
    }

    /// What is left of the run: the answer, where there is one, what was done, and the sums.
    pub fn end(&self, answer: Option<&str>, record: &Record, done: &str) {
        let mut inner = self.lock();
        if let Some(answer) = answer.filter(|_| !self.json) {
            inner.screen.lines("\nAnswer\n");
            inner.write(&(text::printable(answer.trim_end()) + "\n"));
        }
        inner.screen.lines(&text::printable(done));
        if !self.json {
            let sums = text::sums(record, if inner.stored { "Then" } else { "Total" });
            inner.screen.lines(&sums);
        }
    }

    /// Writes the report, where one is wanted.
    ///
    /// # Errors
    ///
    /// The file and why it cannot be written.
    pub fn write_report(&self, record: &Record) -> Result<(), String> {
        let Some((file, report)) = &self.report else { return Ok(()) };
        report.record(record);
        std::fs::write(file, report.html())
            .map_err(|error| format!("the report {} could not be written: {error}", file.display()))
    }

    /// Why not all of it was written, where it was not.
    pub fn failure(&self) -> Option<io::Error> {
        self.lock().failed.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for View {
    fn event(&self, run_id: &str, event: &Event) {
        if let Some((_, report)) = &self.report {
            report.event(run_id, event);
        }
        let mut inner = self.lock();
        let stored = !inner.begun && matches!(event, Event::RunFinished { .. });
        inner.stored |= stored;
        inner.begun = true;
        if self.json {
            return inner.write(&json::line(event));
        }
        if stored {
            inner.screen.lines(
                "\nThe run has ended before; nothing was asked and nothing done, and this is what it gave then\n",
            );
        }
        // What has ended leaves the live view before its lines stay above it.
        inner.screen.event(event);
        // A live view shows progress in the line of the call.
        if !(inner.screen.is_live() && matches!(event, Event::CallProgress { .. })) {
            let text = text::printable(&inner.transcript.event(event));
            inner.screen.lines(&text);
        }
    }

    /// A live view shows text while it is written.
    fn wants_deltas(&self) -> bool {
        self.lock().screen.is_live()
    }
}

/// Lets a live view go on while nothing happens, for as long as there is one.
async fn turn(inner: Weak<Mutex<Inner>>) {
    let mut turns = tokio::time::interval(live::TURN);
    turns.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        turns.tick().await;
        let Some(inner) = inner.upgrade() else { return };
        lock(&inner).screen.tick();
    }
}

impl Inner {
    fn write(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let mut out = io::stdout().lock();
        self.failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
    }
}

/// What went wrong, on stderr.
pub fn complain(what: &str) {
    to_stderr(&text::printable(&format!("error: {what}\n")));
}

/// What a person should know meanwhile, on stderr.
pub fn note(what: &str) {
    to_stderr(&format!("note: {what}\n"));
}

/// An error and its causes, on stderr.
pub fn complain_of(error: &dyn Error) {
    complain(&error.to_string());
    let mut cause = error.source();
    while let Some(error) = cause {
        to_stderr(&text::printable(&format!("  caused by: {error}\n")));
        cause = error.source();
    }
}

/// What a person can do about it, on stderr.
pub fn advise(advice: &str) {
    to_stderr(&format!("  what to do: {advice}\n"));
}

fn to_stderr(text: &str) {
    // Where stderr cannot be written either, the exit code is all that is left.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
