//! The file that is written.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_core::audit::{AuditError, AuditEvent, AuditRecord, AuditSink};
use agent_core::telemetry::SharedRedact;
use async_trait::async_trait;

use super::chain::{self, Head};
use super::open::{FileAuditBuilder, rotated, sync_folder};
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
/// can write the file can also cut its end or write all of it anew: keep its [`head`](Self::head) elsewhere from time to
/// time, and [`verify`](crate::verify) or `agent-audit verify --head` shows that too.
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
/// Only one process writes a file: a second one that opens it is refused. Clones are handles on the same file. A record
/// that could not be written whole is taken back, and one that cannot be taken back, or may have been lost by a failing
/// disk, ends the file: every later record fails.
#[derive(Clone)]
pub struct FileAudit {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) key: DigestKey,
    pub(super) redact: Option<SharedRedact>,
    pub(super) flush: Flush,
    pub(super) rotate_at: Option<u64>,
    pub(super) writer: Mutex<Writer>,
    /// The last record that is on the disk. Taken before the writer, so that a flush does not hold up writing.
    pub(super) flushed: Mutex<u64>,
}

pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) file: Arc<File>,
    pub(super) bytes: u64,
    /// The number of the file's first record, once it has one.
    pub(super) first: Option<u64>,
    pub(super) head: Head,
    pub(super) broken: Option<String>,
    /// Held for as long as the file is ours.
    pub(super) _lock: File,
}

impl FileAudit {
    /// Begins a file's settings; arguments are digested under this key.
    pub fn builder(key: DigestKey) -> FileAuditBuilder {
        FileAuditBuilder::new(key)
    }

    pub(super) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// The last record. Kept elsewhere, it shows later whether the end was cut or the file written anew.
    pub fn head(&self) -> Head {
        self.inner.writer().head.clone()
    }
}

#[async_trait]
impl AuditSink for FileAudit {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        let inner = self.inner.clone();
        // Off the run's thread. Once begun it goes on to its end, also when nobody waits any more.
        match tokio::task::spawn_blocking(move || inner.keep(&record)).await {
            Ok(kept) => kept.map_err(AuditError::new),
            Err(lost) => Err(AuditError::new(lost)),
        }
    }
}

impl Inner {
    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A panic under the lock is one of `Redact`, before anything is changed.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, record: &AuditRecord) -> io::Result<()> {
        let seq = {
            let mut writer = self.writer();
            writer.is_whole()?;
            let line = |head: &Head| chain::line(head, record, &self.key, self.redact.as_deref());
            let mut bytes = line(&writer.head)?;
            let is_full = |limit: u64| writer.bytes > 0 && writer.bytes.saturating_add(bytes.len() as u64) > limit;
            if self.rotate_at.is_some_and(is_full) {
                writer.rotate()?;
                bytes = line(&writer.head)?;
            }
            writer.append(&bytes)?
        };
        if self.flush.wanted(&record.event) { self.flush_to(seq) } else { Ok(()) }
    }

    /// Waits until this record is on the disk. Whoever comes while another flushes finds it done, or flushes for all
    /// that came meanwhile.
    fn flush_to(&self, seq: u64) -> io::Result<()> {
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if *flushed >= seq {
            return Ok(());
        }
        let (file, last) = {
            let writer = self.writer();
            writer.is_whole()?;
            (writer.file.clone(), writer.head.seq)
        };
        if let Err(error) = file.sync_data() {
            // The system may have dropped what it could not write, and would report success the next time.
            self.writer().broken = Some(format!("a flush failed: {error}"));
            return Err(error);
        }
        // Earlier files were flushed when they were put aside.
        *flushed = last;
        Ok(())
    }
}

impl Writer {
    fn is_whole(&self) -> io::Result<()> {
        match &self.broken {
            Some(why) => Err(io::Error::other(format!("the audit file takes no more records: {why}"))),
            None => Ok(()),
        }
    }

    /// Writes a line whole or not at all, and gives its number.
    fn append(&mut self, line: &[u8]) -> io::Result<u64> {
        let there = self.file.metadata()?.len();
        if there != self.bytes {
            let why = format!("it has {there} bytes where {} were written; somebody else writes to it", self.bytes);
            self.broken = Some(why.clone());
            return Err(io::Error::other(why));
        }
        if let Err(error) = (&*self.file).write_all(line) {
            if let Err(stuck) = self.file.set_len(self.bytes) {
                self.broken = Some(format!("half a record could not be taken back: {stuck}"));
            }
            return Err(error);
        }
        self.bytes += line.len() as u64;
        self.head = Head::of(self.head.seq + 1, line.strip_suffix(b"\n").unwrap_or(line));
        self.first.get_or_insert(self.head.seq);
        Ok(self.head.seq)
    }

    /// Puts the file aside under the number of its first record, and begins another that goes on from it.
    fn rotate(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.sync_all() {
            // As with every flush that failed: another would report success for what is gone.
            self.broken = Some(format!("a flush failed: {error}"));
            return Err(error);
        }
        // A file that has bytes has a first record.
        let aside = rotated(&self.path, self.first.unwrap_or(self.head.seq));
        if aside.exists() {
            return Err(io::Error::other(format!("{} is there already", aside.display())));
        }
        fs::rename(&self.path, &aside)?;
        match File::options().create_new(true).append(true).open(&self.path) {
            Ok(file) => {
                self.file = Arc::new(file);
                self.bytes = 0;
                self.first = None;
                sync_folder(&self.path)
            }
            Err(error) => {
                // Back to where it was; the next record tries again.
                if let Err(stuck) = fs::rename(&aside, &self.path) {
                    self.broken =
                        Some(format!("a new file could not be begun: {error}; nor the old one kept: {stuck}"));
                }
                Err(error)
            }
        }
    }
}

impl fmt::Debug for FileAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writer = self.inner.writer();
        f.debug_struct("FileAudit").field("path", &writer.path).field("head", &writer.head).finish_non_exhaustive()
    }
}
