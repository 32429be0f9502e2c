//! The decisions that begin no run, or that the finish tool meets.

use agent_core::audit::{AuditEvent, OnAuditFailure};
use agent_core::dispatch::code;
use agent_core::model::{Reply, ToolCall};
use agent_core::run_store::MemoryRunStore;
use agent_core::schema::Link;
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{Agent, Limits, RunErrorKind, SecurityContext, ToolSchema, tool, tools};
use serde::{Deserialize, Deserializer};

use crate::{calls, codes, effects, payer};

fn invalid(audit: &MemoryAudit) -> Vec<(String, String)> {
    let records = audit.records().into_iter();
    records
        .filter_map(|record| match record.event {
            AuditEvent::Invalid { code } => Some((record.call.unwrap().tool, code)),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_stored_end_that_is_given_again_and_an_id_that_is_refused_are_told() {
    let audit = MemoryAudit::new();
    let model = ScriptedModel::new([Reply::text("Seven.")]);
    let agent = Agent::builder(model).run_store(MemoryRunStore::new()).audit(audit.clone()).build().unwrap();
    agent.run("How many?").caller(payer()).id("r").await.unwrap();
    agent.run("How many?").caller(payer()).id("r").await.unwrap();
    agent.run("How much?").caller(payer()).id("r").await.unwrap_err();
    agent.run("How many?").caller(SecurityContext::new("usr_2", "tenant_1")).id("r").await.unwrap_err();
    let records = audit.records();
    assert_eq!(
        records[3..].iter().map(|record| record.event.clone()).collect::<Vec<_>>(),
        [
            AuditEvent::StoredEnd { reason: "answered".to_owned() },
            AuditEvent::RunRefused { cause: "another_prompt".to_owned() },
            AuditEvent::RunRefused { cause: "another_user".to_owned() },
        ]
    );
    assert_eq!((&*records[5].user, &*records[5].run_id), ("usr_2", "r"), "it is told who asked");
}

#[tokio::test]
async fn whoever_may_not_take_up_a_run_is_told() {
    let audit = MemoryAudit::new();
    let replies = vec![calls(&[("c1", "refund", r#"{"amount":5}"#)])];
    let agent = crate::agent(replies, audit.clone(), &audit, OnAuditFailure::default());
    let error = agent.run("Refund.").caller(payer()).id("r").await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error}") };
    let decision = run.pending()[0].approve("usr_boss");
    let other = SecurityContext::new("usr_2", "tenant_1").role("pay");
    agent.resume((**run).clone()).caller(other).decide(decision.clone()).await.unwrap_err();
    agent.resume((**run).clone()).caller(payer()).decide(decision.clone()).decide(decision).await.unwrap_err();
    let refused: Vec<_> = audit.records().into_iter().skip(3).map(|record| (record.user, record.event)).collect();
    let cause = |cause: &str| AuditEvent::RunRefused { cause: cause.to_owned() };
    assert_eq!(refused, [("usr_2".to_owned(), cause("another_user")), ("usr_1".to_owned(), cause("not_resumed"))]);
}

#[tokio::test]
async fn a_run_that_lost_a_record_begins_no_effect_when_it_is_taken_up() {
    let audit = MemoryAudit::new();
    let replies = vec![calls(&[("c1", "refund", r#"{"amount":5}"#)]), Reply::text("Not refunded.")];
    let agent = crate::agent(replies, audit.clone(), &audit, OnAuditFailure::default());
    audit.fail(true);
    let error = agent.run("Refund.").caller(payer()).id("r").await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error}") };
    audit.fail(false);
    let decision = run.pending()[0].approve("usr_boss");
    let answer = agent.resume((**run).clone()).caller(payer()).decide(decision).await.unwrap();
    assert_eq!((codes(answer.record()), effects(&agent)), (vec![code::AUDIT_UNAVAILABLE.to_owned()], 0));
    assert_eq!(audit.told(), ["run_started", "approved refund", "not_run refund", "offered", "run_ended"]);
}

#[derive(Deserialize, ToolSchema)]
struct Verdict {
    /// Whether it holds.
    holds: bool,
}

#[tokio::test]
async fn an_answer_that_does_not_fit_and_one_that_the_host_does_not_take_are_told() {
    let audit = MemoryAudit::new();
    let finish = |arguments: &str| Reply::calls([ToolCall::new("f", "finish", arguments)]);
    let model = ScriptedModel::new([
        finish("{}"),
        finish("{"),
        // Beside another call it goes through the gates of a turn.
        Reply::calls([ToolCall::new("f", "finish", "{}"), ToolCall::new("l", "owed", "{}")]),
        finish(r#"{"holds":false}"#),
        finish(r#"{"holds":true}"#),
    ]);
    let limits = Limits::default().invalid_turns(9).repeat_errors(9);
    let agent = Agent::builder(model).tools(tools![crate::owed]).limits(limits).audit(audit.clone()).build().unwrap();
    let run = agent.run("Does it hold?").answer::<Verdict>();
    let answer = run.check_answer(|it, _| if it.holds { Ok(()) } else { Err("look again".to_owned()) }).await.unwrap();
    assert!(answer.value().holds);
    let finish = |code: &str| ("finish".to_owned(), code.to_owned());
    assert_eq!(
        invalid(&audit),
        [
            finish(code::SCHEMA_VALIDATION_FAILED),
            finish(code::MALFORMED_JSON),
            finish(code::SCHEMA_VALIDATION_FAILED),
            finish(code::ANSWER_REJECTED),
        ]
    );
}

/// A word that is read by code that breaks.
struct Fragile;

impl ToolSchema for Fragile {
    const SHAPE: Link = <String as ToolSchema>::SHAPE;
}

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("unlucky")
    }
}

/// Takes a fragile word.
#[tool(mutating, unrestricted)]
async fn take(
    /// The word.
    word: Fragile,
) {
    let _ = word;
}

#[tokio::test]
async fn a_call_whose_arguments_could_not_be_read_is_told() {
    let audit = MemoryAudit::new();
    let model = ScriptedModel::new([calls(&[("c1", "take", r#"{"word":"x"}"#)]), Reply::text("Oh.")]);
    let agent = Agent::builder(model).tools(tools![take]).audit(audit.clone()).build().unwrap();
    agent.run("Go.").await.unwrap();
    assert_eq!(invalid(&audit), [("take".to_owned(), code::INTERNAL_EXECUTION_FAILURE.to_owned())]);
}
