//! What is left of a tool's function once everything of the tool's own is gone.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::value::RawValue;
use tokio::task::{JoinError, consume_budget};
use tracing::Instrument;

use crate::guest::{Theirs, discard, quiet};
use crate::tool::{Asked, BusinessError, CallContext, Outcome, Prepared, Running};
use crate::waits::{Begun, has_one_thread, here};

/// How a tool's function ended. It holds nothing whose code is the tool's, so that whoever has it may show it and let go
/// of it.
pub(super) enum Ran {
    Value(Box<RawValue>),
    Unreadable(String),
    Business(BusinessError),
    Fatal(Fault),
    Panicked,
    /// Its task was ended from outside.
    Lost,
}

/// A fault, as the log has it.
pub(super) struct Fault {
    pub(super) why: String,
    pub(super) not_done: bool,
    pub(super) transient: bool,
}

impl Ran {
    /// Begins a tool's function, as [`begin`](crate::waits::begin) begins work; where it may not begin where it is asked for,
    /// on a task in any case.
    pub(super) async fn begin<S: Send + Sync + 'static>(
        prepared: Theirs<Prepared<S>>,
        state: Arc<S>,
        context: CallContext,
        may_be_here: bool,
    ) -> Begun<Self> {
        let is_here = may_be_here && has_one_thread();
        if is_here {
            // It counts among what a task may do before others run, as what waits for a channel does.
            consume_budget().await;
        }
        let Some(prepared) = prepared.into_inner() else { return Begun::Ended(None) };
        if !is_here {
            return Begun::GoesOn(tokio::spawn(Self::of(move || prepared(state, context)).in_current_span()));
        }
        let Some(running) = quiet(|| prepared(state, context)) else { return Begun::Ended(None) };
        here(running, |running| tokio::spawn(Self::of(|| running).in_current_span())).await
    }

    /// Runs a tool's function. To be awaited on a task of its own: a function that blocks, or a drop in the middle, concerns
    /// that task alone.
    pub(super) async fn of(run: impl FnOnce() -> Running) -> Self {
        match AssertUnwindSafe(async { run().await }).catch_unwind().await {
            Ok(outcome) => outcome.into(),
            Err(payload) => {
                discard(payload);
                Self::Panicked
            }
        }
    }

    /// Asks a tool whether a call has happened; none where it has not.
    pub(super) async fn asked(ask: impl FnOnce() -> Asked) -> Option<Self> {
        match AssertUnwindSafe(async { ask().await }).catch_unwind().await {
            Ok(outcome) => outcome.map(Self::from),
            Err(payload) => {
                discard(payload);
                Some(Self::Panicked)
            }
        }
    }

    /// The same of a task that may not have ended by itself.
    pub(super) fn joined(joined: Result<Self, JoinError>) -> Self {
        match joined.map_err(JoinError::try_into_panic) {
            Ok(ran) => ran,
            Err(Ok(payload)) => {
                discard(payload);
                Self::Panicked
            }
            Err(Err(_)) => Self::Lost,
        }
    }

    /// Whether trying again may help.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Fatal(fault) if fault.transient)
    }

    /// Whether it promises that nothing has happened.
    pub(super) fn vouches(&self) -> bool {
        match self {
            Self::Business(_) => true,
            Self::Fatal(fault) => fault.not_done,
            _ => false,
        }
    }
}

impl From<Outcome> for Ran {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Value(data) => Self::Value(data),
            Outcome::Unreadable(error) => Self::Unreadable(error.to_string()),
            Outcome::Failed(error) => match error.into_parts() {
                Ok(business) => Self::Business(business),
                Err(fatal) => {
                    let why = quiet(|| fatal.source.to_string()).unwrap_or_else(|| "showing its error panicked".into());
                    let (not_done, transient) = (fatal.not_done, fatal.transient);
                    quiet(|| drop(fatal));
                    Self::Fatal(Fault { why, not_done, transient })
                }
            },
        }
    }
}
