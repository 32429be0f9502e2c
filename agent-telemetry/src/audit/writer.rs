//! What the audit's thread does with its file.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::chain::{Head, Unlinked};
use super::open::rotated;

/// A record that waits to be kept.
pub(super) struct Job {
    pub(super) line: Unlinked,
    /// Whether it is kept only once it is on the disk.
    pub(super) flush: bool,
    pub(super) done: oneshot::Sender<io::Result<()>>,
}

/// The last record that is kept, for whoever asks.
#[derive(Clone)]
pub(super) struct Shown(Arc<Mutex<Head>>);

impl Shown {
    pub(super) fn new(head: Head) -> Self {
        Self(Arc::new(Mutex::new(head)))
    }

    pub(super) fn get(&self) -> Head {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, head: &Head) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(head);
    }
}

pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) bytes: u64,
    pub(super) rotate_at: Option<u64>,
    /// The number of the file's first record, once it has one.
    pub(super) first: Option<u64>,
    pub(super) head: Head,
    pub(super) shown: Shown,
    pub(super) broken: Option<String>,
    /// Forces the names of a folder to the disk.
    pub(super) sync_folder: fn(&Path) -> io::Result<()>,
    /// Held for as long as the file is ours.
    pub(super) _lock: File,
}

impl Writer {
    /// Keeps these records, with one flush for all of them, and says of each whether it is kept.
    pub(super) fn keep(&mut self, batch: Vec<Job>) {
        let mut unflushed = Vec::new();
        for Job { line, flush, done } in batch {
            let added = self.add(&line);
            if flush && added.is_ok() {
                unflushed.push(done);
                continue;
            }
            if added.is_ok() {
                self.shown.set(&self.head);
            }
            // Whoever asked may have gone.
            let _ = done.send(added);
        }
        if unflushed.is_empty() {
            return;
        }
        let flushed = self.flush();
        if flushed.is_ok() {
            self.shown.set(&self.head);
        }
        for done in unflushed {
            let _ =
                done.send(flushed.as_ref().map(drop).map_err(|error| io::Error::new(error.kind(), error.to_string())));
        }
    }

    fn add(&mut self, record: &Unlinked) -> io::Result<()> {
        self.is_whole()?;
        let line = record.after(&self.head);
        let is_full = |limit: u64| self.bytes > 0 && self.bytes.saturating_add(line.len() as u64) > limit;
        if self.rotate_at.is_some_and(is_full) {
            self.rotate()?;
        }
        self.append(&line)
    }

    /// Forces all that was written to the disk.
    fn flush(&mut self) -> io::Result<()> {
        self.is_whole()?;
        if let Err(error) = self.file.sync_data() {
            // The system may have dropped what it could not write, and would report success the next time.
            return Err(self.breaks(format!("a flush failed: {error}")));
        }
        // What is on the disk under no name is lost.
        self.is_in_its_place()
    }

    fn is_whole(&self) -> io::Result<()> {
        match &self.broken {
            Some(why) => Err(io::Error::other(format!("the audit file takes no more records: {why}"))),
            None => Ok(()),
        }
    }

    /// Takes no more records, for this reason.
    fn breaks(&mut self, why: String) -> io::Error {
        self.broken = Some(why.clone());
        io::Error::other(why)
    }

    /// Whether the file is where it was opened, with what was written and nothing else.
    fn is_in_its_place(&mut self) -> io::Result<()> {
        let ours = self.file.metadata()?;
        let there = match fs::metadata(&self.path) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if !there.is_some_and(|there| is_same(&ours, &there)) {
            let path = self.path.display();
            return Err(
                self.breaks(format!("{path} is not the file that was opened; somebody else moved or deleted it"))
            );
        }
        if ours.len() != self.bytes {
            let (there, bytes) = (ours.len(), self.bytes);
            let why = format!("it has {there} bytes where {bytes} were written; somebody else writes to it");
            return Err(self.breaks(why));
        }
        Ok(())
    }

    /// Writes a line whole or not at all.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.is_in_its_place()?;
        if let Err(error) = self.file.write_all(line) {
            if let Err(stuck) = self.file.set_len(self.bytes) {
                self.breaks(format!("half a record could not be taken back: {stuck}"));
            }
            return Err(error);
        }
        self.bytes += line.len() as u64;
        self.head = Head::of(self.head.seq + 1, line.strip_suffix(b"\n").unwrap_or(line));
        self.first.get_or_insert(self.head.seq);
        Ok(())
    }

    /// Puts the file aside under the number of its first record, and begins another that goes on from it.
    fn rotate(&mut self) -> io::Result<()> {
        self.is_in_its_place()?;
        if let Err(error) = self.file.sync_all() {
            // As with every flush that failed: another would report success for what is gone.
            return Err(self.breaks(format!("a flush failed: {error}")));
        }
        // A file that has bytes has a first record.
        let aside = rotated(&self.path, self.first.unwrap_or(self.head.seq));
        if aside.exists() {
            return Err(io::Error::other(format!("{} is there already", aside.display())));
        }
        fs::rename(&self.path, &aside)?;
        match File::options().create_new(true).append(true).open(&self.path) {
            Ok(file) => {
                self.file = file;
                self.bytes = 0;
                self.first = None;
                // Later records would be in a file whose name may not be on the disk, and told to be kept.
                (self.sync_folder)(&self.path)
                    .map_err(|error| self.breaks(format!("the name of a new file could not be flushed: {error}")))
            }
            Err(error) => {
                // Back to where it was; the next record tries again.
                if let Err(stuck) = fs::rename(&aside, &self.path) {
                    self.breaks(format!("a new file could not be begun: {error}; nor the old one kept: {stuck}"));
                }
                Err(error)
            }
        }
    }
}

#[cfg(unix)]
fn is_same(ours: &Metadata, there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

/// Where files have no number that the standard library tells.
#[cfg(not(unix))]
fn is_same(ours: &Metadata, there: &Metadata) -> bool {
    ours.len() == there.len() && ours.created().ok() == there.created().ok()
}

#[cfg(test)]
mod tests {
    use agent_core::audit::{AuditEvent, AuditRecord};

    use super::*;
    use crate::DigestKey;

    #[test]
    fn a_new_file_whose_name_could_not_be_flushed_takes_no_more_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut writer = Writer {
            path: path.clone(),
            file: File::options().create_new(true).append(true).open(&path).unwrap(),
            bytes: 0,
            rotate_at: Some(1),
            first: None,
            head: Head::none(),
            shown: Shown::new(Head::none()),
            broken: None,
            sync_folder: |_| Err(io::Error::other("the disk is gone")),
            _lock: File::create(folder.path().join("lock")).unwrap(),
        };
        let key = DigestKey::new([7; 32]).unwrap();
        let mut keep = |flush| {
            let record = AuditRecord::new("t", "u", "r", AuditEvent::RunStarted { resumed: false });
            let (done, mut kept) = oneshot::channel();
            writer.keep(vec![Job { line: Unlinked::new(&record, &key, None).unwrap(), flush, done }]);
            kept.try_recv().unwrap().map_err(|error| error.to_string())
        };
        assert_eq!(keep(true), Ok(()));
        for flush in [false, true, false] {
            assert!(keep(flush).unwrap_err().contains("the disk is gone"));
        }
        assert_eq!(fs::read(&path).unwrap(), b"");
    }
}
