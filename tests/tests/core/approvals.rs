//! Calls that wait for people: a run that is suspended, saved, and taken up with their decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent_core::model::{Reply, ToolCall};
use agent_core::run::{Pending, Run, StepRecord};
use agent_core::testing::ScriptedModel;
use agent_core::{
    Agent, Approver, CallContext, Decision, Provide, RunError, RunErrorKind, SecurityContext, Status, tool, tools,
};

use crate::world::{App, World, look, writer};

/// Pays somebody.
#[tool(mutating, permission = "world:write", approval)]
async fn pay(
    /// Whom.
    to: String,
    /// How much.
    #[arg(minimum = 1, maximum = 1000)]
    amount: u32,
    paid: &Paid,
    _call: &CallContext,
) -> String {
    paid.0.fetch_add(amount, Ordering::SeqCst);
    format!("{amount} to {to}")
}

/// Notes something.
#[tool(mutating, permission = "world:write")]
async fn note(
    /// What.
    text: String,
    paid: &Paid,
) -> usize {
    paid.1.fetch_add(1, Ordering::SeqCst);
    text.len()
}

#[derive(Debug, Default, Clone)]
struct Paid(Arc<AtomicU32>, Arc<AtomicU32>);

#[derive(Default)]
struct Office {
    app: App,
    paid: Paid,
}

impl Provide<World> for Office {
    fn provide(&self) -> &World {
        &self.app.world
    }
}

impl Provide<Paid> for Office {
    fn provide(&self) -> &Paid {
        &self.paid
    }
}

fn builder(replies: Vec<Reply>, paid: &Paid) -> agent_core::Builder<Office, impl agent_core::Offer<Office> + use<>> {
    let state = Office { paid: paid.clone(), app: App::default() };
    Agent::builder(ScriptedModel::new(replies)).tools(tools![look, pay, note]).state(state)
}

fn agent(replies: impl IntoIterator<Item = Reply>, paid: &Paid) -> Agent<Office> {
    builder(replies.into_iter().collect(), paid).build().unwrap()
}

fn pays(id: &str, amount: u32) -> ToolCall {
    ToolCall::new(id, "pay", format!(r#"{{"to":"Ada","amount":{amount}}}"#))
}

fn suspended(error: RunError) -> Run {
    match error.kind() {
        RunErrorKind::Suspended(run) => {
            // Another process has only what was saved.
            let saved = serde_json::to_string(run).unwrap();
            serde_json::from_str(&saved).unwrap()
        }
        other => panic!("expected a suspended run, got {other:?}"),
    }
}

fn results(steps: &[StepRecord]) -> Vec<(String, Status, Option<String>)> {
    let tools = steps.iter().filter_map(|step| match step {
        StepRecord::Tool(tool) => Some((tool.call_id.to_string(), tool.status, tool.code.clone())),
        _ => None,
    });
    tools.collect()
}

#[tokio::test]
async fn a_tool_that_asks_for_approval_suspends_the_run_and_is_taken_up_in_another_process() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    assert_eq!(paid.0.load(Ordering::SeqCst), 0);
    let decision = run.pending()[0].approve("boss");

    let elsewhere = agent([Reply::text("Paid.")], &paid);
    let answer = elsewhere.resume(run).caller(writer()).decide(decision).await.unwrap();
    assert_eq!(answer.text(), "Paid.");
    assert_eq!(paid.0.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn finished_calls_keep_their_results_and_each_decision_reaches_its_own_call() {
    let paid = Paid::default();
    let calls = [
        ToolCall::new("r", "look", r#"{"how":"ok"}"#),
        pays("a", 10),
        pays("b", 20),
        pays("c", 30),
        ToolCall::new("s", "look", r#"{"how":"ok","n":2}"#),
        ToolCall::new("n", "note", r#"{"text":"held back behind the payments"}"#),
    ];
    let error = agent([Reply::calls(calls)], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    assert_eq!(results(&error.record().steps).len(), 2, "the reads ran, and nothing else");
    let run = suspended(error);
    let pending = run.pending();
    assert_eq!(pending.iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let decisions = [
        pending[2].approve("boss"),
        pending[0].reject("boss", "not Ada."),
        pending[1].edit("boss", r#"{"to":"Bob","amount":5}"#),
    ];
    let elsewhere = agent([Reply::text("Some.")], &paid);
    let mut resumed = elsewhere.resume(run).caller(writer());
    for decision in decisions {
        resumed = resumed.decide(decision);
    }
    let answer = resumed.await.unwrap();
    assert_eq!(paid.0.load(Ordering::SeqCst), 35);
    let mut results = results(&answer.record().steps);
    results.sort_by(|a, b| a.0.cmp(&b.0));
    let rejected = (Status::PermissionDenied, Some("APPROVAL_REJECTED".to_owned()));
    let ok = (Status::Success, None);
    let expected =
        [("a", rejected), ("b", ok.clone()), ("c", ok.clone()), ("n", ok.clone()), ("r", ok.clone()), ("s", ok)];
    assert_eq!(results, expected.map(|(id, (status, code))| (id.to_owned(), status, code)));
    let shown = format!("{:?}", answer.record().messages);
    assert!(shown.contains("not Ada.") && shown.contains("Bob"), "the model is told: {shown}");
}

#[tokio::test]
async fn a_decision_about_anything_else_is_refused_and_loses_nothing() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    let pending = run.pending().remove(0);
    let other_call = {
        let mut decision = pending.approve("boss");
        decision.call_id = agent_core::model::CallId::new("b");
        decision
    };
    let other_arguments = {
        let mut decision = pending.approve("boss");
        decision.digest = agent_core::arguments::Digest::from_bytes([7; 32]);
        decision
    };
    let other_run = {
        let calls = [Reply::calls([pays("a", 10)])];
        let error = agent(calls, &paid).run("Pay.").caller(writer()).id("another").await.unwrap_err();
        suspended(error).pending()[0].approve("boss")
    };
    let too_much = pending.edit("boss", r#"{"to":"Ada","amount":5000}"#);
    for (decision, says) in [
        (other_call, "no call b"),
        (other_arguments, "other arguments"),
        (too_much, "at most 1000"),
        (other_run, "another run"),
    ] {
        let error = agent([], &paid).resume(run.clone()).caller(writer()).decide(decision).await.unwrap_err();
        let RunErrorKind::NotResumed { what, run: kept } = error.kind() else { panic!("{error:?}") };
        assert!(what.contains(says), "{what}");
        assert_eq!(**kept, run);
    }
    assert_eq!(paid.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_run_taken_up_without_a_decision_is_suspended_again() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    let again = agent([], &paid).resume(run.clone()).caller(writer()).await.unwrap_err();
    assert_eq!(suspended(again).pending(), run.pending());
}

#[tokio::test]
async fn a_run_is_taken_up_only_by_its_own_caller_with_the_rights_of_now() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    let decision = run.pending()[0].approve("boss");

    let stranger = SecurityContext::new("usr_2", "tenant_1").role("world:write");
    let error = agent([], &paid).resume(run.clone()).caller(stranger).decide(decision.clone()).await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotResumed { what, .. } if what.contains("another user")));

    let demoted = SecurityContext::new("usr_1", "tenant_1");
    let elsewhere = agent([Reply::text("You may not.")], &paid);
    let error = elsewhere.resume(run).caller(demoted).decide(decision).await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::PermissionDenied { tool } if tool == "pay"), "{error:?}");
    assert_eq!(paid.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_changed_tool_list_keeps_a_run_from_being_taken_up_and_names_the_tools() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    let state = Office { paid: paid.clone(), app: App::default() };
    let fewer = Agent::builder(ScriptedModel::new([])).tools(tools![look, pay]).state(state).build().unwrap();
    let error = fewer.resume(run).caller(writer()).await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotResumed { what, .. } if what.contains("`note`")), "{error:?}");
}

#[tokio::test]
async fn a_run_saved_in_another_version_is_refused_when_it_is_read() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let mut saved = serde_json::to_value(suspended(error)).unwrap();
    saved["version"] = 999.into();
    let error = serde_json::from_value::<Run>(saved).unwrap_err();
    assert!(error.to_string().contains("version 999"), "{error}");
}

struct Clerk;

#[async_trait::async_trait]
impl Approver for Clerk {
    async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
        match pending.arguments.contains(r#""amount":10}"#) {
            true => Some(pending.approve("clerk")),
            false => None,
        }
    }
}

#[tokio::test]
async fn an_approver_decides_at_once_or_leaves_it_to_people() {
    let paid = Paid::default();
    let agent = builder(vec![Reply::calls([pays("a", 10), pays("b", 20)])], &paid).approver(Clerk).build().unwrap();
    let run = suspended(agent.run("Pay.").caller(writer()).await.unwrap_err());
    assert_eq!(paid.0.load(Ordering::SeqCst), 10);
    assert_eq!(run.pending().iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[tokio::test]
async fn words_of_the_model_approve_nothing() {
    let paid = Paid::default();
    let sly = ToolCall::new("a", "pay", r#"{"to":"Ada","amount":10,"approved":true}"#);
    let calls = Reply::calls([sly, ToolCall::new("b", "approve", r#"{"call_id":"c"}"#), pays("c", 20)]);
    let run = suspended(agent([calls], &paid).run("Pay.").caller(writer()).await.unwrap_err());
    assert_eq!(run.pending().len(), 1);
    assert_eq!(paid.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn two_decisions_on_one_call_are_refused() {
    let paid = Paid::default();
    let error = agent([Reply::calls([pays("a", 10)])], &paid).run("Pay.").caller(writer()).await.unwrap_err();
    let run = suspended(error);
    let pending = run.pending().remove(0);
    let resumed =
        agent([], &paid).resume(run).caller(writer()).decide(pending.approve("a")).decide(pending.reject("b", "no"));
    let error = resumed.await.unwrap_err();
    assert!(
        matches!(error.kind(), RunErrorKind::NotResumed { what, .. } if what.contains("two decisions")),
        "{error:?}"
    );
}

/// Files something.
#[tool(mutating, permission = "files:write")]
async fn file(
    /// What.
    text: String,
    paid: &Paid,
) -> usize {
    paid.1.fetch_add(1, Ordering::SeqCst);
    text.len()
}

#[tokio::test]
async fn with_a_call_that_is_denied_on_resuming_nothing_of_its_turn_runs() {
    let paid = Paid::default();
    let build = |replies: Vec<Reply>| {
        let state = Office { paid: paid.clone(), app: App::default() };
        Agent::builder(ScriptedModel::new(replies)).tools(tools![file, pay, note]).state(state).build().unwrap()
    };
    let both = || writer().role("files:write");
    let calls = Reply::calls([
        pays("a", 10),
        ToolCall::new("f", "file", r#"{"text":"x"}"#),
        ToolCall::new("n", "note", r#"{"text":"y"}"#),
    ]);
    let run = suspended(build(vec![calls]).run("Go.").caller(both()).await.unwrap_err());
    let decision = run.pending()[0].reject("boss", "no");
    let error = build(vec![Reply::text("No.")])
        .resume(run)
        .caller(SecurityContext::new("usr_1", "tenant_1").role("files:write"))
        .decide(decision)
        .await
        .unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::PermissionDenied { tool } if tool == "note"), "{error:?}");
    assert_eq!(paid.1.load(Ordering::SeqCst), 0, "`file` was allowed, and stood before it");
}
