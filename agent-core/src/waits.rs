//! Waits that cost something only once there is something to wait for.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinHandle, unconstrained, yield_now};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::guest::Theirs;

/// What a future gives, unless an end comes before. What is there counts, even at the last moment; the end is made, and
/// looked at, only where it is not there at once.
pub(crate) async fn unless<T, E, W: Future<Output = E>>(
    what: impl Future<Output = T>,
    end: impl FnOnce() -> W,
) -> Result<T, E> {
    let mut what = pin!(what);
    let mut end = Some(end);
    let mut ending = None;
    poll_fn(move |context| {
        if let Poll::Ready(done) = what.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        // Boxed: most waits never need it, and it would stand in the future of each.
        ending = ending.take().or_else(|| end.take().map(|end| Box::pin(end())));
        match &mut ending {
            Some(ending) => ending.as_mut().poll(context).map(Err),
            None => Poll::Pending,
        }
    })
    .await
}

/// What a future gives until then.
pub(crate) async fn in_time<T>(until: Instant, what: impl Future<Output = T>) -> Option<T> {
    unless(what, || unconstrained(sleep_until(until))).await.ok()
}

/// Why a wait ended before what was waited for.
pub(crate) enum Stop {
    Late,
    Cancelled,
}

/// Ends at this time, or when this is cancelled.
pub(crate) async fn stop(until: Instant, cancel: &CancellationToken) -> Stop {
    tokio::select! {
        biased;
        // Unconstrained: work that has used up what a task may do at once does not keep the time from being looked at.
        () = unconstrained(sleep_until(until)) => Stop::Late,
        () = cancel.cancelled() => Stop::Cancelled,
    }
}

/// Work of which nothing but its end is known.
type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Work that has begun.
pub(crate) enum Begun<T> {
    /// It has ended; nothing where it panicked.
    Ended(Option<T>),
    /// It goes on, on a task of its own.
    GoesOn(JoinHandle<T>),
}

/// Begins work that no other may hold up and that holds up no other.
///
/// It gets a task of its own from the start, unless its runtime has but one thread: there a call that holds the thread
/// holds up everything, on whatever task it is, so that work begins where it is asked for, and only what does not end at
/// once gets a task.
pub(crate) async fn begin<T: Send + 'static>(work: Work<T>) -> Begun<T> {
    if !has_one_thread() {
        return Begun::GoesOn(tokio::spawn(work.in_current_span()));
    }
    here(work, |work| tokio::spawn(work.in_current_span())).await
}

/// Begins work where it is asked for; what does not end at once goes on as it is told.
pub(crate) async fn here<T: Into<U>, U>(work: Work<T>, go_on: impl FnOnce(Work<T>) -> JoinHandle<U>) -> Begun<U> {
    let mut work = Theirs::new(work);
    match work.poll_once().await {
        Some(Poll::Ready(done)) => Begun::Ended(Some(done.into())),
        Some(Poll::Pending) => match work.into_inner() {
            Some(work) => Begun::GoesOn(go_on(work)),
            None => Begun::Ended(None),
        },
        None => Begun::Ended(None),
    }
}

/// Lets others run where work that ended at once has held the thread for long.
pub(crate) async fn let_others_run(began: Instant, ended: Instant) {
    const LONG: Duration = Duration::from_micros(100);
    if ended.saturating_duration_since(began) > LONG {
        yield_now().await;
    }
}

/// Whether the runtime has but one thread, and this is a task of it. Outside of a task the thread may be another one, of
/// whoever blocks on the future.
pub(crate) fn has_one_thread() -> bool {
    let flavor = || Handle::try_current().map(|runtime| runtime.runtime_flavor());
    tokio::task::try_id().is_some() && flavor().is_ok_and(|flavor| flavor == RuntimeFlavor::CurrentThread)
}
