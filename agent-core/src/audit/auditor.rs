//! Telling the sink, and what becomes of a run whose records are lost.

use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::record::{AuditCall, AuditEvent, AuditRecord};
use super::sink::AuditSink;
use crate::dispatch::{Status, ToolResult, code};
use crate::guest::{awaited, quiet};
use crate::model::ToolCall;
use crate::security::SecurityContext;

/// What a run does once its audit has not taken a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnAuditFailure {
    /// No further mutating call of the run begins: its result is `AUDIT_UNAVAILABLE`.
    #[default]
    StopEffects,
    /// The run goes on; the log has what the audit has not.
    GoOn,
}

/// The longest wait for one record. A sink that needs more stands still.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest wait for one record of a run that has lost one.
const ONCE_LOST: Duration = Duration::from_millis(100);

/// Counts a record as lost unless it was taken.
struct LostOnDrop<'a>(Option<&'a AtomicBool>);

impl LostOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for LostOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(lost) = self.0 {
            lost.store(true, Ordering::Release);
        }
    }
}

/// An agent's audit.
pub(crate) struct Auditor {
    pub(crate) sink: Arc<dyn AuditSink>,
    pub(crate) on_failure: OnAuditFailure,
}

/// The audit of one run.
pub(crate) struct RunAudit {
    auditor: Arc<Auditor>,
    caller: Arc<SecurityContext>,
    run_id: Arc<str>,
    /// A record of this run was not taken.
    lost: AtomicBool,
    /// The tools that the model was last offered.
    offered: Mutex<Option<Vec<String>>>,
}

impl RunAudit {
    pub(crate) fn new(auditor: Arc<Auditor>, caller: Arc<SecurityContext>, run_id: Arc<str>) -> Self {
        Self { auditor, caller, run_id, lost: AtomicBool::new(false), offered: Mutex::default() }
    }

    /// Whether effects may begin, as far as the audit is concerned.
    pub(crate) fn lets_begin(&self) -> bool {
        self.auditor.on_failure == OnAuditFailure::GoOn || !self.lost.load(Ordering::Acquire)
    }

    /// Waits until the record is taken, for at most half of the time until then, so that a slow sink leaves some to
    /// whoever waits for more than the record.
    ///
    /// Dropped before it is done, it has lost the record.
    pub(crate) async fn tell(&self, until: Instant, call: Option<AuditCall>, event: AuditEvent) {
        let what = event.as_str();
        let now = Instant::now();
        let patience = if self.lost.load(Ordering::Acquire) { ONCE_LOST } else { PATIENCE };
        let until = now + (until.saturating_duration_since(now) / 2).min(patience);
        let cut_off = LostOnDrop(Some(&self.lost));
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
        self.tell(until, None, AuditEvent::Offered { tools }).await;
    }

    /// Tells of a call that a gate refused.
    pub(crate) async fn refused(&self, until: Instant, call: &ToolCall, mutating: bool, result: &ToolResult) {
        let code = result.code().unwrap_or_default().to_owned();
        let event = match result.status() {
            Status::PermissionDenied => AuditEvent::Denied { code },
            Status::ValidationError => AuditEvent::Invalid { code },
            _ if code == code::UNKNOWN_TOOL => AuditEvent::Invalid { code },
            _ => return,
        };
        self.tell(until, Some(AuditCall::of(call, mutating)), event).await;
    }
}
