//! The file that is written.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use agent_core::audit::{AuditError, AuditEvent, AuditRecord, AuditSink};
use agent_core::telemetry::SharedRedact;
use async_trait::async_trait;
use tokio::sync::oneshot;

use super::chain::{Head, Unlinked};
use super::open::FileAuditBuilder;
use super::queue::{Gone, Queue};
use super::writer::{Job, Shown};
use crate::key::DigestKey;

/// When records are forced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Flush {
    /// Before each is taken; those that come at the same time share one flush.
    #[default]
    Each,
    /// Before each that a mutating call waits for, with all before it. A power cut may take the last of the others.
    BeforeEffects,
    /// When the system sees fit. A process that dies loses nothing; a power cut takes the last seconds.
    Never,
}

impl Flush {
    fn wanted(self, event: &AuditEvent) -> bool {
        match self {
            Self::Each => true,
            Self::BeforeEffects => matches!(event, AuditEvent::Claimed),
            Self::Never => false,
        }
    }
}

/// An audit in a file of JSON lines, each with the digest of the one before.
///
/// One line is one record: `seq` from 1, `prev` the SHA-256 of the line before, the moment, who, in which run, which
/// call, and what. A line that is changed, moved, added or taken out in the middle no longer fits its neighbours. Whoever
/// can write the file can also cut its end, or write it anew from some line on: keep its [`head`](Self::head) elsewhere from
/// time to time, and [`verify`](crate::verify) or `agent-audit verify --head` shows that too, up to the record of that head.
///
/// ```
/// use agent_core::audit::{AuditEvent, AuditRecord, AuditSink};
/// use agent_telemetry::{DigestKey, FileAudit, Flush, Verify, verify};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("audit.jsonl");
/// let key = DigestKey::new(b"thirty-two bytes from a key vault")?;
/// let audit = FileAudit::builder(key).flush(Flush::BeforeEffects).rotate_at(64 << 20).open(&path)?;
/// let event = AuditEvent::RunStarted { resumed: false };
/// audit.record(AuditRecord::new("tenant_1", "usr_1", "order-4711", event)).await?;
///
/// let kept_elsewhere = audit.head().digest;
/// let verified = verify([&path], &Verify::new().head(&kept_elsewhere))?;
/// assert!(verified.problems.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// Arguments are in a record as their length and a digest under the secret key, unless
/// [`keep_arguments`](FileAuditBuilder::keep_arguments) gives them a text.
///
/// A thread of its own writes the file. Records that wait for it share a flush; where it stands still, since its disk does,
/// some thousand records wait, and further ones wait to be taken: no run waits longer than for any sink. Dropping the last
/// handle waits until all is written, at most some seconds.
///
/// Only one process writes a file: a second one that opens it is refused. Clones are handles on the same file. A record
/// that could not be written whole is taken back, and one that cannot be taken back, or may have been lost by a failing
/// disk, ends the file: every later record fails. So does a file that somebody else moved, deleted or wrote to, which is
/// looked for at each record and each flush: let [`rotate_at`](FileAuditBuilder::rotate_at) put files aside, and no other
/// program. To go on, open it anew.
#[derive(Clone)]
pub struct FileAudit {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) path: PathBuf,
    pub(super) key: DigestKey,
    pub(super) redact: Option<SharedRedact>,
    pub(super) flush: Flush,
    pub(super) shown: Shown,
    pub(super) queue: Queue<Job>,
}

impl FileAudit {
    /// Begins a file's settings; arguments are digested under this key.
    pub fn builder(key: DigestKey) -> FileAuditBuilder {
        FileAuditBuilder::new(key)
    }

    pub(super) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// The last record that is kept. Kept elsewhere, it shows later whether what is before it was changed or cut, or the file
    /// written anew; of what comes after it, it shows nothing. With [`Flush::Each`] it is on the disk.
    pub fn head(&self) -> Head {
        self.inner.shown.get()
    }
}

#[async_trait]
impl AuditSink for FileAudit {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        let Inner { key, redact, flush, queue, .. } = &*self.inner;
        let line = Unlinked::new(&record, key, redact.as_deref()).map_err(AuditError::new)?;
        let (done, kept) = oneshot::channel();
        // Once handed over it is kept, also when nobody waits any more.
        queue.hand_over(Job { line, flush: flush.wanted(&record.event), done }).await.map_err(AuditError::new)?;
        kept.await.map_err(|_| AuditError::new(Gone))?.map_err(AuditError::new)
    }
}

impl fmt::Debug for FileAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { path, shown, .. } = &*self.inner;
        f.debug_struct("FileAudit").field("path", path).field("head", &shown.get()).finish_non_exhaustive()
    }
}
