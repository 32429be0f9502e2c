//! Who is told what happens in runs.

use crate::run::{Event, EventSink};

/// Is told what happens in every run of an agent, while it happens.
///
/// It is called on the run's own task: it must not block. A panic in it ends the run.
pub trait Observer: Send + Sync {
    /// Something happened in the run with this id.
    fn event(&self, run_id: &str, event: &Event<'_>);
}

impl<F: Fn(&str, &Event<'_>) + Send + Sync> Observer for F {
    fn event(&self, run_id: &str, event: &Event<'_>) {
        self(run_id, event);
    }
}

/// The events of one run, for the agent's observer if it has one.
pub(super) struct Observed<'a> {
    pub(super) run_id: &'a str,
    pub(super) observer: Option<&'a dyn Observer>,
}

impl EventSink for Observed<'_> {
    fn listens(&self) -> bool {
        self.observer.is_some()
    }

    fn event(&mut self, event: &Event<'_>) {
        if let Some(observer) = self.observer {
            observer.event(self.run_id, event);
        }
    }
}
