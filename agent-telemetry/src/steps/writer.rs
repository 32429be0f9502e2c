//! A thread that writes, so that no run waits for a disk.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::guest::{caught, discard};

/// Lines that may wait to be written; further ones are left out and counted.
const MOST_WAITING: usize = 8_192;

enum Job {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    left_out: AtomicU64,
    failed: Mutex<Option<io::Error>>,
}

impl Writer {
    pub(super) fn start(out: impl Write + Send + 'static) -> Self {
        let (sender, jobs) = mpsc::sync_channel(MOST_WAITING);
        let state = Arc::new(State::default());
        let theirs = state.clone();
        let thread =
            thread::Builder::new().name("agent-steps".to_owned()).spawn(move || write(&jobs, out, &theirs)).ok();
        // Without a thread the receiver is gone, and each line is counted as left out.
        Self { jobs: Some(sender), thread, state }
    }

    pub(super) fn line(&self, line: Vec<u8>) {
        let sent = self.jobs.as_ref().map(|jobs| jobs.try_send(Job::Line(line)));
        if let Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) | None = sent {
            self.state.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn flush(&self) -> io::Result<()> {
        let (done, wait) = mpsc::sync_channel(1);
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(Job::Flush(done)).is_ok());
        let flushed = sent && wait.recv().is_ok();
        match self.state.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None if flushed => Ok(()),
            None => Err(io::Error::other("no thread writes the log of steps")),
        }
    }

    pub(super) fn left_out(&self) -> u64 {
        self.state.left_out.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer was told by its thread.
            let _ = thread.join();
        }
    }
}

fn write(jobs: &Receiver<Job>, mut out: impl Write, state: &State) {
    let keep = |error: io::Error| {
        state.left_out.fetch_add(1, Ordering::Relaxed);
        let mut failed = state.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_none() {
            tracing::error!(%error, "the log of steps cannot be written; the runs go on");
        }
        *failed = Some(error);
    };
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Line(line) => attempt(|| out.write_all(&line)).unwrap_or_else(keep),
            Job::Flush(done) => {
                attempt(|| out.flush()).unwrap_or_else(keep);
                // Whoever asked may have gone.
                let _ = done.send(());
            }
        }
    }
    attempt(|| out.flush()).unwrap_or_else(keep);
    if let Err(payload) = caught(|| drop(out)) {
        discard(payload);
    }
}

/// What the host's writer does; a panic in it is a failure, and the thread goes on.
fn attempt(write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    caught(write).unwrap_or_else(|payload| {
        discard(payload);
        Err(io::Error::other("the writer panicked"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_without_a_thread_is_an_error_each_time() {
        let (sender, jobs) = mpsc::sync_channel(1);
        drop(jobs);
        let writer = Writer { jobs: Some(sender), thread: None, state: Arc::default() };
        writer.line(Vec::new());
        assert_eq!(writer.left_out(), 1);
        assert!(writer.flush().is_err() && writer.flush().is_err());
    }
}
