//! What an agent's audit is told, and what it does where the audit takes no record.

#![cfg(feature = "audit")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod decisions;
mod effects;
#[path = "../scripted/mod.rs"]
mod scripted;
mod telling;

use std::future::IntoFuture as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::audit::{AuditError, AuditEvent, AuditRecord, AuditSink, OnAuditFailure};
use agent_core::dispatch::code;
use agent_core::idempotency::{ClaimAdmin, IdempotencyStore, MemoryStore};
use agent_core::model::{Reply, ToolCall};
use agent_core::run::StepRecord;
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{
    Agent, BusinessError, Cancellation, Decision, Dispatch, Event, RunError, RunErrorKind, SecurityContext, ToolError,
    tool, tools,
};
use agent_telemetry::{DigestKey, FileAudit, Verify, verify};
use async_trait::async_trait;

/// What the tools of these tests borrow.
#[derive(agent_core::State)]
struct World {
    audit: MemoryAudit,
    effects: AtomicU32,
}

/// Pays an amount.
#[tool(mutating, permission = "pay")]
async fn pay(
    /// How much.
    amount: u32,
    audit: &MemoryAudit,
    effects: &AtomicU32,
) -> Result<String, ToolError> {
    match amount {
        0 => return Err(BusinessError::new("NOTHING_TO_PAY", "Nothing is to be paid.").into()),
        13 => panic!("unlucky"),
        _ => {}
    }
    effects.fetch_add(1, Ordering::SeqCst);
    Ok(format!("paid after {}", audit.told().last().cloned().unwrap_or_default()))
}

/// Gives money back, once a person has allowed it.
#[tool(mutating, permission = "pay", approval)]
async fn refund(
    /// How much.
    amount: u32,
    effects: &AtomicU32,
) -> u32 {
    effects.fetch_add(1, Ordering::SeqCst);
    amount
}

/// Says what is owed.
#[tool]
async fn owed() -> u32 {
    7
}

fn payer() -> SecurityContext {
    SecurityContext::new("usr_1", "tenant_1").role("pay")
}

fn calls(calls: &[(&str, &str, &str)]) -> Reply {
    Reply::calls(calls.iter().map(|(id, tool, arguments)| ToolCall::new(*id, *tool, *arguments)))
}

fn agent(
    replies: Vec<Reply>,
    sink: impl AuditSink + 'static,
    audit: &MemoryAudit,
    then: OnAuditFailure,
) -> Agent<World> {
    let audit = audit.clone();
    let switch = audit.clone();
    Agent::builder(ScriptedModel::new(replies))
        .tools(tools![pay, refund, owed])
        .state(World { audit, effects: AtomicU32::new(0) })
        .audit(sink)
        .on_audit_failure(then)
        // A sink that fails in the first turn works again in the second.
        .observer(move |_: &str, event: &Event| {
            if matches!(event, Event::CycleStarted { cycle: 2, .. }) {
                switch.fail(false);
            }
        })
        .build()
        .unwrap()
}

fn effects(agent: &Agent<World>) -> u32 {
    agent.state().effects.load(Ordering::SeqCst)
}

fn codes(record: &agent_core::run::Record) -> Vec<String> {
    let code = |step: &StepRecord| match step {
        StepRecord::Tool(step) => Some(step.code.clone().unwrap_or_else(|| step.status.as_str().to_owned())),
        _ => None,
    };
    record.steps.iter().filter_map(code).collect()
}

#[tokio::test(start_paused = true)]
async fn each_decision_of_a_run_is_one_record() {
    let audit = MemoryAudit::new();
    scripted::run_audited(|_: &str, _: &Event| {}, audit.clone()).await;
    assert_eq!(
        audit.told(),
        [
            "run_started",
            "offered",
            "executed stock",
            "executed stock",
            "executed stock",
            "claimed order",
            "executed order",
            "settled order",
            "replayed order",
            "denied delete_orders",
            "invalid order",
            "invalid order",
            "run_ended",
        ]
    );
    let records = audit.records();
    assert!(records.iter().all(|record| record.tenant == "tenant_1" && record.user == "usr_1"));
    assert!(records.iter().all(|record| record.run_id == "order-4711"));
    let keys: Vec<_> = records[5..9].iter().map(|record| record.call.as_ref().unwrap().key.clone().unwrap()).collect();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(records[5].call.as_ref().unwrap().arguments.expose(), r#"{"article":"A1","pieces":2}"#);
    let AuditEvent::Executed { attempts: 2, .. } = records[4].event else { panic!("{:?}", records[4]) };
    let AuditEvent::RunEnded { reason, bound: Some(bound) } = &records[12].event else { panic!("{:?}", records[12]) };
    assert_eq!((&**reason, bound.name, bound.value.as_deref()), ("circuit_open", "repeat_errors", Some("2")));
}

#[tokio::test]
async fn an_effect_begins_only_after_its_record_is_taken() {
    let audit = MemoryAudit::new();
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Paid.")];
    let agent = agent(replies, audit.clone(), &audit, OnAuditFailure::default());
    let answer = agent.run("Pay.").caller(payer()).id("r").await.unwrap();
    let shown = format!("{:?}", answer.record().messages);
    assert!(shown.contains("paid after claimed pay"), "{shown}");
    assert_eq!(audit.told(), ["run_started", "offered", "claimed pay", "executed pay", "settled pay", "run_ended"]);
}

#[tokio::test]
async fn a_lost_record_stops_the_effects_of_its_run_and_not_its_reads() {
    let audit = MemoryAudit::new();
    audit.fail(true);
    let replies = vec![
        calls(&[("c1", "owed", "{}"), ("c2", "pay", r#"{"amount":5}"#)]),
        calls(&[("c3", "pay", r#"{"amount":6}"#)]),
        Reply::text("Not paid."),
    ];
    let agent = agent(replies, audit.clone(), &audit, OnAuditFailure::StopEffects);
    let error = agent.run("Pay.").caller(payer()).id("r").await.unwrap_err();
    // The sink works again in the second turn, but the run has a hole in its audit.
    assert_eq!(codes(error.record()), ["success", code::AUDIT_UNAVAILABLE, code::AUDIT_UNAVAILABLE]);
    assert_eq!(effects(&agent), 0);
    assert_eq!(error.kind().as_str(), "circuit_open");
    let unknown = agent.memory_store().unwrap().unknown_claims("tenant_1", None, 10).await.unwrap();
    assert!(unknown.is_empty(), "a call that did not run leaves no claim");
}

#[tokio::test]
async fn where_the_host_says_so_a_run_goes_on_without_its_audit() {
    let audit = MemoryAudit::new();
    audit.fail(true);
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Paid.")];
    let agent = agent(replies, audit.clone(), &audit, OnAuditFailure::GoOn);
    agent.run("Pay.").caller(payer()).id("r").await.unwrap();
    assert_eq!(effects(&agent), 1);
    assert_eq!(audit.told(), ["run_ended"]);
}

#[derive(Clone, Copy)]
enum Bad {
    Hangs,
    Panics,
}

#[async_trait]
impl AuditSink for Bad {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        match (self, record.event) {
            (Self::Hangs, AuditEvent::Claimed) => std::future::pending().await,
            (Self::Panics, AuditEvent::Claimed) => panic!("a broken sink"),
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_hangs_or_panics_is_one_that_fails() {
    for bad in [Bad::Hangs, Bad::Panics] {
        let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Not paid.")];
        let agent = agent(replies, bad, &MemoryAudit::new(), OnAuditFailure::StopEffects);
        let answer = agent.run("Pay.").caller(payer()).id("r").await.unwrap();
        assert_eq!(codes(answer.record()), [code::AUDIT_UNAVAILABLE]);
        assert_eq!(effects(&agent), 0);
    }
}

/// Takes every record but the last ones of an effect, for which it never answers.
struct Slow;

#[async_trait]
impl AuditSink for Slow {
    async fn record(&self, record: AuditRecord) -> Result<(), AuditError> {
        match record.event {
            AuditEvent::Executed { .. } => std::future::pending().await,
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_hangs_after_an_effect_does_not_make_its_outcome_unknown() {
    let replies = vec![calls(&[("c1", "pay", r#"{"amount":5}"#)]), Reply::text("Paid.")];
    let agent = agent(replies, Slow, &MemoryAudit::new(), OnAuditFailure::StopEffects);
    let answer = agent.run("Pay.").caller(payer()).id("r").await.unwrap();
    assert_eq!((codes(answer.record()), effects(&agent)), (vec!["success".to_owned()], 1));
}

/// Never answers anything.
struct Deaf;

#[async_trait]
impl AuditSink for Deaf {
    async fn record(&self, _: AuditRecord) -> Result<(), AuditError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_never_answers_stops_effects_and_neither_a_run_nor_a_cancel() {
    let replies = || {
        let both = [("c1", "owed", "{}"), ("c2", "pay", r#"{"amount":5}"#)];
        vec![calls(&both), calls(&[("c3", "delete", "{}")]), Reply::text("Done.")]
    };
    let quiet = MemoryAudit::new();
    for (then, pays) in [(OnAuditFailure::StopEffects, 0), (OnAuditFailure::GoOn, 1)] {
        let agent = agent(replies(), Deaf, &quiet, then);
        let begun = tokio::time::Instant::now();
        let answer = agent.run("Pay.").caller(payer()).await.unwrap();
        assert_eq!((answer.text(), effects(&agent)), ("Done.", pays));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    let agent = agent(replies(), Deaf, &quiet, OnAuditFailure::StopEffects);
    let stop = Cancellation::new();
    let run = tokio::spawn(agent.run("Pay.").caller(payer()).cancel(stop.clone()).into_future());
    tokio::time::sleep(Duration::from_millis(10)).await;
    let asked = tokio::time::Instant::now();
    stop.cancel("enough");
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind().as_str(), "cancelled");
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn an_effect_that_did_not_happen_is_released_and_one_of_which_nobody_knows_is_unknown() {
    let audit = MemoryAudit::new();
    let replies = vec![
        calls(&[("c1", "pay", r#"{"amount":0}"#)]),
        calls(&[("c2", "pay", r#"{"amount":13}"#)]),
        Reply::text("Never said."),
    ];
    let agent = agent(replies, audit.clone(), &audit, OnAuditFailure::default());
    let error: RunError = agent.run("Pay.").caller(payer()).id("r").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "outcome_unknown");
    assert_eq!(
        audit.told()[2..],
        ["claimed pay", "executed pay", "released pay", "claimed pay", "executed pay", "unknown pay", "run_ended"]
    );
    let causes: Vec<_> = audit
        .records()
        .into_iter()
        .filter_map(|record| match record.event {
            AuditEvent::Unknown { cause } => Some(cause),
            AuditEvent::Executed { code, .. } => code,
            _ => None,
        })
        .collect();
    assert_eq!(causes, ["NOTHING_TO_PAY", code::OUTCOME_UNKNOWN, "panic"]);
}

#[tokio::test]
async fn what_a_person_decided_is_recorded_with_who_it_was() {
    for (decide, told) in [
        (
            (|pending| agent_core::run::Pending::approve(pending, "usr_boss"))
                as fn(&agent_core::run::Pending) -> Decision,
            "approved",
        ),
        (|pending| pending.edit("usr_boss", r#"{"amount":2}"#), "edited"),
        (|pending| pending.reject("usr_boss", "not today"), "rejected"),
    ] {
        let audit = MemoryAudit::new();
        let replies = vec![calls(&[("c1", "refund", r#"{"amount":5}"#)]), Reply::text("Done.")];
        let agent = agent(replies, audit.clone(), &audit, OnAuditFailure::default());
        let error = agent.run("Refund.").caller(payer()).id("r").await.unwrap_err();
        let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error}") };
        let decision = decide(&run.pending()[0]);
        agent.resume((**run).clone()).caller(payer()).decide(decision).await.unwrap();
        let mut expected = vec!["run_started", "offered", "run_ended", "run_started"];
        let decided = format!("{told} refund");
        expected.push(&decided);
        if told != "rejected" {
            expected.extend(["claimed refund", "executed refund", "settled refund"]);
        }
        expected.extend(["offered", "run_ended"]);
        assert_eq!(audit.told(), expected);
        let records = audit.records();
        assert_eq!(records[3].event, AuditEvent::RunStarted { resumed: true });
        let by = match &records[4].event {
            AuditEvent::Approved { by } | AuditEvent::Edited { by } | AuditEvent::Rejected { by } => by,
            other => panic!("{other:?}"),
        };
        assert_eq!(by, "usr_boss");
        let amount = if told == "edited" { r#"{"amount":2}"# } else { r#"{"amount":5}"# };
        assert_eq!(records[4].call.as_ref().unwrap().arguments.expose(), amount);
    }
}

#[tokio::test]
async fn a_call_without_the_loop_is_audited_too() {
    let audit = MemoryAudit::new();
    let agent = agent(Vec::new(), audit.clone(), &audit, OnAuditFailure::default());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let (caller, run): (_, Arc<str>) = (Arc::new(payer()), Arc::from("by hand"));
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    for (tool, arguments) in [("pay", r#"{"amount":5}"#), ("pay", "{}"), ("nothing", "{}"), ("owed", "{}")] {
        agent.toolbox().dispatch(&ToolCall::new("c", tool, arguments), &at).await;
    }
    assert_eq!(
        audit.told(),
        ["claimed pay", "executed pay", "settled pay", "invalid pay", "invalid nothing", "executed owed"]
    );
}

#[tokio::test]
async fn a_whole_run_is_kept_in_a_file_that_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let key = DigestKey::new(b"a secret key of the tests").unwrap();
    let audit = FileAudit::builder(key).open(&path).unwrap();
    scripted::run_audited(|_: &str, _: &Event| {}, audit.clone()).await;
    let found = verify([&path], &Verify::new().head(audit.head().digest)).unwrap();
    assert_eq!((found.records, found.problems), (13, vec![]));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("article") && text.contains("hmac_sha256"), "{text}");
}
