//! A run as a stream of what happens in it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

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

/// A run that goes on as far as its events are read. Dropping it cancels the run: reads are ended, a
/// mutating call that has started goes on and settles.
#[must_use = "a run goes on only while its events are read"]
pub struct RunEvents<T> {
    run: Option<Running<T>>,
    queue: Arc<Queue>,
    end: Option<Result<Answer<T>, RunError>>,
    finished: bool,
}

type Running<T> = Pin<Box<dyn Future<Output = Result<Answer<T>, RunError>> + Send>>;

impl<T> RunEvents<T> {
    pub(super) fn new(run: Running<T>, queue: Arc<Queue>) -> Self {
        Self { run: Some(run), queue, end: None, finished: false }
    }
}

impl<T: Unpin> Stream for RunEvents<T> {
    type Item = RunEvent<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.finished {
            return Poll::Ready(None);
        }
        // Tools report progress from tasks of their own.
        this.queue.reader.register(context.waker());
        if let Some(event) = this.queue.pop() {
            return Poll::Ready(Some(RunEvent::Event(event)));
        }
        if let Some(run) = &mut this.run
            && let Poll::Ready(end) = run.as_mut().poll(context)
        {
            this.run = None;
            this.end = Some(end);
        }
        if let Some(event) = this.queue.pop() {
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
