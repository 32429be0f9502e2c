//! What the audit is told of an effect.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::claim::Ended;
use crate::audit::{AuditCall, AuditEvent, RunAudit};
use crate::dispatch::toolbox::after;
use crate::dispatch::{Status, code};

/// The audit of one mutating call.
#[derive(Clone)]
pub(super) struct Audit {
    pub(super) audit: Arc<RunAudit>,
    pub(super) call: AuditCall,
}

impl Audit {
    pub(super) async fn tell(&self, until: Instant, event: AuditEvent) {
        self.audit.tell(until, Some(self.call.clone()), event).await;
    }

    /// Tells that the call is about to run, and says whether it may.
    pub(super) async fn claimed(&self, until: Instant) -> bool {
        if self.audit.lets_begin() {
            self.tell(until, AuditEvent::Claimed).await;
        }
        self.audit.lets_begin()
    }

    /// Tells how the call ended.
    pub(super) async fn ended(&self, ended: &Ended, attempts: u32, until: Instant, grace: Duration) {
        // Where nobody waits for the call any more, the record is still wanted.
        let now = Instant::now();
        let until = if until > now { until } else { after(now, grace) };
        if attempts > 0
            && let Some((status, code)) = ran(ended)
        {
            let code = code.map(str::to_owned);
            self.tell(until, AuditEvent::Executed { status, code, attempts }).await;
        }
        let event = match ended {
            Ended::Replayed(_) if attempts == 0 => AuditEvent::Replayed,
            Ended::Value(_) | Ended::Unreadable | Ended::Replayed(_) => AuditEvent::Settled,
            Ended::Business(_) | Ended::NotDone | Ended::TooLate | Ended::Cancelled => AuditEvent::Released,
            Ended::Unknown(cause) => AuditEvent::Unknown { cause: (*cause).to_owned() },
            Ended::InFlight | Ended::Conflict | Ended::StoreUnavailable | Ended::AuditUnavailable => return,
        };
        self.tell(until, event).await;
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
        _ => return None,
    })
}
