//! Who keeps the records.

use std::error::Error as StdError;
use std::sync::Arc;

use async_trait::async_trait;

use super::record::AuditRecord;

/// Keeps the records of an audit.
///
/// ```
/// use agent_core::audit::{AuditError, AuditRecord, AuditSink};
///
/// struct Table;
///
/// #[async_trait::async_trait]
/// impl AuditSink for Table {
///     async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
///         insert(record.run_id, record.event).await.map_err(AuditError::new)
///     }
/// }
/// # async fn insert(_: String, _: agent_core::audit::AuditEvent) -> std::io::Result<()> { Ok(()) }
/// ```
///
/// **When it returns**, the record is kept as firmly as the sink promises anything. A mutating call begins only after
/// its record has been taken.
///
/// **Order**: the records of one call come in the order in which things happened, one after the other. Those of calls of
/// one turn, and of several runs, come at the same time; the sink orders them. One that a cancelled run no longer waits for
/// goes on beside the next.
///
/// **Cancellation**: a future that is dropped may or may not have kept its record. The next record must not suffer for it.
/// It is dropped when its time is over, or with its runtime; that a run is cancelled, or dropped, ends no record.
///
/// **Time**: a run waits for each record for at most five seconds. One of what is about to happen has at most half of the
/// time that the run, or the call, has left; one of what has happened has its own time, at most `Limits::grace`, also when
/// that of the run is over. When its time is over the record counts as lost, and the next ones are waited for hardly at all.
/// A cancelled run waits only for the records of an effect that has begun, and of its end. A sink that stands still stops
/// mutating calls, and no run from ending.
///
/// **Panics** count as failures.
///
/// **Content**: a record holds the arguments of a call, for a sink that must tell calls apart, and hides them from
/// `Debug` and serde. A sink that keeps them keeps whatever the model and the person said; a digest under a secret key
/// tells calls apart as well.
#[async_trait]
pub trait AuditSink: Send + Sync {
    /// Keeps a record.
    ///
    /// # Errors
    ///
    /// The record is not kept, or may not be.
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError>;
}

#[async_trait]
impl<A: AuditSink + ?Sized> AuditSink for Arc<A> {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        (**self).record(record).await
    }
}

/// A record was not kept.
#[derive(Debug, thiserror::Error)]
#[error("the audit took no record")]
pub struct AuditError {
    source: Box<dyn StdError + Send + Sync>,
}

impl AuditError {
    /// For this reason.
    pub fn new(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: source.into() }
    }
}
