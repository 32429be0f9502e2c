//! Typed answers by the finish tool, and answers that the host looks at.

use agent_core::model::{Body, Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Limits, RunErrorKind, ToolSchema, tools};
use serde::Deserialize;

use crate::world::{App, act, add, look, writer};

/// What came of it.
#[derive(Debug, Deserialize, ToolSchema, PartialEq)]
struct Verdict {
    /// Whether it holds.
    holds: bool,
    /// How sure that is, in percent.
    #[arg(maximum = 100)]
    sure: u32,
}

fn finish(id: &str, arguments: &str) -> ToolCall {
    ToolCall::new(id, "finish", arguments)
}

fn sees(n: i64) -> ToolCall {
    ToolCall::new(format!("l{n}"), "look", format!(r#"{{"how":"ok","n":{n}}}"#))
}

fn agent(replies: impl IntoIterator<Item = Reply>) -> Agent<App> {
    Agent::builder(ScriptedModel::new(replies)).tools(tools![look, act, add]).state(App::default()).build().unwrap()
}

const GOOD: &str = r#"{"holds":true,"sure":90}"#;

#[tokio::test]
async fn the_arguments_of_the_finish_tool_are_the_answer() {
    let agent = agent([Reply::calls([finish("f", r#"{"holds":true,"sure":90.0}"#)])]);
    let answer = agent.run("Go.").answer::<Verdict>().await.unwrap();
    assert_eq!(answer.value(), &Verdict { holds: true, sure: 90 });
    assert!(matches!(answer.record().messages.last().unwrap().body(), Body::Tool { .. }), "the call has its result");
}

#[tokio::test]
async fn an_answer_that_is_no_object_is_asked_for_in_one() {
    let agent = agent([Reply::calls([finish("f", r#"{"answer":["a","b"]}"#)])]);
    let answer = agent.run("Go.").answer::<Vec<String>>().await.unwrap();
    assert_eq!(answer.into_value(), ["a", "b"]);
}

#[tokio::test]
async fn the_finish_tool_has_the_name_that_the_host_gives_and_no_tools_name() {
    let named = agent([Reply::calls([ToolCall::new("f", "done", GOOD)])]);
    assert!(named.run("Go.").finish_name("done").answer::<Verdict>().await.is_ok());
    let other_order = agent([Reply::calls([ToolCall::new("f", "done", GOOD)])]);
    assert!(other_order.run("Go.").answer::<Verdict>().finish_name("done").await.is_ok());
    let clash = agent([]).run("Go.").finish_name("look").answer::<Verdict>().await.unwrap_err();
    assert!(matches!(clash.kind(), RunErrorKind::Invalid { what } if what.contains("`look`")), "{clash}");
}

#[tokio::test]
async fn beside_other_calls_the_answer_is_taken_only_if_they_all_succeed() {
    let good = agent([Reply::calls([sees(1), finish("f", GOOD), sees(2)])]);
    assert!(good.run("Go.").answer::<Verdict>().await.is_ok());

    let failing = ToolCall::new("x", "look", r#"{"how":"business"}"#);
    let again = agent([Reply::calls([finish("f", GOOD), failing]), Reply::calls([finish("g", GOOD)])]);
    let answer = again.run("Go.").answer::<Verdict>().await.unwrap();
    assert_eq!(answer.record().cycles, 2);
}

#[tokio::test]
async fn on_the_last_cycle_calls_beside_the_finish_tool_still_run() {
    let agent = agent([Reply::calls([sees(1), finish("f", GOOD)])]);
    let answer = agent.run("Go.").limits(Limits::default().max_cycles(1)).answer::<Verdict>().await.unwrap();
    assert_eq!(answer.value().sure, 90);
    assert_eq!(answer.record().steps.len(), 3);
}

#[tokio::test]
async fn an_invalid_answer_is_a_mistake_that_can_be_corrected_and_repeated_only_once() {
    let bad = || Reply::calls([finish("", r#"{"holds":true,"sure":900}"#)]);
    let corrected = agent([bad(), Reply::calls([finish("", GOOD)])]);
    assert!(corrected.run("Go.").answer::<Verdict>().await.is_ok());
    let error = agent([bad(), bad(), Reply::text("I cannot.")]).run("Go.").answer::<Verdict>().await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::CircuitOpen(_)), "{error:?}");
}

#[tokio::test]
async fn text_alone_is_sent_back_once_and_then_ends_without_an_answer() {
    let late = agent([Reply::text("It holds."), Reply::calls([finish("f", GOOD)])]);
    let answer = late.run("Go.").answer::<Verdict>().await.unwrap();
    assert_eq!(answer.record().cycles, 1, "sending back is an extra call, and no turn");
    let never = agent([Reply::text("It holds."), Reply::text("I said it holds.")]);
    let error = never.run("Go.").answer::<Verdict>().await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NoAnswer { .. }), "{error:?}");
    assert_eq!(error.text(), Some("I said it holds."));
}

#[tokio::test]
async fn an_answer_beside_a_call_whose_outcome_is_unknown_does_not_count() {
    let agent = agent([Reply::calls([ToolCall::new("a", "act", r#"{"how":"fatal"}"#), finish("f", GOOD)])]);
    let error = agent.run("Go.").caller(writer()).answer::<Verdict>().await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::OutcomeUnknown { .. }), "{error:?}");
}

#[tokio::test]
async fn a_host_can_send_an_answer_back_with_its_reason() {
    let agent = agent([Reply::calls([finish("f", r#"{"holds":true,"sure":10}"#)]), Reply::calls([finish("g", GOOD)])]);
    let checked = |verdict: &Verdict, _: &str| match verdict.sure {
        0..50 => Err("that is not sure enough.".to_owned()),
        _ => Ok(()),
    };
    let limits = Limits::default().max_cycles(1);
    let checked_text = |(): &(), _: &str| Ok(());
    let answer = agent
        .run("Go.")
        .limits(limits)
        .check_answer(checked_text)
        .answer::<Verdict>()
        .check_answer(checked)
        .await
        .unwrap();
    assert_eq!(answer.value().sure, 90);
    let shown = format!("{:?}", answer.record().messages);
    assert!(shown.contains("that is not sure enough."), "{shown}");
}

#[tokio::test]
async fn a_text_can_be_sent_back_as_often_as_extra_calls_are_allowed() {
    let replies = || (0..9).map(|n| Reply::text(format!("try {n}")));
    let refuse = |(): &(), _: &str| Err("no.".to_owned());
    let limits = Limits::default().max_extra_calls(2);
    let error = agent(replies()).run("Go.").limits(limits).check_answer(refuse).await.unwrap_err();
    assert!(
        matches!(error.kind(), RunErrorKind::NoAnswer { reason, extra_calls: Some(2) } if reason == "no."),
        "{error:?}"
    );
    assert_eq!(error.text(), Some("try 2"));
    let take_third = |(): &(), text: &str| if text == "try 2" { Ok(()) } else { Err("no.".to_owned()) };
    assert_eq!(agent(replies()).run("Go.").check_answer(take_third).await.unwrap().text(), "try 2");
}

#[tokio::test]
async fn two_answers_in_one_turn_are_one_answer() {
    let agent = agent([Reply::calls([finish("f", GOOD), finish("g", r#"{"holds":false,"sure":1}"#)])]);
    let answer = agent.run("Go.").answer::<Verdict>().await.unwrap();
    assert!(answer.value().holds);
    assert_eq!(answer.record().steps.len(), 3, "each call has its result");
}

#[tokio::test]
async fn a_typed_answer_is_sent_back_as_often_as_extra_calls_are_allowed() {
    let tries = |n: u32| Reply::calls([finish("", &format!(r#"{{"holds":true,"sure":{n}}}"#))]);
    let agent = agent((0..9).map(tries));
    let at_last =
        |verdict: &Verdict, _: &str| if verdict.sure == 3 { Ok(()) } else { Err("not sure enough".to_owned()) };
    let answer = agent.run("Go.").answer::<Verdict>().check_answer(at_last).await.unwrap();
    assert_eq!((answer.value().sure, answer.record().cycles), (3, 1));
}

#[tokio::test]
async fn a_check_of_the_text_is_kept_when_a_type_is_asked_for() {
    let agent = agent([Reply::calls([finish("f", GOOD)])]);
    let limits = Limits::default().max_extra_calls(1);
    let refuse = |(): &(), _: &str| Err("never".to_owned());
    let run = agent.run("Go.").limits(limits).check_answer(refuse).answer::<Verdict>();
    assert!(run.await.is_err());
}

#[tokio::test]
async fn calls_beside_an_answer_that_was_sent_back_have_places_of_their_own() {
    let adds = |n| ToolCall::new("", "add", format!(r#"{{"n":{n}}}"#));
    let agent = agent([Reply::calls([adds(1), finish("", GOOD)]), Reply::calls([adds(2), finish("", GOOD)])]);
    let first = std::sync::atomic::AtomicBool::new(true);
    let once = move |_: &Verdict, _: &str| match first.swap(false, std::sync::atomic::Ordering::SeqCst) {
        true => Err("once more.".to_owned()),
        false => Ok(()),
    };
    let answer = agent.run("Go.").caller(writer()).answer::<Verdict>().check_answer(once).await;
    assert!(answer.is_ok(), "{:?}", answer.map(|answer| answer.into_value()));
    assert_eq!(agent.state().world.effects(), 2);
}

#[tokio::test]
async fn a_finish_tool_that_the_provider_would_refuse_is_an_error_before_anything_is_asked() {
    let error = agent([]).run("Go.").finish_name("not a name").answer::<Verdict>().await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains("not a name")), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_given_wrong_and_right_in_one_turn_is_not_taken() {
    let bad = r#"{"holds":true,"sure":900}"#;
    for calls in [[finish("f", bad), finish("g", GOOD)], [finish("f", GOOD), finish("g", bad)]] {
        let again = agent([Reply::calls(calls), Reply::calls([finish("h", r#"{"holds":false,"sure":1}"#)])]);
        let answer = again.run("Go.").answer::<Verdict>().await.unwrap();
        assert_eq!((answer.value().holds, answer.record().cycles), (false, 2));
    }
}

#[tokio::test]
async fn the_finish_tool_is_counted_among_the_bytes_of_a_request() {
    let estimated = |answer: &agent_core::run::Record| answer.usage.input;
    let plain = agent([Reply::text("It holds.")]).run("Go.").await.unwrap();
    let typed = agent([Reply::calls([finish("f", GOOD)])]).run("Go.").answer::<Verdict>().await.unwrap();
    assert!(estimated(typed.record()) > estimated(plain.record()) + 40, "{:?}", typed.record().usage);
}
