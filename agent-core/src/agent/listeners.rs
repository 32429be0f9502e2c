//! Everyone who is told what happens in one run.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Wake};

use futures_util::task::AtomicWaker;
use serde_json::Value;

use super::Observer;
use crate::guest::quiet;
use crate::model::CallId;
use crate::run::{Event, EventSink};

/// Beyond so many unread events, reports of progress are left out.
const MOST_PROGRESS: usize = 1_024;

/// Beyond so many unread events, no further piece of a reply is asked for.
const MOST_PIECES: usize = 64;

/// Events that wait to be read from a stream.
#[derive(Debug, Default)]
pub(super) struct Queue {
    unread: Mutex<Unread>,
    pub(super) reader: AtomicWaker,
    writer: AtomicWaker,
    /// Whether something that the run waits for is there.
    due: AtomicBool,
}

/// Wakes the reader, and notes that it is for the run: most often a reader only reads what is there, and a run is not
/// to be asked again for each event.
impl Wake for Queue {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.due.store(true, Ordering::Release);
        self.reader.wake();
    }
}

#[derive(Debug, Default)]
struct Unread {
    events: VecDeque<Event>,
    /// The run has ended, or nobody reads any more.
    closed: bool,
}

impl Queue {
    /// Whether the run is to be asked now. The reader is registered before, so that none of its wakes is lost.
    pub(super) fn is_due(&self) -> bool {
        self.due.swap(false, Ordering::AcqRel)
    }

    pub(super) fn pop(&self) -> Option<Event> {
        let event = self.lock().events.pop_front();
        if event.is_some() {
            self.writer.wake();
        }
        event
    }

    /// Takes no more events: what a tool that was left behind reports after the run's end is nobody's.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.writer.wake();
    }

    fn push(&self, event: Event) {
        let mut unread = self.lock();
        // Progress comes from tools at their own pace, also while nobody reads.
        let left_out = matches!(event, Event::CallProgress { .. }) && unread.events.len() >= MOST_PROGRESS;
        if unread.closed || left_out {
            return;
        }
        unread.events.push_back(event);
        drop(unread);
        self.reader.wake();
    }

    fn has_room(&self) -> bool {
        let unread = self.lock();
        unread.closed || unread.events.len() < MOST_PIECES
    }

    fn lock(&self) -> MutexGuard<'_, Unread> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The agent's observer, and the stream of this run.
#[derive(Clone)]
pub(super) struct Listeners {
    pub(super) run_id: Arc<str>,
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) queue: Option<Arc<Queue>>,
    /// Whether the run is driven still.
    driven: Arc<AtomicBool>,
}

/// A run is driven for as long as this is kept.
pub(super) struct Driven(Arc<AtomicBool>);

impl Drop for Driven {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Listeners {
    pub(super) fn new(run_id: Arc<str>, observer: Option<Arc<dyn Observer>>, queue: Option<Arc<Queue>>) -> Self {
        Self { run_id, observer, queue, driven: Arc::default() }
    }

    /// Lets tools tell their progress until the run ends, or is dropped.
    pub(super) fn driven(&self) -> Driven {
        self.driven.store(true, Ordering::Release);
        Driven(self.driven.clone())
    }

    /// What a tool reports. A call that runs on after its run's end is heard by nobody.
    pub(super) fn progress(&self, call_id: &CallId, report: Value) {
        if self.driven.load(Ordering::Acquire) {
            self.tell(Event::CallProgress { call_id: call_id.clone(), report });
        }
    }

    pub(super) fn want_deltas(&self) -> bool {
        let wanted = |observer: &Arc<dyn Observer>| quiet(|| observer.wants_deltas()).unwrap_or_default();
        self.queue.is_some() || self.observer.as_ref().is_some_and(wanted)
    }

    /// Waits until whoever reads has read most of what there is.
    pub(super) async fn room(&self) {
        let Some(queue) = &self.queue else { return };
        poll_fn(|context| {
            if queue.has_room() {
                return Poll::Ready(());
            }
            queue.writer.register(context.waker());
            // Looked at again: it may have been read in between.
            if queue.has_room() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
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

impl EventSink for &Listeners {
    fn listens(&self) -> bool {
        self.observer.is_some() || self.queue.is_some()
    }

    fn event(&mut self, event: Event) {
        self.tell(event);
    }
}
