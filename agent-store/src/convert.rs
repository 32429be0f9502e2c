//! Between the types of `agent-core` and what a row holds.

use std::time::Duration;

use agent_core::idempotency::{
    Audit, Cause, Fence, IdempotencyKey, Operator, Resolution, Settled, StoreError, UnknownClaim,
};
use agent_core::model::CallId;
use agent_core::run::Run;
use serde_json::value::RawValue;

/// The states of a claim, as they are stored.
pub(crate) const RUNNING: i16 = 0;
pub(crate) const SETTLED: i16 = 1;
pub(crate) const UNKNOWN: i16 = 2;

/// A fence as it is stored; none for one that no store here has given.
pub(crate) fn stored_fence(fence: Fence) -> Option<i64> {
    i64::try_from(fence.0).ok()
}

/// A fence as it is known outside.
pub(crate) fn fence(stored: i64) -> Result<Fence, StoreError> {
    u64::try_from(stored).map(Fence).map_err(|_| damaged(format!("a fence of {stored}")))
}

/// Milliseconds; no more than a hundred years of them, so that a date and they are a date.
pub(crate) fn millis(time: Duration) -> i64 {
    const CENTURY: i64 = 100 * 365 * 24 * 60 * 60 * 1000;
    i64::try_from(time.as_millis()).map_or(CENTURY, |millis| millis.min(CENTURY))
}

/// The text of a value; none for one that cannot be read.
pub(crate) fn text(settled: &Settled) -> Result<Option<&str>, StoreError> {
    match settled {
        Settled::Value(json) => Ok(Some(json.get())),
        Settled::Unreadable => Ok(None),
        other => Err(StoreError::failed(format!("this version cannot keep {other:?}"))),
    }
}

/// The value of a stored text.
pub(crate) fn settled(text: Option<String>) -> Result<Settled, StoreError> {
    match text.map(RawValue::from_string) {
        None => Ok(Settled::Unreadable),
        Some(Ok(json)) => Ok(Settled::Value(json)),
        Some(Err(error)) => Err(StoreError::Damaged(Cause::new("a settled value is not JSON").because(error))),
    }
}

/// A run as it is stored.
pub(crate) fn written(run: &Run) -> Result<String, StoreError> {
    serde_json::to_string(run).map_err(|error| StoreError::Failed(Cause::new("a run cannot be written").because(error)))
}

/// A stored run.
pub(crate) fn read(text: &str) -> Result<Box<Run>, StoreError> {
    serde_json::from_str(text).map(Box::new).map_err(|error| {
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            return StoreError::Damaged(Cause::new("a saved run is not JSON").because(error));
        }
        StoreError::Version(Cause::new("a saved run cannot be read; was it saved by another version?").because(error))
    })
}

pub(crate) fn damaged(what: String) -> StoreError {
    StoreError::Damaged(Cause::new(format!("a row holds {what}")))
}

/// What a row tells of a claim.
pub(crate) struct ClaimRow {
    pub(crate) tenant: String,
    pub(crate) key: String,
    pub(crate) fence: i64,
    pub(crate) tool: String,
    pub(crate) run_id: String,
    pub(crate) call_id: String,
    pub(crate) caller: String,
    pub(crate) claimed_at: std::time::SystemTime,
    pub(crate) cause: Option<String>,
}

impl ClaimRow {
    pub(crate) fn claim(self) -> Result<UnknownClaim, StoreError> {
        let key = IdempotencyKey::restore(self.tenant, self.key);
        let mut claim = UnknownClaim::new(key, fence(self.fence)?, CallId::new(self.call_id), self.claimed_at);
        claim.tool = self.tool;
        claim.run_id = self.run_id;
        claim.user = self.caller;
        claim.cause = self.cause;
        Ok(claim)
    }
}

/// What a row tells of a resolution.
pub(crate) struct AuditRow {
    pub(crate) claim: ClaimRow,
    pub(crate) settled: bool,
    pub(crate) value: Option<String>,
    pub(crate) who: String,
    pub(crate) why: String,
    pub(crate) at: std::time::SystemTime,
}

impl AuditRow {
    pub(crate) fn audit(self) -> Result<Audit, StoreError> {
        let resolution = if self.settled { Resolution::Settle(settled(self.value)?) } else { Resolution::Release };
        Ok(Audit::new(self.claim.claim()?, resolution, Operator::new(self.who, self.why)?, self.at))
    }
}
