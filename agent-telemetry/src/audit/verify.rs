//! Whether a chain still hangs together.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::chain::{Head, Link};

/// What a chain is held against beside itself.
///
/// ```
/// use agent_telemetry::Verify;
/// let against = Verify::new().head("5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Verify {
    head: Option<String>,
    from: Option<String>,
}

impl Verify {
    /// Nothing but itself: a cut end, a change of the last record, and a file that was written anew from some record on, with
    /// digests that fit, are not found.
    pub fn new() -> Self {
        Self::default()
    }

    /// The digest of a record that must be there, as [`FileAudit::head`](crate::FileAudit::head) gave it: then nothing up to
    /// that record was changed. Records may follow it, of which it shows nothing: of those, only what
    /// [`new`](Self::new) finds is found. So keep a head often, and verify with the newest.
    #[must_use]
    pub fn head(mut self, digest: impl AsRef<str>) -> Self {
        self.head = Some(digest.as_ref().trim().to_ascii_lowercase());
        self
    }

    /// The digest of the record before the first, for files whose predecessors are kept elsewhere. Without it the
    /// chain must begin with record 1.
    #[must_use]
    pub fn from(mut self, digest: impl AsRef<str>) -> Self {
        self.from = Some(digest.as_ref().trim().to_ascii_lowercase());
        self
    }
}

/// What was found in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Lines that are records.
    pub records: u64,
    /// The number of the first of them.
    pub first: Option<u64>,
    /// The last of them.
    pub head: Head,
    /// Records after the one that [`Verify::head`] asked for. It does not vouch for them.
    pub after_head: Option<u64>,
    /// What does not hang together, in order.
    pub problems: Vec<Tampering>,
}

/// A place where a chain does not hang together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tampering {
    /// The line is no record.
    NoRecord {
        /// Where.
        at: Place,
    },
    /// The last line has no end: it was cut within a record, or is being written.
    Torn {
        /// Where.
        at: Place,
    },
    /// The chain begins later than it should.
    BeginningMissing {
        /// Where it begins.
        at: Place,
        /// With which record.
        seq: u64,
    },
    /// Records are missing before this one.
    Missing {
        /// Where.
        at: Place,
        /// The first that is missing.
        first: u64,
        /// The last that is missing.
        last: u64,
    },
    /// A record comes where its number does not belong: it was moved, doubled or put in.
    OutOfOrder {
        /// Where.
        at: Place,
        /// Its number.
        seq: u64,
        /// The number that belongs there.
        expected: u64,
    },
    /// A record does not fit the one before: that one was changed after it was written, or this one was put in.
    Changed {
        /// Where the one is that does not fit.
        at: Place,
        /// Its number.
        seq: u64,
    },
    /// No record has the wanted digest: the end was cut off, or the file was written anew from some record on.
    HeadMissing {
        /// The wanted digest.
        digest: String,
    },
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl fmt::Display for Tampering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord { at } => write!(f, "{at}: this line is no record"),
            Self::Torn { at } => write!(f, "{at}: the last line is cut off"),
            Self::BeginningMissing { at, seq } => write!(
                f,
                "{at}: the chain begins with record {seq}, and what should be before it is missing or another; name earlier files too"
            ),
            Self::Missing { at, first, last } if first == last => {
                write!(f, "{at}: record {first} is missing before this")
            }
            Self::Missing { at, first, last } => write!(f, "{at}: records {first} to {last} are missing before this"),
            Self::OutOfOrder { at, seq, expected } => {
                write!(
                    f,
                    "{at}: record {seq} is here, where record {expected} belongs; it was moved, doubled or put in"
                )
            }
            Self::Changed { at, seq } => write!(
                f,
                "{at}: record {seq} does not fit the one before it: that one was changed, or this one was put in"
            ),
            Self::HeadMissing { digest } => {
                write!(
                    f,
                    "no record has the digest {digest}: the end was cut off, or the file was written anew from some record on"
                )
            }
        }
    }
}

/// Looks at the files of one chain, the oldest first, and says all that does not hang together.
///
/// # Errors
///
/// A file cannot be read.
pub fn verify<P: AsRef<Path>>(files: impl IntoIterator<Item = P>, against: &Verify) -> io::Result<Verified> {
    let mut walk = Walk::new(against);
    for file in files {
        walk.file(file.as_ref())?;
    }
    Ok(walk.end())
}

struct Walk<'v> {
    against: &'v Verify,
    found: Verified,
    /// What the next line must follow; none before the first.
    before: Option<Head>,
}

impl<'v> Walk<'v> {
    fn new(against: &'v Verify) -> Self {
        let found = Verified { records: 0, first: None, head: Head::none(), after_head: None, problems: Vec::new() };
        Self { against, found, before: None }
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(path)?);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            number += 1;
            let at = Place { file: path.to_owned(), line: number };
            match line.strip_suffix(b"\n") {
                Some(line) => self.line(line, at),
                None => self.found.problems.push(Tampering::Torn { at }),
            }
        }
    }

    fn line(&mut self, line: &[u8], at: Place) {
        let Some(link) = Link::read(line) else {
            self.found.problems.push(Tampering::NoRecord { at });
            return;
        };
        let problem = match &self.before {
            None => self.is_wrong_beginning(&link).then_some(Tampering::BeginningMissing { at, seq: link.seq }),
            Some(before) => misfit(before, &link, at),
        };
        self.found.problems.extend(problem);
        let head = Head::of(link.seq, line);
        self.found.records += 1;
        self.found.first.get_or_insert(link.seq);
        if let Some(after) = &mut self.found.after_head {
            *after += 1;
        } else if self.against.head.as_ref() == Some(&head.digest) {
            self.found.after_head = Some(0);
        }
        self.found.head = head.clone();
        self.before = Some(head);
    }

    fn is_wrong_beginning(&self, link: &Link) -> bool {
        match &self.against.from {
            Some(from) => *from != link.prev,
            None => !Head::none().is_before(link),
        }
    }

    fn end(mut self) -> Verified {
        if let (Some(digest), None) = (&self.against.head, self.found.after_head) {
            self.found.problems.push(Tampering::HeadMissing { digest: digest.clone() });
        }
        self.found
    }
}

fn misfit(before: &Head, link: &Link, at: Place) -> Option<Tampering> {
    let expected = before.seq.saturating_add(1);
    match link.seq {
        _ if before.is_before(link) => None,
        seq if seq > expected => Some(Tampering::Missing { at, first: expected, last: seq - 1 }),
        seq if seq < expected => Some(Tampering::OutOfOrder { at, seq, expected }),
        seq => Some(Tampering::Changed { at, seq }),
    }
}
