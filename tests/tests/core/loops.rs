//! Loops that users of other frameworks report: each ends here, for a reason that has a name.

use agent_core::model::{Reply, ToolCall};
use agent_core::run::{Pending, Run};
use agent_core::{Agent, Approver, Decision, Limits, NextTurn, RunErrorKind, SecurityContext, ToolSchema, tools};
use serde::Deserialize;

use crate::speaker::{Speaker, codes, look_at, looks, read};
use crate::world::{App, act, look, sign, writer};

fn acts(how: &str) -> Reply {
    Reply::calls([ToolCall::new("", "act", format!(r#"{{"how":"{how}"}}"#))])
}

#[tokio::test]
async fn a_hook_that_forces_a_tool_in_every_turn_ends_with_the_circuit_or_the_turns() {
    for (same, kind, turns) in [(true, "circuit_open", 3), (false, "max_cycles", 5)] {
        let replies = (0..9).map(|n| look_at("ok", if same { 0 } else { n }));
        let model = Speaker::replies(replies);
        let builder = Agent::builder(model.clone()).tools(tools![look]).state(App::default());
        let agent = builder.step_hook(|_: &Run| NextTurn::new().call("look")).build().unwrap();
        let error = agent.run("Go.").await.unwrap_err();
        assert_eq!((error.kind().as_str(), error.record().cycles), (kind, turns));
        let forced = model.choices().iter().filter(|choice| *choice == r#"Tool("look")"#).count();
        assert_eq!(forced, turns as usize, "closing words are not forced to be a call");
    }
}

#[tokio::test]
async fn several_calls_in_each_forced_turn_end_as_well() {
    let replies = (0..9).map(|n| Reply::calls([looks("ok", 2 * n), looks("ok", 2 * n + 1)]));
    let builder = Agent::builder(Speaker::replies(replies)).tools(tools![look]).state(App::default());
    let agent = builder.step_hook(|_: &Run| NextTurn::new().call_any()).build().unwrap();
    let error = agent.run("Go.").await.unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 5 });
}

#[tokio::test]
async fn the_same_write_in_every_turn_happens_once_and_the_run_ends_with_its_turns() {
    for streamed in [false, true] {
        let builder = Agent::builder(Speaker::replies((0..9).map(|_| acts("ok")))).tools(tools![act]);
        let agent = builder.state(App::default()).build().unwrap();
        let run = agent.run("Note it.").caller(writer());
        let error = match streamed {
            true => read(run.events()).await.1.unwrap_err(),
            false => run.await.unwrap_err(),
        };
        // What is replayed is a success, and no read: neither rule of the circuit is about it.
        assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 5 });
        assert_eq!(codes(error.record()), ["success", "success", "success", "success", "NOT_RUN"]);
        assert_eq!((agent.state().world.entered(), agent.state().world.effects()), (1, 1));
    }
}

#[derive(Debug, Deserialize, ToolSchema)]
#[expect(dead_code, reason = "it is never given")]
struct Verdict {
    /// Whether it holds.
    holds: bool,
}

#[tokio::test]
async fn a_model_that_must_call_and_never_calls_the_finish_tool_ends_with_its_turns() {
    let model = Speaker::replies((0..9).map(|n| look_at("ok", n)));
    let agent = Agent::builder(model.clone()).tools(tools![look]).state(App::default()).build().unwrap();
    let error = agent.run("Go.").answer::<Verdict>().await.unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 5 });
    assert_eq!(model.choices(), ["Required"; 5]);
}

struct AlwaysYes;

#[async_trait::async_trait]
impl Approver for AlwaysYes {
    async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
        Some(pending.approve("robot"))
    }
}

#[tokio::test]
async fn an_approver_that_always_approves_loosens_no_bound() {
    for (limits, kind, signed) in [
        (Limits::default(), "max_cycles", 4),
        (Limits::default().max_cycles(100).max_tool_calls(7), "max_tool_calls", 7),
    ] {
        let signs = |n| Reply::calls([ToolCall::new("", "sign", format!(r#"{{"how":"ok","n":{n}}}"#))]);
        let builder = Agent::builder(Speaker::replies((0..50).map(signs))).tools(tools![sign]).state(App::default());
        let agent = builder.approver(AlwaysYes).build().unwrap();
        let error = agent.run("Sign.").caller(writer()).limits(limits).await.unwrap_err();
        assert_eq!((error.kind().as_str(), agent.state().world.effects()), (kind, signed));
    }
}

#[tokio::test]
async fn a_rejected_call_that_the_model_repeats_ends_with_its_turns_and_never_runs() {
    struct AlwaysNo;
    #[async_trait::async_trait]
    impl Approver for AlwaysNo {
        async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
            Some(pending.reject("boss", "no."))
        }
    }
    let signs = |_| Reply::calls([ToolCall::new("", "sign", r#"{"how":"ok"}"#)]);
    let builder = Agent::builder(Speaker::replies((0..9).map(signs))).tools(tools![sign]).state(App::default());
    let agent = builder.approver(AlwaysNo).build().unwrap();
    let error = agent.run("Sign.").caller(writer()).await.unwrap_err();
    // A person's no is no mistake of the model's that the circuit counts.
    assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 5 });
    assert_eq!(codes(error.record())[..4], ["APPROVAL_REJECTED"; 4]);
    assert_eq!(agent.state().world.entered(), 0);
}
