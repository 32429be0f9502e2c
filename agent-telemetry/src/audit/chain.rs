//! How one line hangs on the one before.

use std::fmt;

use agent_core::audit::AuditRecord;
use agent_core::telemetry::{Content, Redact};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::clock::rfc3339;
use crate::key::{DigestKey, hex};

/// The last record of a chain. Kept elsewhere, it shows later whether the chain was cut or written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// Its number, from 1; 0 where there is none yet.
    pub seq: u64,
    /// SHA-256 of its line without the line's end: 64 hexadecimal digits; zeros where there is none yet.
    pub digest: String,
}

impl Head {
    pub(super) fn none() -> Self {
        Self { seq: 0, digest: "0".repeat(64) }
    }

    pub(super) fn of(seq: u64, line: &[u8]) -> Self {
        Self { seq, digest: hex(&Sha256::digest(line)) }
    }

    /// Whether this line says that it comes right after.
    pub(super) fn is_before(&self, link: &Link) -> bool {
        self.seq.checked_add(1) == Some(link.seq) && self.digest == link.prev
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of record {}", self.digest, self.seq)
    }
}

/// What of a line says where it belongs.
#[derive(Debug, Deserialize)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) prev: String,
}

impl Link {
    /// None where the line is no record.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    prev: &'a str,
    at: String,
    #[serde(flatten)]
    record: &'a AuditRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Arguments>,
}

#[derive(Serialize)]
struct Arguments {
    hmac_sha256: String,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The line after this head, with its end.
pub(super) fn line(
    head: &Head,
    record: &AuditRecord,
    key: &DigestKey,
    redact: Option<&dyn Redact>,
) -> serde_json::Result<Vec<u8>> {
    let arguments = record.call.as_ref().map(|call| {
        let text = call.arguments.expose();
        Arguments {
            hmac_sha256: key.digest(text),
            bytes: text.len(),
            text: redact.map(|redact| redact.redact(Content::arguments(&call.tool, text))),
        }
    });
    let line = Line { seq: head.seq + 1, prev: &head.digest, at: rfc3339(record.at), record, arguments };
    let mut line = serde_json::to_vec(&line)?;
    line.push(b'\n');
    Ok(line)
}
