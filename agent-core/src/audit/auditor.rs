//! Telling the sink, and what becomes of a run whose records are lost.

use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::holes::Holes;
use super::record::{AuditCall, AuditEvent, AuditRecord};
use super::sink::AuditSink;
use crate::dispatch::{Status, ToolResult};
use crate::guest::{awaited, quiet};
use crate::model::ToolCall;
use crate::security::SecurityContext;

/// What a run does once its audit has not taken a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnAuditFailure {
    /// No further mutating call under the run's id begins: its result is `AUDIT_UNAVAILABLE`. So also for calls by hand, and
    /// for a run that is taken up by this agent. Another process does not know of the lost record; it goes by its own.
    #[default]
    StopEffects,
    /// The run goes on; the log has what the audit has not.
    GoOn,
}

/// The longest wait for one record; one of what has happened is waited for no longer than `Limits::grace` either. A sink that needs more stands still.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest wait for one record of a run that has lost one.
const ONCE_LOST: Duration = Duration::from_millis(100);

/// Counts a record as lost unless it was taken.
struct LostOnDrop<'a>(Option<&'a RunAudit>);

impl LostOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for LostOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(audit) = self.0 {
            audit.auditor.holes.add(audit.caller.tenant(), &audit.run_id);
        }
    }
}

/// An agent's audit.
pub(crate) struct Auditor {
    sink: Arc<dyn AuditSink>,
    on_failure: OnAuditFailure,
    holes: Holes,
}

impl Auditor {
    pub(crate) fn new(sink: Arc<dyn AuditSink>, on_failure: OnAuditFailure) -> Self {
        Self { sink, on_failure, holes: Holes::default() }
    }
}

/// The audit of one run.
pub(crate) struct RunAudit {
    auditor: Arc<Auditor>,
    caller: Arc<SecurityContext>,
    run_id: Arc<str>,
    /// The tools that the model was last offered.
    offered: Mutex<Option<Vec<String>>>,
}

impl RunAudit {
    pub(crate) fn new(auditor: Arc<Auditor>, caller: Arc<SecurityContext>, run_id: Arc<str>) -> Self {
        Self { auditor, caller, run_id, offered: Mutex::default() }
    }

    /// Whether effects may begin, as far as the audit is concerned.
    pub(crate) fn lets_begin(&self) -> bool {
        self.auditor.on_failure == OnAuditFailure::GoOn || !self.has_hole()
    }

    /// Whether a record of this run was not taken.
    fn has_hole(&self) -> bool {
        self.auditor.holes.has(self.caller.tenant(), &self.run_id)
    }

    /// Tells of what is about to happen. It waits for at most half of the time until then, so that a slow sink leaves some
    /// to what waits for the record.
    pub(crate) async fn tell_before(&self, until: Instant, call: Option<AuditCall>, event: AuditEvent) {
        self.tell(until.saturating_duration_since(Instant::now()) / 2, call, event).await;
    }

    /// Tells of what has happened. That has a time of its own: a call that ends at the last moment makes no sink slow.
    pub(crate) async fn tell_after(&self, grace: Duration, call: Option<AuditCall>, event: AuditEvent) {
        self.tell(grace, call, event).await;
    }

    /// Waits until the record is taken. Dropped before it is done, it has lost the record.
    async fn tell(&self, time: Duration, call: Option<AuditCall>, event: AuditEvent) {
        let what = event.as_str();
        let until = Instant::now() + time.min(if self.has_hole() { ONCE_LOST } else { PATIENCE });
        let cut_off = LostOnDrop(Some(self));
        let mut record = AuditRecord::new(self.caller.tenant(), self.caller.user(), &*self.run_id, event);
        record.call = call;
        let why = match timeout_at(until, awaited(|| self.auditor.sink.record(record))).await {
            Ok(Some(Ok(()))) => return cut_off.disarm(),
            Ok(Some(Err(error))) => quiet(|| error.source().map(ToString::to_string)).flatten().unwrap_or_default(),
            Ok(None) => "it panicked".to_owned(),
            Err(_) => "it did not answer in time".to_owned(),
        };
        drop(cut_off);
        tracing::error!(run = &*self.run_id, record = what, why, "the audit took no record");
    }

    /// Tells which tools the model is offered, where they are not those of the turn before.
    pub(crate) async fn offered(&self, until: Instant, tools: impl Iterator<Item = &str>) {
        let tools: Vec<String> = tools.map(str::to_owned).collect();
        {
            let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
            if offered.as_ref() == Some(&tools) {
                return;
            }
            *offered = Some(tools.clone());
        }
        self.tell_before(until, None, AuditEvent::Offered { tools }).await;
    }

    /// Tells of a call that a gate refused.
    pub(crate) async fn refused(&self, grace: Duration, call: &ToolCall, mutating: bool, result: &ToolResult) {
        let code = result.code().unwrap_or_default().to_owned();
        let event = match result.status() {
            Status::PermissionDenied => AuditEvent::Denied { code },
            // Wrong arguments, no such tool, or arguments whose reading failed.
            _ => AuditEvent::Invalid { code },
        };
        self.tell_after(grace, Some(AuditCall::of(call, mutating)), event).await;
    }
}
