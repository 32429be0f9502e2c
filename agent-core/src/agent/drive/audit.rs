//! Tells the audit what happens to a run and to its calls.

use tokio::time::Instant;

use super::{Clock, Driver};
use crate::audit::{AuditCall, AuditEvent};
use crate::dispatch::{ToolResult, after};
use crate::model::ToolCall;
use crate::run::{Decided, Input, Run};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Tells the audit that the run begins, or goes on.
    pub(in crate::agent) async fn audit_begun(&self, resumed: bool, deadline: Instant) {
        if let Some(audit) = &self.audit {
            // The run finds out by itself if its time is over, or nobody wants it any more.
            self.wait(deadline, audit.tell(deadline, None, AuditEvent::RunStarted { resumed })).await;
        }
    }

    /// Tells the audit that the run has ended, or waits for people: after its time, and whoever cancelled it.
    pub(super) async fn audit_ended(&self, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            audit.tell(after(Instant::now(), self.plan.limits.grace), None, event).await;
        }
    }

    /// Tells the audit, and whoever traces, which calls the gates have refused.
    pub(super) async fn tell_refused(&self, refused: Vec<(&ToolCall, &ToolResult)>, clock: Clock) {
        for (call, result) in &refused {
            self.agent.toolbox.trace_refused(call, result);
        }
        let Some(audit) = &self.audit else { return };
        for (call, result) in refused {
            let mutating = self.agent.toolbox.is_mutating(&call.name);
            self.wait(clock.deadline, audit.refused(clock.deadline, call, mutating, result)).await;
        }
    }

    /// Tells the audit what a person has decided.
    pub(in crate::agent) async fn audit_decided(&self, run: &Run, input: &Input, until: Instant) {
        let (Some(audit), Input::Decided { call_id, by, decided }) = (&self.audit, input) else { return };
        let pending = run.pending();
        let Some(pending) = pending.iter().find(|pending| pending.call_id == *call_id) else { return };
        let by = by.clone();
        let (event, arguments) = match decided {
            Decided::Approved => (AuditEvent::Approved { by }, &pending.arguments),
            Decided::Rejected(_) => (AuditEvent::Rejected { by }, &pending.arguments),
            Decided::Edited(arguments, _) => (AuditEvent::Edited { by }, arguments),
            Decided::Later => return,
        };
        let mutating = self.agent.toolbox.is_mutating(&pending.tool);
        let call = AuditCall::new(call_id.clone(), &*pending.tool, mutating, &**arguments);
        self.wait(until, audit.tell(until, Some(call), event)).await;
    }
}
