//! What the audit is told of an effect.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::claim::Ended;
use crate::audit::{AuditCall, AuditEvent, RunAudit};
use crate::dispatch::{Status, code};

/// The audit of one mutating call, for the one who runs it and the one who waits for it.
pub(super) struct Audit {
    audit: Arc<RunAudit>,
    call: AuditCall,
    grace: Duration,
    turn: Mutex<Told>,
}

/// What was told of the end of a call.
#[derive(Default)]
struct Told {
    unknown: bool,
}

/// The turn to tell how a call has ended: whoever has it tells all before the other.
pub(super) struct Turn<'a> {
    audit: &'a Audit,
    told: MutexGuard<'a, Told>,
}

impl Audit {
    pub(super) fn new(audit: Arc<RunAudit>, call: AuditCall, grace: Duration) -> Self {
        Self { audit, call, grace, turn: Mutex::default() }
    }

    /// Tells that the call is about to run, and says whether it may.
    pub(super) async fn claimed(&self, until: Instant) -> bool {
        if self.audit.lets_begin() {
            self.audit.tell_before(until, Some(self.call.clone()), AuditEvent::Claimed).await;
        }
        self.audit.lets_begin()
    }

    pub(super) async fn turn(&self) -> Turn<'_> {
        Turn { audit: self, told: self.turn.lock().await }
    }
}

impl Turn<'_> {
    /// Tells that nobody can tell whether the call took effect, unless that was told.
    pub(super) async fn unknown(&mut self, cause: &str) {
        if !std::mem::replace(&mut self.told.unknown, true) {
            self.tell(AuditEvent::Unknown { cause: cause.to_owned() }).await;
        }
    }

    /// Tells how the call ended.
    pub(super) async fn ended(&mut self, ended: &Ended, attempts: u32) {
        if attempts > 0
            && let Some((status, code)) = ran(ended)
        {
            self.tell(AuditEvent::Executed { status, code: code.map(str::to_owned), attempts }).await;
        }
        let not_run = |code: &str| AuditEvent::NotRun { code: code.to_owned() };
        let event = match ended {
            Ended::Replayed(_) if attempts == 0 => AuditEvent::Replayed,
            Ended::Value(_) | Ended::Unreadable | Ended::Replayed(_) => AuditEvent::Settled,
            Ended::Business(_) | Ended::NotDone | Ended::TooLate | Ended::Cancelled => AuditEvent::Released,
            Ended::NotReleased(_) => return self.unknown("not released").await,
            Ended::Unknown(cause) => return self.unknown(cause).await,
            Ended::InFlight => not_run(code::CALL_IN_FLIGHT),
            Ended::Conflict => not_run(code::KEY_CONFLICT),
            Ended::StoreUnavailable => not_run(code::STORE_UNAVAILABLE),
            Ended::AuditUnavailable => not_run(code::AUDIT_UNAVAILABLE),
        };
        self.tell(event).await;
    }

    async fn tell(&self, event: AuditEvent) {
        let Audit { audit, call, grace, .. } = self.audit;
        audit.tell_after(*grace, Some(call.clone()), event).await;
    }
}

/// How the tool's function ended.
fn ran(ended: &Ended) -> Option<(Status, Option<&str>)> {
    Some(match ended {
        Ended::Value(_) | Ended::Replayed(_) => (Status::Success, None),
        Ended::Unreadable => (Status::FatalError, Some(code::RESULT_UNREADABLE)),
        Ended::Business(error) => (Status::BusinessError, Some(error.code())),
        Ended::NotDone => (Status::FatalError, Some(code::INTERNAL_EXECUTION_FAILURE)),
        Ended::Unknown(_) => (Status::FatalError, Some(code::OUTCOME_UNKNOWN)),
        Ended::NotReleased(ended) => return ran(ended),
        _ => return None,
    })
}
