//! Several observers for an agent that takes one.

use std::fmt;
use std::sync::Arc;

use agent_core::{Event, Observer};

/// Several observers as one, told in order.
///
/// ```
/// use agent_core::Event;
/// use agent_telemetry::Observers;
/// let observers = Observers::new()
///     .and(|_: &str, event: &Event| drop(event.clone()))
///     .and(|run: &str, _: &Event| assert!(!run.is_empty()));
/// ```
#[derive(Clone, Default)]
pub struct Observers {
    all: Vec<Arc<dyn Observer>>,
}

impl Observers {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// And this one.
    #[must_use]
    pub fn and(mut self, observer: impl Observer + 'static) -> Self {
        self.all.push(Arc::new(observer));
        self
    }
}

impl Observer for Observers {
    fn event(&self, run_id: &str, event: &Event) {
        self.all.iter().for_each(|observer| observer.event(run_id, event));
    }

    fn wants_deltas(&self) -> bool {
        self.all.iter().any(|observer| observer.wants_deltas())
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observers").field("count", &self.all.len()).finish()
    }
}
