//! Telling the sink, and what becomes of a run whose records are lost.

use std::error::Error as _;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use super::holes::Holes;
use super::record::{AuditCall, AuditEvent, AuditRecord};
use super::sink::AuditSink;
use crate::dispatch::{Status, ToolResult};
use crate::guest::{awaited, quiet};
use crate::model::ToolCall;
use crate::security::SecurityContext;
use crate::waits::in_time;

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

/// The longest wait for one record; one of what has happened is waited for no longer than `Limits::grace` either. A sink
/// that needs more stands still.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest wait for one record of a run that has lost one.
const ONCE_LOST: Duration = Duration::from_millis(100);

/// A record that is being told. It counts as lost unless the sink takes it; also where the runtime ends before that.
struct Telling {
    auditor: Arc<Auditor>,
    caller: Arc<SecurityContext>,
    run_id: Arc<str>,
    taken: bool,
}

impl Telling {
    async fn tell(mut self, until: Instant, record: AuditRecord) {
        let what = record.event.as_str();
        let told = timeout_at(until, awaited(|| self.auditor.sink.record(record))).await;
        let why = match told {
            Ok(Some(Ok(()))) => {
                self.taken = true;
                return;
            }
            Ok(Some(Err(error))) => quiet(|| error.source().map(ToString::to_string)).flatten().unwrap_or_default(),
            Ok(None) => "it panicked".to_owned(),
            Err(_) => "it did not answer in time".to_owned(),
        };
        tracing::error!(run = &*self.run_id, record = what, why, "the audit took no record");
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if !self.taken {
            self.auditor.holes.add(self.caller.tenant(), &self.run_id);
        }
    }
}

/// Work that goes on by itself where whoever waits for it leaves.
struct GoesOn<'a> {
    work: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Set where it goes on.
    left: &'a AtomicBool,
}

impl Future for GoesOn<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(work) = &mut self.work else { return Poll::Ready(()) };
        std::task::ready!(work.as_mut().poll(context));
        self.work = None;
        Poll::Ready(())
    }
}

impl Drop for GoesOn<'_> {
    fn drop(&mut self) {
        // Without a runtime, or with one that is ending, the work is dropped.
        if let Some(work) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            self.left.store(true, Ordering::Relaxed);
            runtime.spawn(work.in_current_span());
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
    /// Whether a record was left to be told by itself.
    left: AtomicBool,
}

impl RunAudit {
    pub(crate) fn new(auditor: Arc<Auditor>, caller: Arc<SecurityContext>, run_id: Arc<str>) -> Self {
        Self { auditor, caller, run_id, offered: Mutex::default(), left: AtomicBool::new(false) }
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

    /// Tells of the end of the run. Where one before was left, the sink is slow and whoever ends the run waits for nothing:
    /// this one is soon left, too.
    pub(crate) async fn ended(&self, grace: Duration, event: AuditEvent) {
        let telling = self.tell(grace, None, event);
        match self.left.load(Ordering::Relaxed) {
            true => drop(in_time(Instant::now() + ONCE_LOST, telling).await),
            false => telling.await,
        }
    }

    /// Waits until the record is taken or lost. Whoever leaves before leaves the rest of it to a task of its own.
    async fn tell(&self, time: Duration, call: Option<AuditCall>, event: AuditEvent) {
        let until = Instant::now() + time.min(if self.has_hole() { ONCE_LOST } else { PATIENCE });
        let mut record = AuditRecord::new(self.caller.tenant(), self.caller.user(), &*self.run_id, event);
        record.call = call;
        let (auditor, caller, run_id) = (self.auditor.clone(), self.caller.clone(), self.run_id.clone());
        let telling = Telling { auditor, caller, run_id, taken: false };
        GoesOn { work: Some(Box::pin(telling.tell(until, record))), left: &self.left }.await;
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
