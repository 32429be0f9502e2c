//! Who did what, on whose behalf, and who allowed it: one record for each decision.
//!
//! An audit is not a log. A log may lose a line; an [`AuditSink`] that cannot keep a record says so, and then no mutating
//! call begins. The file with a chain of digests is in the crate `agent-telemetry`; `testing` has one in memory.

mod auditor;
mod holes;
mod record;
mod sink;

pub use auditor::OnAuditFailure;
pub(crate) use auditor::{Auditor, RunAudit};
pub use record::{AuditArguments, AuditCall, AuditEvent, AuditRecord, Bound};
pub use sink::{AuditError, AuditSink};
