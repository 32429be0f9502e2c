//! Tells the audit what happens to a run and to its calls.

use tokio::time::Instant;

use super::Driver;
use crate::audit::{AuditCall, AuditEvent};
use crate::dispatch::{ToolResult, code};
use crate::model::ToolCall;
use crate::run::{Decided, Input, Run};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Tells the audit that the run begins, or goes on.
    pub(in crate::agent) async fn audit_begun(&self, resumed: bool, deadline: Instant) {
        if let Some(audit) = &self.audit {
            // The run finds out by itself if its time is over, or nobody wants it any more.
            self.wait(deadline, audit.tell_before(deadline, None, AuditEvent::RunStarted { resumed })).await;
        }
    }

    /// Tells the audit that the run has ended, or waits for people: after its time, and whoever cancelled it.
    pub(super) async fn audit_ended(&self, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            audit.tell_after(self.plan.limits.grace, None, event).await;
        }
    }

    /// Tells the audit why the run is not begun, or not taken up.
    pub(in crate::agent) async fn audit_refused(&self, cause: &str) {
        self.audit_decision(None, AuditEvent::RunRefused { cause: cause.to_owned() }).await;
    }

    /// Tells the audit what was given in place of a run.
    pub(in crate::agent) async fn audit_not_begun(&self, event: AuditEvent) {
        self.audit_decision(None, event).await;
    }

    /// Tells the audit, and whoever traces, which calls the gates have refused.
    pub(super) async fn tell_refused(&self, refused: Vec<(&ToolCall, &ToolResult)>) {
        for (call, result) in &refused {
            self.agent.toolbox.trace_refused(call, result);
        }
        let Some(audit) = &self.audit else { return };
        for (call, result) in refused {
            let mutating = self.agent.toolbox.is_mutating(&call.name);
            self.unless_cancelled(audit.refused(self.plan.limits.grace, call, mutating, result)).await;
        }
    }

    /// Tells the audit that the host has not taken the answer that a call gave.
    pub(super) async fn audit_answer_rejected(&self, run: &Run) {
        let answers = |call: &&ToolCall| self.plan.finish.as_ref() == Some(&call.name);
        if let Some(call) = run.calls().iter().find(answers).filter(|_| self.audit.is_some()) {
            let event = AuditEvent::Invalid { code: code::ANSWER_REJECTED.to_owned() };
            self.audit_decision(Some(AuditCall::of(call, false)), event).await;
        }
    }

    /// Tells the audit what a person has decided.
    pub(in crate::agent) async fn audit_decided(&self, run: &Run, input: &Input) {
        let Input::Decided { call_id, by, decided } = input else { return };
        if self.audit.is_none() {
            return;
        }
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
        let call = AuditCall::new(call_id.clone(), &pending.tool, mutating, &**arguments);
        self.audit_decision(Some(call), event).await;
    }

    /// Tells of what was decided, also when the run's time is over.
    async fn audit_decision(&self, call: Option<AuditCall>, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            self.unless_cancelled(audit.tell_after(self.plan.limits.grace, call, event)).await;
        }
    }

    async fn unless_cancelled(&self, telling: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = telling => {}
            () = self.cancel.token().cancelled() => {}
        }
    }
}
