//! What goes on while the audit is told.

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::time::Duration;

use agent_core::audit::{AuditError, AuditRecord, AuditSink};
use agent_core::model::{Reply, ToolCall};
use agent_core::run_store::MemoryRunStore;
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{Agent, Limits, tool, tools};
use async_trait::async_trait;
use tokio::time::{Instant, sleep};

/// Takes each record after so many seconds.
struct Takes(u64, MemoryAudit);

#[async_trait]
impl AuditSink for Takes {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        sleep(Duration::from_secs(self.0)).await;
        self.1.record(record).await
    }
}

/// Gives what nobody may have.
#[tool(permission = "nobody")]
async fn vault() -> u32 {
    7
}

#[tokio::test(start_paused = true)]
async fn a_run_stays_its_owners_while_a_slow_audit_is_told_and_many_refusals_take_as_long_as_one() {
    let (store, audit) = (Arc::new(MemoryRunStore::new()), MemoryAudit::new());
    let builder = |replies: Vec<Reply>| {
        let limits = Limits::default().lease(Duration::from_secs(2));
        Agent::builder(ScriptedModel::new(replies)).tools(tools![vault]).run_store(store.clone()).limits(limits)
    };
    let many = (0..9).map(|n| ToolCall::new(format!("c{n}"), "vault", "{}"));
    let first = builder(vec![Reply::calls(many), Reply::text("No.")]).audit(Takes(4, audit.clone())).build().unwrap();
    let second = builder(Vec::new()).build().unwrap();
    let begun = Instant::now();
    let run = tokio::spawn(first.run("Go.").id("r").into_future());
    let mut asked = 0;
    loop {
        sleep(Duration::from_millis(1_100)).await;
        if run.is_finished() {
            break;
        }
        let error = second.run("Go.").id("r").await.unwrap_err();
        assert_eq!(error.kind().as_str(), "owned", "after {:?}", begun.elapsed());
        asked += 1;
    }
    assert_eq!(run.await.unwrap().unwrap_err().kind().as_str(), "permission_denied");
    let told = audit.told();
    assert_eq!(told.iter().filter(|told| *told == "denied vault").count(), 9);
    assert_eq!((told.first().unwrap().as_str(), told.last().unwrap().as_str()), ("run_started", "run_ended"));
    assert!(asked > 10 && begun.elapsed() < Duration::from_secs(22), "{asked}, {:?}", begun.elapsed());
}
