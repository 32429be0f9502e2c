//! A run as a stream of what happens in it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

use super::listeners::Queue;
use super::{Answer, RunError};
use crate::run::Event;

/// One item of [`RunEvents`].
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<T = ()> {
    /// Something happened.
    Event(Event),
    /// The run ended. It is the last item.
    Finished(Result<Answer<T>, RunError>),
}

/// A run that goes on while its events are read, a few events ahead of the reader. Dropping it cancels the run: reads are ended, a
/// mutating call that has started goes on and settles.
#[must_use = "a run goes on only while its events are read"]
pub struct RunEvents<T> {
    run: Option<Running<T>>,
    queue: Reader,
    /// Wakes the run, by way of the queue.
    waker: Waker,
    end: Option<Result<Answer<T>, RunError>>,
    finished: bool,
    /// Events given since others could last run.
    at_once: u32,
}

/// So many events are given before others may run.
const EVENTS_AT_ONCE: u32 = 64;

/// The reading end of a queue. Without it nobody would empty the queue.
struct Reader(Arc<Queue>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.close();
    }
}

type Running<T> = Pin<Box<dyn Future<Output = Result<Answer<T>, RunError>> + Send>>;

impl<T> RunEvents<T> {
    pub(super) fn new(run: Running<T>, queue: Arc<Queue>) -> Self {
        let waker = Waker::from(queue.clone());
        // Nothing else would begin it.
        waker.wake_by_ref();
        Self { run: Some(run), queue: Reader(queue), waker, end: None, finished: false, at_once: 0 }
    }
}

impl<T: Unpin> Stream for RunEvents<T> {
    type Item = RunEvent<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.finished {
            return Poll::Ready(None);
        }
        // However much there is to read, the task that reads lets others run.
        if this.at_once >= EVENTS_AT_ONCE {
            this.at_once = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        this.at_once += 1;
        let Reader(queue) = &this.queue;
        // Tools report progress from tasks of their own.
        queue.reader.register(context.waker());
        // First the run: its deadline does not wait until everything is read.
        if let Some(run) = &mut this.run
            && queue.is_due()
            && let Poll::Ready(end) = run.as_mut().poll(&mut Context::from_waker(&this.waker))
        {
            queue.close();
            this.run = None;
            this.end = Some(end);
        }
        if let Some(event) = queue.pop() {
            return Poll::Ready(Some(RunEvent::Event(event)));
        }
        match this.end.take() {
            Some(end) => {
                this.finished = true;
                Poll::Ready(Some(RunEvent::Finished(end)))
            }
            None => Poll::Pending,
        }
    }
}

impl<T> fmt::Debug for RunEvents<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunEvents").field("running", &self.run.is_some()).finish_non_exhaustive()
    }
}
