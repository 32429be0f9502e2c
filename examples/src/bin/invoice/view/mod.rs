//! What a person sees: every line comes from the run's events and its record.

mod text;

use std::error::Error;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_core::Event;
use agent_core::run::Record;
use agent_openai::OpenAi;

use self::text::Transcript;
use crate::ledger::Entry;
use crate::options::Options;

/// Writes a run to stdout while it happens.
///
/// It blocks the run for as long as stdout does, which is right for a terminal; a service hands
/// events to a channel instead.
pub(crate) struct View {
    json: bool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    transcript: Transcript,
    /// Why stdout cannot be written. A run goes on without it: what it has begun must end well.
    failed: Option<io::Error>,
}

impl View {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, inner: Mutex::default() }
    }

    /// Who asks what, and whom.
    pub(crate) fn begin(&self, model: &OpenAi, options: &Options, prompt: &str) {
        if !self.json {
            self.lock().write(&text::printable(&text::header(model, options, prompt)));
        }
    }

    /// Something happened.
    pub(crate) fn event(&self, event: &Event) {
        let mut inner = self.lock();
        let text = if self.json { json(event) } else { text::printable(&inner.transcript.event(event)) };
        inner.write(&text);
    }

    /// What is left of the run: the ledger and the sums.
    pub(crate) fn end(&self, record: &Record, ledger: Vec<Entry>) {
        let booked = text::printable(&text::ledger(&ledger));
        if self.json {
            to_stderr(&booked);
        } else {
            self.lock().write(&(booked + &text::sums(record)));
        }
    }

    /// Why not all of it was written, where it was not.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        self.lock().failed.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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

fn json(event: &Event) -> String {
    match serde_json::to_string(event) {
        Ok(line) => line + "\n",
        // Events are made of text and numbers; should one ever not be JSON, the line is.
        Err(error) => serde_json::json!({ "event": "unreadable", "error": error.to_string() }).to_string() + "\n",
    }
}

/// What went wrong, on stderr.
pub(crate) fn complain(what: &str) {
    to_stderr(&text::printable(&format!("error: {what}\n")));
}

/// An error and its causes, on stderr.
pub(crate) fn complain_of(error: &dyn Error) {
    complain(&error.to_string());
    let mut cause = error.source();
    while let Some(error) = cause {
        to_stderr(&text::printable(&format!("  caused by: {error}\n")));
        cause = error.source();
    }
}

/// What a person can do about it, on stderr.
pub(crate) fn advise(advice: &str) {
    to_stderr(&format!("  what to do: {advice}\n"));
}

fn to_stderr(text: &str) {
    // Where stderr cannot be written either, the exit code is all that is left.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
