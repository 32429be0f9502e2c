//! The records of one effect: each of what happened, once, in order, and in time.

use std::sync::Arc;
use std::time::Duration;

use agent_core::audit::{AuditError, AuditEvent, AuditRecord, AuditSink};
use agent_core::dispatch::{CallLimits, code};
use agent_core::idempotency::{
    Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, MemoryStore, Settled, StoreError,
};
use agent_core::model::{Reply, ToolCall};
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{Agent, BusinessError, Cancellation, Dispatch, SecurityContext, ToolError, ToolResult, tool, tools};
use async_trait::async_trait;

use crate::{calls, codes};

/// Takes as long as it is told.
#[tool(mutating, unrestricted, timeout = "2s")]
async fn slow(
    /// In milliseconds.
    millis: u32,
) -> String {
    tokio::time::sleep(Duration::from_millis(millis.into())).await;
    "done".to_owned()
}

/// Reads as long as it is told.
#[tool(timeout = "2s")]
async fn look(
    /// In milliseconds.
    millis: u32,
) -> String {
    tokio::time::sleep(Duration::from_millis(millis.into())).await;
    "seen".to_owned()
}

/// Refuses.
#[tool(mutating, unrestricted)]
async fn refuse() -> Result<u32, BusinessError> {
    Err(BusinessError::new("CLOSED", "The books are closed."))
}

/// Panics, and takes long to say whether it did something before.
#[tool(mutating, unrestricted, timeout = "2s", reconcile = did)]
async fn send() -> Result<u32, ToolError> {
    panic!("unlucky")
}

async fn did() -> Result<Option<u32>, ToolError> {
    tokio::time::sleep(Duration::from_secs(3)).await;
    Err(ToolError::fatal("nobody answers"))
}

/// Takes each record after so long.
#[derive(Clone)]
struct Takes(Duration, MemoryAudit);

#[async_trait]
impl AuditSink for Takes {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        tokio::time::sleep(self.0).await;
        self.1.record(record).await
    }
}

fn sink(millis: u64) -> (Takes, MemoryAudit) {
    let audit = MemoryAudit::new();
    (Takes(Duration::from_millis(millis), audit.clone()), audit)
}

fn agent(replies: Vec<Reply>, sink: impl AuditSink + 'static) -> Agent {
    let model = ScriptedModel::new(replies);
    Agent::builder(model).tools(tools![slow, look, refuse, send]).audit(sink).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_is_unknown_first_and_settled_when_it_ends() {
    let (sink, audit) = sink(0);
    let agent = agent(vec![calls(&[("c1", "slow", r#"{"millis":5000}"#)]), Reply::text("Never said.")], sink);
    let error = agent.run("Go.").id("r").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "outcome_unknown");
    assert_eq!(audit.told()[2..], ["claimed slow", "unknown slow", "run_ended"]);
    assert!(agent.drain(Duration::from_secs(10)).await.is_empty());
    assert_eq!(audit.told()[5..], ["executed slow", "settled slow"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_at_its_last_moment_makes_no_sink_slow_and_keeps_its_result() {
    let (sink, audit) = sink(50);
    let replies = vec![
        calls(&[("c1", "slow", r#"{"millis":1940}"#)]),
        calls(&[("c2", "look", r#"{"millis":1999}"#)]),
        calls(&[("c3", "slow", r#"{"millis":1}"#)]),
        Reply::text("Done."),
    ];
    let agent = agent(replies, sink);
    let answer = agent.run("Go.").id("r").await.unwrap();
    // A record that was counted as lost would keep the last call from running.
    assert_eq!(codes(answer.record()), ["success"; 3]);
    assert_eq!(
        audit.told()[2..],
        [
            "claimed slow",
            "executed slow",
            "settled slow",
            "executed look",
            "claimed slow",
            "executed slow",
            "settled slow",
            "run_ended"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_read_that_ends_at_the_runs_last_moment_makes_no_sink_slow() {
    let (sink, audit) = sink(50);
    let agent = agent(vec![calls(&[("c1", "look", r#"{"millis":1500}"#)])], sink);
    let limits = agent_core::Limits::default().timeout(Duration::from_millis(1_610));
    let error = agent.run("Go.").id("r").limits(limits).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "timeout");
    assert_eq!(audit.told()[2..], ["executed look", "run_ended"]);
}

#[tokio::test(start_paused = true)]
async fn whichever_comes_first_of_an_end_and_of_whoever_leaves_is_told_first() {
    // The sink takes longer than lies between the two.
    for (millis, code, told) in [
        (1_700, "success", &["executed slow", "settled slow"][..]),
        (1_990, code::OUTCOME_UNKNOWN, &["unknown slow", "executed slow", "settled slow"]),
    ] {
        let (sink, audit) = sink(200);
        let arguments = format!(r#"{{"millis":{millis}}}"#);
        let agent = agent(vec![calls(&[("c1", "slow", &arguments)]), Reply::text("Done.")], sink);
        let record = match agent.run("Go.").id("r").await {
            Ok(answer) => answer.record().clone(),
            Err(error) => error.record().clone(),
        };
        assert!(agent.drain(Duration::from_secs(10)).await.is_empty());
        assert_eq!(codes(&record), [code], "{millis}");
        let of_call: Vec<_> = audit.told().into_iter().filter(|told| told.ends_with(" slow")).collect();
        assert_eq!(of_call[1..], *told, "{millis}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_unknown_once_and_then_told_how_it_ended() {
    let (sink, audit) = sink(200);
    let agent = agent(vec![calls(&[("c1", "slow", r#"{"millis":1000}"#)])], sink);
    let stop = Cancellation::new();
    let run = tokio::spawn(std::future::IntoFuture::into_future(agent.run("Go.").id("r").cancel(stop.clone())));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    stop.cancel("enough");
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind().as_str(), "outcome_unknown");
    assert!(agent.drain(Duration::from_secs(10)).await.is_empty());
    let of_call: Vec<_> = audit.told().into_iter().filter(|told| told.ends_with(" slow")).collect();
    assert_eq!(of_call, ["claimed slow", "unknown slow", "executed slow", "settled slow"]);
}

#[tokio::test(start_paused = true)]
async fn an_earlier_call_of_which_nobody_knows_is_unknown_once() {
    let (sink, audit) = sink(0);
    let agent = agent(Vec::new(), sink);
    // The first is unknown by its panic; the second finds no answer in its time.
    let results = by_hand(&agent, &MemoryStore::new_shared(), &[("send", "{}"), ("send", "{}")]).await;
    assert_eq!(results.iter().map(|result| result.code().unwrap()).collect::<Vec<_>>(), [code::OUTCOME_UNKNOWN; 2]);
    assert!(agent.drain(Duration::from_secs(60)).await.is_empty());
    assert_eq!(audit.told(), ["claimed send", "executed send", "unknown send", "unknown send"]);
}

trait Share {
    fn new_shared() -> Arc<dyn IdempotencyStore>;
}

impl Share for MemoryStore {
    fn new_shared() -> Arc<dyn IdempotencyStore> {
        Arc::new(Self::new())
    }
}

/// Makes these calls one after the other, under one run id.
async fn by_hand(agent: &Agent, store: &Arc<dyn IdempotencyStore>, calls: &[(&str, &str)]) -> Vec<ToolResult> {
    let (caller, run): (_, Arc<str>) = (Arc::new(SecurityContext::new("usr_1", "tenant_1")), Arc::from("by hand"));
    let limits = CallLimits { grace: Duration::from_secs(5), ..CallLimits::default() };
    let at = Dispatch::new(&caller, agent.state(), store, &run).limits(limits);
    let mut results = Vec::new();
    for (tool, arguments) in calls {
        results.push(agent.toolbox().dispatch(&ToolCall::new("c", *tool, *arguments), &at).await);
    }
    results
}

/// Claims and settles, and never releases.
struct Keeps(MemoryStore);

#[async_trait]
impl IdempotencyStore for Keeps {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        self.0.claim(request).await
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.0.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        self.0.settle(key, fence, settled).await
    }

    async fn release(&self, _: &IdempotencyKey, _: Fence) -> Result<(), StoreError> {
        Err(StoreError::failed("the line is dead"))
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.0.mark_unknown(key, fence, cause).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_could_not_be_released_is_not_told_to_be() {
    let (sink, audit) = sink(0);
    let agent = agent(Vec::new(), sink);
    let store: Arc<dyn IdempotencyStore> = Arc::new(Keeps(MemoryStore::new()));
    let results = by_hand(&agent, &store, &[("refuse", "{}")]).await;
    assert_eq!(results[0].code(), Some("CLOSED"), "nothing was done, whatever became of the claim");
    assert_eq!(audit.told(), ["claimed refuse", "executed refuse", "unknown refuse"]);
    assert_eq!(audit.records()[2].event, AuditEvent::Unknown { cause: "not released".to_owned() });
}

#[tokio::test(start_paused = true)]
async fn a_call_that_the_gates_let_through_and_that_did_not_run_is_told_with_its_code() {
    struct Down;

    #[async_trait]
    impl IdempotencyStore for Down {
        async fn claim(&self, _: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
            Err(StoreError::failed("the line is dead"))
        }
        async fn renew(&self, _: &IdempotencyKey, _: Fence, _: Duration) -> Result<(), StoreError> {
            Ok(())
        }
        async fn settle(&self, _: &IdempotencyKey, _: Fence, _: &Settled) -> Result<(), StoreError> {
            Ok(())
        }
        async fn release(&self, _: &IdempotencyKey, _: Fence) -> Result<(), StoreError> {
            Ok(())
        }
        async fn mark_unknown(&self, _: &IdempotencyKey, _: Fence, _: &str) -> Result<(), StoreError> {
            Ok(())
        }
    }

    let (sink, audit) = sink(0);
    let agent = agent(Vec::new(), sink);
    let store: Arc<dyn IdempotencyStore> = Arc::new(Down);
    by_hand(&agent, &store, &[("refuse", "{}")]).await;
    assert_eq!(audit.told(), ["not_run refuse"]);
    assert_eq!(audit.records()[0].event, AuditEvent::NotRun { code: code::STORE_UNAVAILABLE.to_owned() });
}

#[tokio::test]
async fn a_lost_record_stops_the_effects_of_its_run_id_by_hand_too_and_of_no_other() {
    let audit = MemoryAudit::new();
    let agent = agent(Vec::new(), audit.clone());
    let store = MemoryStore::new_shared();
    let quick = r#"{"millis":0}"#;
    audit.fail(true);
    let lost = by_hand(&agent, &store, &[("slow", quick)]).await;
    audit.fail(false);
    let after = by_hand(&agent, &store, &[("slow", quick), ("look", quick)]).await;
    let code = |results: &[ToolResult]| results[0].code().map(str::to_owned);
    assert_eq!((code(&lost), code(&after)), (Some("AUDIT_UNAVAILABLE".into()), Some("AUDIT_UNAVAILABLE".into())));
    assert!(after[1].data().is_some(), "reads go on");
    assert_eq!(audit.told(), ["not_run slow", "executed look"]);

    for (tenant, run, runs) in [("tenant_1", "another", true), ("tenant_2", "by hand", true)] {
        let (caller, run): (_, Arc<str>) = (Arc::new(SecurityContext::new("usr_1", tenant)), Arc::from(run));
        let at = Dispatch::new(&caller, agent.state(), &store, &run);
        let result = agent.toolbox().dispatch(&ToolCall::new("c", "slow", quick), &at).await;
        assert_eq!(result.data().is_some(), runs, "{tenant} {run}");
    }
}
