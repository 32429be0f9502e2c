//! An audit in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::audit::{AuditError, AuditRecord, AuditSink};

/// Keeps the records of an audit in memory, or fails when it is told to. Clones are handles on the same records.
///
/// ```
/// use agent_core::audit::{AuditEvent, AuditRecord, AuditSink};
/// use agent_core::testing::MemoryAudit;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let audit = MemoryAudit::new();
/// let record = || AuditRecord::new("tenant_1", "usr_1", "order-4711", AuditEvent::RunStarted { resumed: false });
/// audit.record(record()).await.unwrap();
/// assert_eq!(audit.told(), ["run_started"]);
/// audit.fail(true);
/// assert!(audit.record(record()).await.is_err());
/// assert_eq!(audit.records().len(), 1);
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryAudit {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    records: Vec<AuditRecord>,
    fails: bool,
}

impl MemoryAudit {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on each record fails, or none.
    pub fn fail(&self, fails: bool) {
        self.lock().fails = fails;
    }

    /// The records so far.
    pub fn records(&self) -> Vec<AuditRecord> {
        self.lock().records.clone()
    }

    /// The records so far, as `event` or `event tool`.
    pub fn told(&self) -> Vec<String> {
        let line = |record: &AuditRecord| match &record.call {
            Some(call) => format!("{} {}", record.event.as_str(), call.tool),
            None => record.event.as_str().to_owned(),
        };
        self.lock().records.iter().map(line).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl AuditSink for MemoryAudit {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        let mut inner = self.lock();
        if inner.fails {
            return Err(AuditError::new("it was told to fail"));
        }
        inner.records.push(record);
        Ok(())
    }
}
