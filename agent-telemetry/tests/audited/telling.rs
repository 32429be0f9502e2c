//! What goes on while the audit is told, and what becomes of a record that nobody waits for any more.

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agent_core::audit::{AuditError, AuditRecord, AuditSink, OnAuditFailure};
use agent_core::dispatch::code;
use agent_core::model::{Reply, ToolCall};
use agent_core::run_store::MemoryRunStore;
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{Agent, Cancellation, Limits, tool, tools};
use async_trait::async_trait;
use tokio::runtime;
use tokio::time::{Instant, sleep, timeout};

use crate::{calls, codes, effects, payer};

/// Takes each record after so many seconds.
struct Takes(u64, MemoryAudit);

#[async_trait]
impl AuditSink for Takes {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        sleep(Duration::from_secs(self.0)).await;
        self.1.record(record).await
    }
}

/// Fails after a second to take the first record, and takes all others.
#[derive(Default)]
struct FailsFirst(AtomicBool);

#[async_trait]
impl AuditSink for FailsFirst {
    async fn record(&self, _: AuditRecord) -> Result<(), AuditError> {
        if self.0.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        sleep(Duration::from_secs(1)).await;
        Err(AuditError::new("full"))
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

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cancelled_while_a_record_was_told_has_its_effect_when_it_is_made_again() {
    for (second, cut_off) in [(1, "run_started"), (3, "offered"), (5, "executed owed")] {
        let audit = MemoryAudit::new();
        let mut replies = vec![calls(&[("c2", "pay", r#"{"amount":5}"#)]), Reply::text("Paid.")];
        if cut_off == "executed owed" {
            replies.insert(0, calls(&[("c1", "owed", "{}")]));
        }
        let agent = crate::agent(replies, Takes(2, audit.clone()), &audit, OnAuditFailure::default());
        let stop = Cancellation::new();
        let run = tokio::spawn(agent.run("Pay.").caller(payer()).id("r").cancel(stop.clone()).into_future());
        sleep(Duration::from_secs(second)).await;
        stop.cancel("enough");
        assert_eq!(run.await.unwrap().unwrap_err().kind().as_str(), "cancelled");
        assert!(!audit.told().iter().any(|told| told == cut_off), "{cut_off}: {:?}", audit.told());
        let answer = agent.run("Pay.").caller(payer()).id("r").await.unwrap();
        let told = |what| audit.told().iter().filter(|told| *told == what).count();
        assert!(told(cut_off) > 0 && told("run_ended") == 2, "{cut_off}: {:?}", audit.told());
        assert_eq!((codes(answer.record()), effects(&agent)), (vec!["success".to_owned()], 1), "{cut_off}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_not_taken_after_its_run_was_dropped_is_lost() {
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Not paid.")];
    let agent = crate::agent(replies, FailsFirst::default(), &MemoryAudit::new(), OnAuditFailure::default());
    timeout(Duration::from_millis(500), agent.run("Pay.").caller(payer()).id("r").into_future()).await.unwrap_err();
    sleep(Duration::from_secs(1)).await;
    let answer = agent.run("Pay.").caller(payer()).id("r").await.unwrap();
    assert_eq!((codes(answer.record()), effects(&agent)), (vec![code::AUDIT_UNAVAILABLE.to_owned()], 0));
}

#[test]
fn a_record_whose_runtime_ends_before_it_is_taken_is_lost() {
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Not paid.")];
    let agent = crate::agent(replies, FailsFirst::default(), &MemoryAudit::new(), OnAuditFailure::default());
    let run = || agent.run("Pay.").caller(payer()).id("r").into_future();
    let runtime = || runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime().block_on(async { timeout(Duration::from_millis(500), run()).await.unwrap_err() });
    let answer = runtime().block_on(run()).unwrap();
    assert_eq!((codes(answer.record()), effects(&agent)), (vec![code::AUDIT_UNAVAILABLE.to_owned()], 0));
    // A run that its runtime takes along.
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Not paid.")];
    let agent = crate::agent(replies, FailsFirst::default(), &MemoryAudit::new(), OnAuditFailure::default());
    let run = || agent.run("Pay.").caller(payer()).id("r").into_future();
    let ends = runtime();
    ends.block_on(async {
        tokio::spawn(run());
        tokio::task::yield_now().await;
    });
    drop(ends);
    let answer = runtime().block_on(run()).unwrap();
    assert_eq!((codes(answer.record()), effects(&agent)), (vec![code::AUDIT_UNAVAILABLE.to_owned()], 0));
}
