//! How a run ends otherwise.

use std::error::Error as StdError;
use std::fmt;

use crate::model::ModelError;
use crate::run::{Record, RunErrorKind};

/// Why a run gave no answer, with all that happened.
pub struct RunError {
    inner: Box<Inner>,
}

struct Inner {
    kind: RunErrorKind,
    record: Record,
    text: Option<String>,
    source: Option<ModelError>,
}

impl RunError {
    pub(super) fn new(kind: RunErrorKind, record: Record, text: Option<String>, source: Option<ModelError>) -> Self {
        Self { inner: Box::new(Inner { kind, record, text, source }) }
    }

    /// Why.
    pub fn kind(&self) -> &RunErrorKind {
        &self.inner.kind
    }

    /// Why, to be kept: a suspended run is in it.
    pub fn into_kind(self) -> RunErrorKind {
        self.inner.kind
    }

    /// All that happened.
    pub fn record(&self) -> &Record {
        &self.inner.record
    }

    /// The closing words of the model, where it was asked for them.
    pub fn text(&self) -> Option<&str> {
        self.inner.text.as_deref()
    }
}

impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunError")
            .field("kind", &self.inner.kind)
            .field("text", &self.inner.text)
            .field("source", &self.inner.source)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.kind {
            // The source says the rest.
            RunErrorKind::ModelFailed(_) if self.inner.source.is_some() => f.write_str("the model gave no reply"),
            kind => kind.fmt(f),
        }
    }
}

impl StdError for RunError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_ref().map(|source| source as _)
    }
}
