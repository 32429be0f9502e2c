//! A thread that keeps what is handed to it, so that a disk that stands still holds up that thread and no other.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError, mpsc as blocking};
use std::thread;
use std::time::Duration;
use std::{io, mem};

use tokio::sync::mpsc;

/// So many records may wait for the thread; further ones wait to be taken, and are not kept where nobody waits for that.
const MOST_WAITING: usize = 1_024;

/// So many records are kept at once, and share a flush.
const MOST_AT_ONCE: usize = 256;

/// Whoever drops the queue waits this long for what is being written.
const GOODBYE: Duration = Duration::from_secs(5);

pub(super) struct Queue<J> {
    jobs: Option<mpsc::Sender<J>>,
    /// Tells, by being disconnected, that the thread has let go of all that it had. Behind a lock, as it is not for sharing.
    ended: Mutex<blocking::Receiver<Infallible>>,
}

/// The thread has ended, and takes nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the thread that writes the audit file has ended")]
pub(super) struct Gone;

impl<J: Send + 'static> Queue<J> {
    /// Hands what comes to `keep`, all that waits at once.
    pub(super) fn start(keep: impl FnMut(Vec<J>) + Send + 'static) -> io::Result<Self> {
        let (sender, jobs) = mpsc::channel(MOST_WAITING);
        let (alive, ended) = blocking::channel();
        thread::Builder::new().name("agent-audit".to_owned()).spawn(move || {
            // Let go of in the order from below, also by a panic: what `keep` has, what waits, and then the sign that both
            // are gone.
            let _alive = alive;
            let mut jobs = jobs;
            let mut keep = keep;
            let mut batch = Vec::new();
            while jobs.blocking_recv_many(&mut batch, MOST_AT_ONCE) > 0 {
                keep(mem::take(&mut batch));
            }
        })?;
        Ok(Self { jobs: Some(sender), ended: Mutex::new(ended) })
    }

    /// Hands this over, once there is room for it.
    pub(super) async fn hand_over(&self, job: J) -> Result<(), Gone> {
        let jobs = self.jobs.as_ref().ok_or(Gone)?;
        jobs.send(job).await.map_err(|_| Gone)
    }
}

impl<J> Drop for Queue<J> {
    /// Waits a bounded time until all is kept, so that whoever opens the file next has it whole, and for itself.
    fn drop(&mut self) {
        self.jobs = None;
        // Disconnected, or too late; either way nothing is left to wait for.
        let _ = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner).recv_timeout(GOODBYE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn what_waits_while_one_is_kept_is_kept_at_once_and_bounded() {
        let (go, wait) = channel::<()>();
        let (tell, told) = channel();
        let queue = Queue::start(move |batch: Vec<u32>| {
            tell.send(batch.len()).unwrap();
            wait.recv().unwrap();
        })
        .unwrap();
        assert_eq!(queue.hand_over(0).now_or_never(), Some(Ok(())));
        assert_eq!(told.recv().unwrap(), 1);
        // The thread stands still, as one does whose disk does. Nobody else does.
        for job in 0..MOST_WAITING {
            assert_eq!(queue.hand_over(job as u32).now_or_never(), Some(Ok(())));
        }
        assert_eq!(queue.hand_over(0).now_or_never(), None, "there is room for one too many");
        let batches = MOST_WAITING / MOST_AT_ONCE;
        (0..=batches).for_each(|_| go.send(()).unwrap());
        assert_eq!(told.iter().take(batches).collect::<Vec<_>>(), vec![MOST_AT_ONCE; batches]);
    }

    #[test]
    fn a_thread_that_stands_still_takes_no_other_thread_of_the_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let (go, wait) = channel::<()>();
        let queue = Queue::start(move |_: Vec<u32>| assert!(wait.recv().is_err())).unwrap();
        runtime.block_on(async {
            for job in 0..10 {
                queue.hand_over(job).await.unwrap();
            }
            assert_eq!(tokio::task::spawn_blocking(|| 7).await.unwrap(), 7);
        });
        drop(go);
    }

    #[test]
    fn a_thread_that_died_fails_all_that_it_had_and_all_that_comes() {
        let queue = Queue::start(|batch: Vec<oneshot::Sender<()>>| {
            assert!(batch.is_empty(), "a panic");
        })
        .unwrap();
        let (done, waits) = oneshot::channel();
        queue.hand_over(done).now_or_never().unwrap().unwrap();
        assert!(waits.blocking_recv().is_err());
        // Only once all is let go of does it say so.
        assert!(queue.ended.lock().unwrap().recv().is_err());
        assert_eq!(queue.hand_over(oneshot::channel().0).now_or_never(), Some(Err(Gone)));
    }

    #[test]
    fn who_drops_the_queue_waits_until_all_is_kept() {
        let kept = std::sync::Arc::new(Mutex::new(Vec::new()));
        let theirs = kept.clone();
        let queue = Queue::start(move |batch: Vec<u32>| theirs.lock().unwrap().extend(batch)).unwrap();
        for job in 0..100 {
            queue.hand_over(job).now_or_never().unwrap().unwrap();
        }
        drop(queue);
        assert_eq!(*kept.lock().unwrap(), (0..100).collect::<Vec<_>>());
    }
}
