//! Everyone who is told what happens in one run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::task::AtomicWaker;

use super::Observer;
use crate::run::{Event, EventSink};

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
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
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
        if let Some(observer) = &self.observer {
            observer.event(&self.run_id, &event);
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
