//! Opening a file where it was left.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_core::telemetry::Redact;
use fs4::TryLockError;

use super::chain::{Head, Link};
use super::file::{FileAudit, Flush, Inner};
use super::queue::Queue;
use super::writer::{Shown, Writer};
use crate::key::DigestKey;

/// How an audit file is kept.
#[must_use = "a file is opened by `open`"]
pub struct FileAuditBuilder {
    key: DigestKey,
    redact: Option<Arc<dyn Redact>>,
    flush: Flush,
    rotate_at: Option<u64>,
}

/// A file that cannot be written on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileAuditError {
    /// The file cannot be opened, read or locked.
    #[error("the audit file {} cannot be opened", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process, or another [`FileAudit`] of this one, writes the file.
    #[error("the audit file {} is written by somebody else; give each process a file of its own", .0.display())]
    InUse(PathBuf),
    /// The last line is no record, so that nothing can be added to it.
    #[error("the last line of {} is no audit record; verify the file, and move it away to begin another", .0.display())]
    NoRecord(PathBuf),
}

impl FileAuditBuilder {
    pub(super) fn new(key: DigestKey) -> Self {
        Self { key, redact: None, flush: Flush::default(), rotate_at: None }
    }

    /// When records are forced to the disk; [`Flush::Each`] unless said otherwise.
    pub fn flush(mut self, flush: Flush) -> Self {
        self.flush = flush;
        self
    }

    /// Begins another file before one becomes larger than this. What was `audit.jsonl` is put aside beside it as
    /// `audit.000000000001.jsonl`, by the number of its first record; the chain goes on from file to file.
    pub fn rotate_at(mut self, bytes: u64) -> Self {
        self.rotate_at = Some(bytes);
        self
    }

    /// Keeps what this makes of the arguments of a call, beside their digest.
    pub fn keep_arguments(mut self, redact: impl Redact + 'static) -> Self {
        self.redact = Some(Arc::new(redact));
        self
    }

    /// Opens the file and goes on from its last record, or begins it. Its folder must be there.
    ///
    /// Half a record at its end, as a power cut leaves it, was never taken: it is moved to a file beside it, named
    /// `.torn`.
    ///
    /// # Errors
    ///
    /// [`FileAuditError`] says whether somebody else has it, its end is no record, or the system refuses it.
    pub fn open(self, path: impl Into<PathBuf>) -> Result<FileAudit, FileAuditError> {
        let path = path.into();
        let failed = |source| FileAuditError::Io { path: path.clone(), source };
        let lock = lock(&path)?;
        let file = File::options().create(true).read(true).append(true).open(&path).map_err(failed)?;
        let bytes = set_torn_aside(&path, &file).map_err(failed)?;
        let last = if bytes == 0 { last_rotated(&path).map_err(failed)? } else { Some(path.clone()) };
        let head = match &last {
            None => Head::none(),
            Some(last) => {
                let line = last_line(last).map_err(failed)?;
                let link = Link::read(&line).ok_or_else(|| FileAuditError::NoRecord(last.clone()))?;
                Head::of(link.seq, &line)
            }
        };
        let first = if bytes == 0 { None } else { Some(first_seq(&path).map_err(failed)?) };
        let first = match first {
            Some(None) => return Err(FileAuditError::NoRecord(path)),
            Some(first) => first,
            None => None,
        };
        sync_folder(&path).map_err(failed)?;
        let Self { key, redact, flush, rotate_at } = self;
        let shown = Shown::new(head.clone());
        let mut writer = Writer {
            path: path.clone(),
            file,
            bytes,
            rotate_at,
            first,
            head,
            shown: shown.clone(),
            broken: None,
            sync_folder,
            _lock: lock,
        };
        let queue = Queue::start(move |batch| writer.keep(batch)).map_err(failed)?;
        Ok(FileAudit::new(Inner { path, key, redact, flush, shown, queue }))
    }
}

/// A file of its own is locked: the audit's own is renamed when it is full, and takes its lock along.
fn lock(path: &Path) -> Result<File, FileAuditError> {
    let failed = |source| FileAuditError::Io { path: path.to_owned(), source };
    let lock = File::options().create(true).append(true).open(beside(path, "lock")).map_err(failed)?;
    match fs4::FileExt::try_lock(&lock) {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(FileAuditError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// `audit.jsonl.lock`
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// `audit.000000000001.jsonl`, which sorts before `audit.jsonl` and after files with lower numbers.
pub(super) fn rotated(path: &Path, first: u64) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{first:012}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The file that was put aside last.
fn last_rotated(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut last: Option<(u64, PathBuf)> = None;
    for entry in fs::read_dir(folder(path))? {
        let name = entry?.file_name();
        let aside = path.with_file_name(&name);
        let number = name.to_str().and_then(|name| name.split('.').find_map(|part| part.parse().ok()));
        let Some(number) = number.filter(|number| rotated(path, *number) == aside) else { continue };
        if last.as_ref().is_none_or(|(highest, _)| *highest < number) {
            last = Some((number, aside));
        }
    }
    Ok(last.map(|(_, path)| path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new name is on the disk only when its folder is.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// Cuts half a record off the end, keeping it beside, and gives the length of what is whole.
fn set_torn_aside(path: &Path, file: &File) -> io::Result<u64> {
    let bytes = file.metadata()?.len();
    let whole = line_ends_before(file, bytes, bytes)?;
    if whole < bytes {
        let mut torn = Vec::new();
        let mut from = file;
        from.seek(SeekFrom::Start(whole))?;
        from.read_to_end(&mut torn)?;
        torn.push(b'\n');
        let mut aside = File::options().create(true).append(true).open(beside(path, "torn"))?;
        aside.write_all(&torn)?;
        aside.sync_all()?;
        file.set_len(whole)?;
        file.sync_all()?;
    }
    Ok(whole)
}

/// The place after the last line end before `end`, or 0.
fn line_ends_before(mut file: &File, end: u64, bytes: u64) -> io::Result<u64> {
    const PIECE: u64 = 4_096;
    let mut end = end.min(bytes);
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        let mut piece = vec![0; usize::try_from(end - start).unwrap_or_default()];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The last line, without its end.
fn last_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let start = line_ends_before(&file, bytes.saturating_sub(1), bytes)?;
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.read_to_end(&mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(line)
}

/// The number of the first record, which names the file when it is put aside.
fn first_seq(path: &Path) -> io::Result<Option<u64>> {
    let mut line = Vec::new();
    io::BufRead::read_until(&mut io::BufReader::new(File::open(path)?), b'\n', &mut line)?;
    Ok(Link::read(&line).map(|link| link.seq))
}
