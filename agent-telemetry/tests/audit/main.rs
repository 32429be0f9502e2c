//! The audit file: what it keeps, and that no change of it goes unseen.

#![cfg(feature = "audit")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod file;
mod program;
mod tampering;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_core::audit::{AuditCall, AuditEvent, AuditRecord, AuditSink};
use agent_core::model::CallId;
use agent_telemetry::{DigestKey, FileAudit, Flush, Head, Tampering, Verify, verify};
use tempfile::TempDir;

fn key() -> DigestKey {
    DigestKey::new(b"a secret key of the tests").unwrap()
}

fn record(run: &str, event: AuditEvent) -> AuditRecord {
    let call = AuditCall::new(CallId::new("call_1"), "transfer", true, r#"{"amount":100}"#);
    AuditRecord::new("tenant_1", "usr_1", run, event).about(call)
}

/// Ten records of ten runs, alike but for the run.
async fn ten(path: &Path, rotate_at: Option<u64>) -> Head {
    ten_of("run", path, rotate_at).await
}

async fn ten_of(runs: &str, path: &Path, rotate_at: Option<u64>) -> Head {
    let mut builder = FileAudit::builder(key()).flush(Flush::Never);
    if let Some(bytes) = rotate_at {
        builder = builder.rotate_at(bytes);
    }
    let audit = builder.open(path).unwrap();
    for run in 0..10 {
        audit.record(record(&format!("{runs}-{run}"), AuditEvent::Claimed)).await.unwrap();
    }
    audit.head()
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

/// All files of the chain, the oldest first.
fn files(folder: &TempDir) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files
}

/// Waits without a runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker: std::task::Waker = Arc::new(Unpark(std::thread::current())).into();
    let (mut future, mut context) = (Box::pin(future), std::task::Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

struct Chain {
    _folder: TempDir,
    path: PathBuf,
    head: Head,
}

impl Chain {
    async fn new() -> Self {
        Self::of("run").await
    }

    async fn of(runs: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let head = ten_of(runs, &path, None).await;
        Self { _folder: folder, path, head }
    }

    /// What is found after this was done to the lines, with the head that was kept elsewhere and without it.
    fn after(&self, tamper: impl FnOnce(&mut Vec<String>)) -> (Vec<Tampering>, Vec<Tampering>) {
        let mut all = lines(&self.path);
        tamper(&mut all);
        write(&self.path, &all);
        self.found()
    }

    fn found(&self) -> (Vec<Tampering>, Vec<Tampering>) {
        let problems = |against: &Verify| verify([&self.path], against).unwrap().problems;
        (problems(&Verify::new().head(&self.head.digest)), problems(&Verify::new()))
    }
}
