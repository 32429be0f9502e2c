//! A thread that writes, so that no run waits for a disk.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

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
    failed: Mutex<Option<std::io::Error>>,
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

    pub(super) fn flush(&self) -> std::io::Result<()> {
        let (done, wait) = mpsc::sync_channel(1);
        if let Some(jobs) = &self.jobs
            && jobs.send(Job::Flush(done)).is_ok()
        {
            // An error means that the thread has ended, and has said why.
            let _ = wait.recv();
        }
        self.state.failed.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
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
    let failed = |error: std::io::Error| {
        state.left_out.fetch_add(1, Ordering::Relaxed);
        let mut failed = state.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_none() {
            tracing::error!(%error, "the log of steps cannot be written; the runs go on");
        }
        *failed = Some(error);
    };
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Line(line) => out.write_all(&line).unwrap_or_else(failed),
            Job::Flush(done) => {
                out.flush().unwrap_or_else(failed);
                // Whoever asked may have gone.
                let _ = done.send(());
            }
        }
    }
    out.flush().unwrap_or_else(failed);
}
