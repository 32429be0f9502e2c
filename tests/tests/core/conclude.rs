//! What a boundary does to a run: closing words or none, and none where no request is left for them.

use agent_core::model::{Message, Reply, Usage};
use agent_core::{
    Agent, CostLimit, LimitKind, Limits, OnDenied, OnLimit, Prices, SecurityContext, Status, Window, tool, tools,
};

use agent_core::model::ToolCall;
use agent_core::run::StepRecord;

use crate::speaker::{Speaker, codes, look_at, looks, read};
use crate::world::{App, act, look};

/// Each bound that a host may choose for: what meets it, and whether it concludes unless the host says otherwise.
fn bounds() -> [(LimitKind, &'static str, Vec<Reply>, Limits, bool); 5] {
    let prices = Prices::new(1.0, 1.0);
    let dear = || look_at("ok", 1).usage(Usage::new(2_000_000, 0));
    [
        (LimitKind::MaxCycles, "max_cycles", vec![look_at("ok", 1)], Limits::default().max_cycles(1), false),
        (
            LimitKind::MaxToolCalls,
            "max_tool_calls",
            vec![Reply::calls([looks("ok", 1), looks("ok", 2)])],
            Limits::default().max_tool_calls(1),
            false,
        ),
        (LimitKind::TokenBudget, "token_budget", vec![dear()], Limits::default().max_tokens(Some(1_000)), false),
        (
            LimitKind::CostBudget,
            "cost_budget",
            vec![dear()],
            Limits::default().max_cost(Some(CostLimit { most: 1.0, prices })),
            false,
        ),
        (LimitKind::CircuitOpen, "circuit_open", vec![look_at("fatal", 1); 2], Limits::default(), true),
    ]
}

#[tokio::test]
async fn each_bound_concludes_or_stops_as_the_host_says_plain_and_streamed() {
    for (limit, kind, replies, limits, by_default) in bounds() {
        for (then, concludes) in [(None, by_default), (Some(OnLimit::Conclude), true), (Some(OnLimit::Stop), false)] {
            for streamed in [false, true] {
                let turns = replies.len();
                let model = Speaker::replies(replies.clone().into_iter().chain([Reply::text("So it is.")]));
                let mut builder = Agent::builder(model.clone()).tools(tools![look]).state(App::default());
                if let Some(then) = then {
                    builder = builder.on_limit(limit, then);
                }
                let agent = builder.build().unwrap();
                let run = agent.run("Go.").limits(limits.clone());
                let error = match streamed {
                    true => read(run.events()).await.1.unwrap_err(),
                    false => run.await.unwrap_err(),
                };
                let about = format!("{kind}, {then:?}, streamed: {streamed}");
                assert_eq!(error.kind().as_str(), kind, "{about}");
                assert_eq!(error.text(), concludes.then_some("So it is."), "{about}");
                let mut choices = vec!["Auto"; turns];
                choices.extend(concludes.then_some("None"));
                assert_eq!(model.choices(), choices, "{about}: one closing turn, without tools");
            }
        }
    }
}

#[tokio::test]
async fn with_no_extra_call_left_a_boundary_ends_without_words() {
    // The empty reply takes the one that there is.
    let model = Speaker::replies([Reply::text(""), look_at("fatal", 1), look_at("fatal", 1), Reply::text("So it is.")]);
    let agent = Agent::builder(model.clone()).tools(tools![look]).state(App::default()).build().unwrap();
    let error = agent.run("Go.").limits(Limits::default().max_extra_calls(1)).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.text()), ("circuit_open", None));
    assert_eq!(model.asked().len(), 3);
}

/// Gives a long text.
#[tool]
async fn fetch(
    /// Which.
    n: u32,
) -> String {
    format!("{n}:{}", "x".repeat(4_000))
}

#[tokio::test]
async fn with_no_extra_call_left_nothing_is_summed_up_and_the_turn_is_asked_for_as_it_is() {
    let fetches = |n: u32| Reply::calls([ToolCall::new("", "fetch", format!(r#"{{"n":{n}}}"#))]);
    let window = Window { tokens: 1_200, reserve: 50, compact_at: 0.75 };
    let run = async |replies: Vec<Reply>, extra| {
        let model = Speaker::replies(replies);
        let agent = Agent::builder(model.clone()).tools(tools![fetch]).window(window).build().unwrap();
        let answer = agent.run("Go.").limits(Limits::default().max_extra_calls(extra)).await.unwrap();
        assert_eq!(answer.text(), "All of it.");
        model.choices()
    };
    let end = || Reply::text("All of it.");
    let none_left = run(vec![Reply::text(""), fetches(1), fetches(2), end()], 1).await;
    assert_eq!(none_left, ["Auto"; 4]);
    let one_left = run(vec![Reply::text(""), fetches(1), fetches(2), Reply::text("Two texts."), end()], 2).await;
    assert_eq!(one_left, ["Auto", "Auto", "Auto", "None", "Auto"], "the same with a request left for a summary");
}

#[tokio::test]
async fn with_no_extra_call_left_an_empty_reply_ends_the_run_at_once() {
    // The summary takes the one that there is.
    let model = Speaker::replies([Reply::text("Much was said."), Reply::text(""), Reply::text("Sorry, here.")]);
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    let agent = Agent::builder(model.clone()).window(window).build().unwrap();
    let history: Vec<_> = (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect();
    let run = agent.run("Go.").history(history).limits(Limits::default().max_extra_calls(1));
    let error = run.await.unwrap_err();
    assert_eq!(error.kind().as_str(), "empty_reply");
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test]
async fn a_denied_call_that_the_run_goes_on_from_keeps_no_other_call_from_running() {
    let calls = [
        ToolCall::new("a", "act", r#"{"how":"ok"}"#),
        ToolCall::new("b", "look", r#"{"how":"ok"}"#),
        ToolCall::new("c", "look", r#"{"how":"ok","n":1}"#),
    ];
    for (then, ran) in [(OnDenied::Continue, 2), (OnDenied::Conclude, 0), (OnDenied::Stop, 0)] {
        let model = Speaker::replies([Reply::calls(calls.clone()), Reply::text("You may only look.")]);
        let builder = Agent::builder(model).tools(tools![look, act]).state(App::default());
        let agent = builder.on_denied(then).build().unwrap();
        let ended = agent.run("Go.").caller(SecurityContext::new("v", "t")).await;
        let record = match &ended {
            Ok(answer) => answer.record(),
            Err(error) => error.record(),
        };
        let tried = record.steps.iter().filter_map(|step| match step {
            StepRecord::Tool(tool) if tool.attempts > 0 => Some(tool.status),
            _ => None,
        });
        assert_eq!(tried.collect::<Vec<_>>(), vec![Status::Success; ran], "{then:?}");
        assert_eq!(agent.state().world.entered(), 0);
        assert_eq!(ended.is_ok(), then == OnDenied::Continue, "{then:?}");
    }
}

#[tokio::test]
async fn a_denial_in_every_turn_that_the_run_goes_on_from_ends_with_its_turns() {
    let denied = |n: i64| Reply::calls([ToolCall::new("", "act", format!(r#"{{"how":"ok","n":{n}}}"#))]);
    let builder = Agent::builder(Speaker::replies((0..9).map(denied))).tools(tools![look, act]).state(App::default());
    let agent = builder.on_denied(OnDenied::Continue).build().unwrap();
    let error = agent.run("Go.").caller(SecurityContext::new("v", "t")).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "max_cycles", "a denial is no mistake of the breaker's");
    assert_eq!(codes(error.record()), ["UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED", "NOT_RUN"]);
}
