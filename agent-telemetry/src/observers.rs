//! Several observers for an agent that takes one.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use agent_core::{Event, Observer};

use crate::guest::{caught, discard};

/// Several observers as one, told in order.
///
/// A panic of one keeps no event from the others; once all are told it goes on, to whoever told this.
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
        let mut first = None;
        for observer in &self.all {
            if let Err(payload) = caught(|| observer.event(run_id, event)) {
                match first {
                    None => first = Some(payload),
                    Some(_) => discard(payload),
                }
            }
        }
        if let Some(payload) = first {
            resume_unwind(payload);
        }
    }

    fn wants_deltas(&self) -> bool {
        self.all.iter().any(|observer| {
            caught(|| observer.wants_deltas()).unwrap_or_else(|payload| {
                discard(payload);
                false
            })
        })
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observers").field("count", &self.all.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_panic_of_one_keeps_no_event_from_the_others_and_is_not_hidden() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let tells = |name: &'static str| {
            let told = told.clone();
            move |run: &str, _: &Event| told.lock().unwrap().push(format!("{name} {run}"))
        };
        let observers = Observers::new()
            .and(|_: &str, _: &Event| panic!("first"))
            .and(tells("a"))
            .and(|_: &str, _: &Event| panic!("second"))
            .and(tells("b"));
        let event = Event::TextDelta { text: String::new() };
        let payload = caught(|| observers.event("r", &event)).unwrap_err();
        assert_eq!(*told.lock().unwrap(), ["a r", "b r"]);
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"first"));
    }
}
