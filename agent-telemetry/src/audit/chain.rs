//! How one line hangs on the one before.

use std::fmt;

use agent_core::audit::AuditRecord;
use agent_core::telemetry::{Content, Redact};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::clock::rfc3339;
use crate::guest::redacted;
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

/// A record as a line has it, but for its place in the chain.
#[derive(Serialize)]
struct Told<'a> {
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

/// A line that has no place in the chain yet: an object of JSON.
pub(super) struct Unlinked(Vec<u8>);

impl Unlinked {
    pub(super) fn new(record: &AuditRecord, key: &DigestKey, redact: Option<&dyn Redact>) -> serde_json::Result<Self> {
        let arguments = record.call.as_ref().map(|call| {
            let text = call.arguments.expose();
            Arguments {
                hmac_sha256: key.digest(text),
                bytes: text.len(),
                text: redact.map(|redact| redacted(redact, Content::arguments(&call.tool, text))),
            }
        });
        serde_json::to_vec(&Told { at: rfc3339(record.at), record, arguments }).map(Self)
    }

    /// The line after this head, with its end.
    pub(super) fn after(&self, head: &Head) -> Vec<u8> {
        let mut line = format!(r#"{{"seq":{},"prev":"{}","#, head.seq + 1, head.digest).into_bytes();
        // An object that is not empty follows its opening brace.
        line.extend_from_slice(&self.0[1..]);
        line.push(b'\n');
        line
    }
}
