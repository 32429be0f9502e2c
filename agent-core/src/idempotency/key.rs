//! The key of an effect.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::arguments::Digest;
use crate::tool::Duplicates;

/// Where a call stands in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// The turn with calls, from 1.
    pub turn: u32,
    /// The place of the call in its turn, from 0.
    pub index: u32,
}

/// Names an effect that happens once. Opaque: it tells nothing of what it was made from.
///
/// Made of tenant, run id, tool, and the digest of the arguments, or the position in the run for a
/// tool with `duplicates = "allow"`. Never of the provider's call id: servers repeat ids, and models
/// repeat calls under new ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
// Shared, since many places keep it.
pub struct IdempotencyKey {
    tenant: Arc<str>,
    text: Arc<str>,
}

impl IdempotencyKey {
    /// The key of a call.
    pub fn new(
        tenant: &str,
        run_id: &str,
        tool: &str,
        digest: &Digest,
        position: Position,
        duplicates: Duplicates,
    ) -> Self {
        let mut hash = Sha256::new();
        for part in ["agent/key/1", tenant, run_id, tool] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        match duplicates {
            Duplicates::Replay => {
                hash.update([0]);
                hash.update(digest.as_bytes());
            }
            Duplicates::Allow => {
                hash.update([1]);
                hash.update(position.turn.to_be_bytes());
                hash.update(position.index.to_be_bytes());
            }
        }
        Self { tenant: tenant.into(), text: Digest::from_bytes(hash.finalize().into()).hex().as_str().into() }
    }

    /// A key that a store has kept, from its [`tenant`](Self::tenant) and its [text](Self::as_str).
    pub fn restore(tenant: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tenant: tenant.into().into(), text: text.into().into() }
    }

    /// The tenant that it belongs to. Stores ask for it in every query.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The key as text: 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tenant: &str, run: &str, tool: &str, digest: u8, index: u32, duplicates: Duplicates) -> IdempotencyKey {
        let position = Position { turn: 1, index };
        IdempotencyKey::new(tenant, run, tool, &Digest::from_bytes([digest; 32]), position, duplicates)
    }

    #[test]
    fn every_part_of_the_call_is_in_its_key() {
        let base = key("t", "r", "x", 1, 0, Duplicates::Replay);
        assert_eq!(base, key("t", "r", "x", 1, 7, Duplicates::Replay), "the position is not, for replay");
        for other in [
            key("u", "r", "x", 1, 0, Duplicates::Replay),
            key("t", "s", "x", 1, 0, Duplicates::Replay),
            key("t", "r", "y", 1, 0, Duplicates::Replay),
            key("t", "r", "x", 2, 0, Duplicates::Replay),
            key("tr", "", "x", 1, 0, Duplicates::Replay),
        ] {
            assert_ne!(base.as_str(), other.as_str());
        }
    }

    #[test]
    fn with_duplicates_allowed_the_position_stands_in_for_the_arguments() {
        let base = key("t", "r", "x", 1, 0, Duplicates::Allow);
        assert_eq!(base, key("t", "r", "x", 2, 0, Duplicates::Allow));
        assert_ne!(base, key("t", "r", "x", 1, 1, Duplicates::Allow));
    }
}
