//! Everyone who is told what happens in one run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::task::AtomicWaker;

use super::Observer;
use crate::dispatch::quiet;
use crate::run::{Event, EventSink};

/// Beyond so many unread events, reports of progress are left out.
const MOST_PROGRESS: usize = 1_024;

/// Events that wait to be read from a stream.
#[derive(Debug, Default)]
pub(super) struct Queue {
    events: Mutex<VecDeque<Event>>,
    pub(super) reader: AtomicWaker,
}

impl Queue {
    pub(super) fn pop(&self) -> Option<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn push(&self, event: Event) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        // Progress comes from tools at their own pace, also while nobody reads.
        if matches!(event, Event::CallProgress { .. }) && events.len() >= MOST_PROGRESS {
            return;
        }
        events.push_back(event);
        drop(events);
        self.reader.wake();
    }
}

/// The agent's observer, and the stream of this run.
#[derive(Clone)]
pub(super) struct Listeners {
    pub(super) run_id: Arc<str>,
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) queue: Option<Arc<Queue>>,
}

impl Listeners {
    pub(super) fn want_deltas(&self) -> bool {
        self.queue.is_some() || self.observer.as_ref().is_some_and(|observer| observer.wants_deltas())
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(observer) = &self.observer
            && quiet(|| observer.event(&self.run_id, &event)).is_none()
        {
            tracing::error!(run = &*self.run_id, "an observer panicked; the run goes on");
        }
        if let Some(queue) = &self.queue {
            queue.push(event);
        }
    }
}

impl EventSink for Listeners {
    fn listens(&self) -> bool {
        self.observer.is_some() || self.queue.is_some()
    }

    fn event(&mut self, event: Event) {
        self.tell(event);
    }
}
