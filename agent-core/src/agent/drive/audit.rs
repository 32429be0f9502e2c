//! Tells the audit what happens to a run and to its calls.

use futures_util::future::join_all;
use tokio::time::Instant;

use super::Driver;
use crate::audit::{AuditCall, AuditEvent};
use crate::dispatch::{ToolResult, code};
use crate::model::ToolCall;
use crate::run::{Decided, Input, Pending, Run};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Tells the audit that the run begins, or goes on.
    pub(in crate::agent) async fn audit_begun(&self, resumed: bool, deadline: Instant) {
        if let Some(audit) = &self.audit {
            // The run finds out by itself if its time is over, or nobody wants it any more.
            self.wait(deadline, audit.tell_before(deadline, None, AuditEvent::RunStarted { resumed })).await;
        }
    }

    /// Tells the audit that the run has ended: after its time, and whoever cancelled it. The run is kept until its end is.
    pub(super) async fn audit_ended(&self, event: AuditEvent) {
        tokio::select! {
            biased;
            () = self.audit_given_up(event) => {}
            never = self.keep() => match never {},
        }
    }

    /// Tells the audit how a run has ended that is not this process's any more.
    pub(super) async fn audit_given_up(&self, event: AuditEvent) {
        if let Some(audit) = &self.audit {
            audit.ended(self.plan.limits.grace, event).await;
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
        let Some(audit) = self.audit.as_ref().filter(|_| !refused.is_empty()) else { return };
        // At the same time, so that many of them take no longer than one.
        let telling = refused.into_iter().map(|(call, result)| {
            let mutating = self.agent.toolbox.is_mutating(&call.name);
            audit.refused(self.plan.limits.grace, call, mutating, result)
        });
        self.unless_cancelled(join_all(telling)).await;
    }

    /// Tells the audit that the host has not taken the answer that a call gave.
    pub(super) async fn audit_answer_rejected(&self, run: &Run) {
        let answers = |call: &&ToolCall| self.plan.finish.as_ref() == Some(&call.name);
        if let Some(call) = run.calls().iter().find(answers).filter(|_| self.audit.is_some()) {
            let event = AuditEvent::Invalid { code: code::ANSWER_REJECTED.to_owned() };
            self.audit_decision(Some(AuditCall::of(call, false)), event).await;
        }
    }

    /// Tells the audit what people have decided, before any of it is done.
    pub(in crate::agent) async fn audit_decided(&self, run: &Run, decisions: &[Input]) {
        if self.audit.is_none() || decisions.is_empty() {
            return;
        }
        let pending = run.pending();
        join_all(decisions.iter().map(|decision| self.audit_one_decided(&pending, decision))).await;
    }

    async fn audit_one_decided(&self, pending: &[Pending], input: &Input) {
        let Input::Decided { call_id, by, decided } = input else { return };
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

    /// Waits for a record, or for several, and keeps the run meanwhile; a cancelled run waits no longer.
    async fn unless_cancelled<T>(&self, telling: impl Future<Output = T>) {
        tokio::select! {
            biased;
            _ = telling => {}
            () = self.cancel.token().cancelled() => {}
            never = self.keep() => match never {},
        }
    }
}
