//! What a person sees: every line comes from the run's events and its record.

mod json;
mod text;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_core::run::Record;
use agent_core::{Event, Observation, Observer};
use agent_telemetry::RunReport;

use self::text::Transcript;
pub use self::text::counted;
use crate::{Common, Model};

/// Writes a run to stdout while it happens.
///
/// It blocks the run for as long as stdout does, which is right for a terminal; a service hands
/// events to a channel instead.
pub struct View {
    json: bool,
    report: Option<(PathBuf, RunReport)>,
    inner: Mutex<Inner>,
}

struct Inner {
    transcript: Transcript,
    /// Whether anything was told yet.
    begun: bool,
    /// Whether the run had ended before this program began: its end is all that it tells.
    stored: bool,
    /// Why stdout cannot be written. A run goes on without it: what it has begun must end well.
    failed: Option<io::Error>,
}

impl View {
    /// With `shown`, results stand as the model reads them in that form; without, as a person does.
    pub fn new(common: &Common, shown: Option<Observation>) -> Self {
        let report = common.report.clone().map(|file| (file, RunReport::new()));
        let inner = Inner { transcript: Transcript::new(shown), begun: false, stored: false, failed: None };
        Self { json: common.json, report, inner: Mutex::new(inner) }
    }

    /// What is asked, of whom, and by whom: `roles` is what the caller may do.
    pub fn begin(&self, model: &Model, prompt: &str, roles: &[&str]) {
        if !self.json {
            self.lock().write(&text::printable(&text::header(model, prompt, roles)));
        }
    }

    /// What is left of the run: what was done, and the sums.
    pub fn end(&self, record: &Record, done: &str) {
        let done = text::printable(done);
        if self.json {
            to_stderr(&done);
        } else {
            let mut inner = self.lock();
            let sums = text::sums(record, if inner.stored { "Then" } else { "Total" });
            inner.write(&(done + &sums));
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
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for View {
    fn event(&self, run_id: &str, event: &Event) {
        if let Some((_, report)) = &self.report {
            report.event(run_id, event);
        }
        let mut inner = self.lock();
        if !inner.begun && matches!(event, Event::RunFinished { .. }) {
            inner.stored = true;
            if !self.json {
                inner.write(
                    "\nThe run has ended before; nothing was asked and nothing done, and this is what it gave then\n",
                );
            }
        }
        inner.begun = true;
        let text = if self.json { json::line(event) } else { text::printable(&inner.transcript.event(event)) };
        inner.write(&text);
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
