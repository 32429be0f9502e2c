//! Each code that a call can end with, its status, and what it does to the run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::dispatch::code;
use agent_core::model::{Body, Reply, ToolCall};
use agent_core::run::{Checked, Circuit, Input, Plan, Record, Run, RunStart, StepRecord};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Cancellation, Event, Limits, Observation, RunErrorKind, SecurityContext, Status, tools};

use crate::world::{App, Shared, act, add, hush_expected_panics, look, writer};

/// What a run that makes one turn of calls and then speaks comes to.
struct Seen {
    /// Status and code of each call, in call order.
    calls: Vec<(Status, Option<String>)>,
    /// Whether the run went on to its text, or why it ended.
    end: Result<(), RunErrorKind>,
    /// All that the model was shown of the results.
    shown: String,
}

async fn run(agent: &Agent<App>, caller: SecurityContext, limits: Limits) -> Seen {
    let (record, end) = match agent.run("Go.").caller(caller).id("r").limits(limits).await {
        Ok(answer) => (answer.record().clone(), Ok(())),
        Err(error) => (error.record().clone(), Err(error.kind().clone())),
    };
    let mut calls: Vec<_> = record
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => Some((tool.call_id.clone(), tool.status, tool.code.clone())),
            _ => None,
        })
        .collect();
    calls.sort_by(|a, b| a.0.cmp(&b.0));
    let calls = calls.into_iter().map(|(_, status, code)| (status, code)).collect();
    Seen { calls, end, shown: serde_json::to_string(&record.messages).unwrap() }
}

fn agent(store: Shared, calls: &[(&str, &str)]) -> Agent<App> {
    let calls =
        calls.iter().enumerate().map(|(i, (tool, arguments))| ToolCall::new(format!("c{i}"), *tool, *arguments));
    let model = ScriptedModel::new([Reply::calls(calls), Reply::text("So be it.")]);
    Agent::builder(model).tools(tools![look, act, add]).state(App::default()).store(store).build().unwrap()
}

async fn one(tool: &str, arguments: &str) -> Seen {
    run(&agent(Shared::default(), &[(tool, arguments)]), writer(), Limits::default()).await
}

#[tokio::test(start_paused = true)]
async fn codes_after_which_the_run_goes_on() {
    use Status::{BusinessError, FatalError, ValidationError};
    let rows = [
        ("lokk", r#"{"how":"ok"}"#, FatalError, "UNKNOWN_TOOL"),
        ("look", r#"{"how":"#, ValidationError, "MALFORMED_JSON"),
        ("look", r#"{"how":7}"#, ValidationError, "SCHEMA_VALIDATION_FAILED"),
        ("look", r#"{"how":"business"}"#, BusinessError, "NOT_FOUND"),
        ("look", r#"{"how":"hang"}"#, FatalError, "TOOL_TIMEOUT"),
        ("look", r#"{"how":"panic"}"#, FatalError, "TOOL_PANICKED"),
        ("look", r#"{"how":"fatal"}"#, FatalError, "INTERNAL_EXECUTION_FAILURE"),
        ("look", r#"{"how":"unwritable"}"#, FatalError, "RESULT_UNREADABLE"),
        ("act", r#"{"how":"business"}"#, BusinessError, "CLOSED"),
        ("act", r#"{"how":"not_done"}"#, FatalError, "INTERNAL_EXECUTION_FAILURE"),
        ("act", r#"{"how":"unwritable"}"#, FatalError, "RESULT_UNREADABLE"),
    ];
    for (tool, arguments, status, code) in rows {
        let seen = one(tool, arguments).await;
        assert_eq!(seen.calls, [(status, Some(code.to_owned()))], "{tool} {arguments}");
        assert_eq!(seen.end, Ok(()), "{tool} {arguments}");
        assert!(!seen.shown.contains("secret"), "the model is not shown causes: {}", seen.shown);
    }
}

#[tokio::test(start_paused = true)]
async fn a_mutating_call_whose_outcome_is_unknown_ends_the_run() {
    for (how, cause) in [("fatal", "fault"), ("panic", "panic"), ("hang", "timeout")] {
        let seen = one("act", &format!(r#"{{"how":"{how}"}}"#)).await;
        assert_eq!(seen.calls, [(Status::FatalError, Some("OUTCOME_UNKNOWN".to_owned()))], "{how}");
        assert!(matches!(seen.end, Err(RunErrorKind::OutcomeUnknown { .. })), "{how}: {:?}", seen.end);
        assert!(seen.shown.contains(cause), "{how}: {}", seen.shown);
        assert!(!seen.shown.contains("secret"), "{how}: {}", seen.shown);
    }
}

#[tokio::test]
async fn an_unauthorised_call_is_denied_and_ends_the_run() {
    let agent = agent(Shared::default(), &[("act", r#"{"how":"ok"}"#), ("look", r#"{"how":"ok"}"#)]);
    let seen = run(&agent, SecurityContext::anonymous(), Limits::default()).await;
    let denied = (Status::PermissionDenied, Some("UNAUTHORIZED".to_owned()));
    assert_eq!(seen.calls, [denied, (Status::FatalError, Some("NOT_RUN".to_owned()))]);
    assert_eq!(seen.end, Err(RunErrorKind::PermissionDenied { tool: "act".to_owned() }));
    assert_eq!(agent.state().world.effects(), 0);
}

#[tokio::test]
async fn an_unauthorised_caller_learns_nothing_of_the_arguments_being_wrong() {
    let seen = run(&agent(Shared::default(), &[("act", "{")]), SecurityContext::anonymous(), Limits::default()).await;
    assert_eq!(seen.calls, [(Status::PermissionDenied, Some("UNAUTHORIZED".to_owned()))]);
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_nearest_and_the_offered_names() {
    let seen = one("lokk", "{}").await;
    assert!(seen.shown.contains(r#"\"nearest\":\"look\""#), "{}", seen.shown);
    assert!(seen.shown.contains(r#"\"offered\":[\"look\",\"act\",\"add\"]"#), "{}", seen.shown);
}

#[tokio::test]
async fn a_store_that_fails_at_the_claim_keeps_the_call_from_running_and_the_run_goes_on() {
    let store = Shared::default();
    store.0.claims.store(u32::MAX, std::sync::atomic::Ordering::SeqCst);
    let agent = agent(store, &[("act", r#"{"how":"ok"}"#)]);
    let seen = run(&agent, writer(), Limits::default()).await;
    assert_eq!(seen.calls, [(Status::FatalError, Some("STORE_UNAVAILABLE".to_owned()))]);
    assert_eq!(seen.end, Ok(()));
    assert_eq!(agent.state().world.entered(), 0);
}

#[tokio::test]
async fn the_same_position_with_other_arguments_is_a_key_conflict_and_ends_the_run() {
    let store = Shared::default();
    let first = agent(store.clone(), &[("add", r#"{"n":1}"#)]);
    assert_eq!(run(&first, writer(), Limits::default()).await.end, Ok(()));
    let second = agent(store, &[("add", r#"{"n":2}"#)]);
    let seen = run(&second, writer(), Limits::default()).await;
    assert_eq!(seen.calls, [(Status::FatalError, Some("KEY_CONFLICT".to_owned()))]);
    assert!(matches!(seen.end, Err(RunErrorKind::KeyConflict { .. })), "{:?}", seen.end);
    assert_eq!(second.state().world.effects(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_elsewhere_is_waited_for_and_then_reported_in_flight() {
    let store = Shared::default();
    let first = agent(store.clone(), &[("act", r#"{"how":"hang"}"#)]);
    let seen = run(&first, writer(), Limits::default()).await;
    assert!(matches!(seen.end, Err(RunErrorKind::OutcomeUnknown { .. })));
    let second = agent(store, &[("act", r#"{"how":"hang"}"#)]);
    let seen = run(&second, writer(), Limits::default()).await;
    assert_eq!(seen.calls, [(Status::FatalError, Some("CALL_IN_FLIGHT".to_owned()))]);
    assert_eq!(seen.end, Ok(()));
    assert_eq!(second.state().world.entered(), 0);
}

#[tokio::test]
async fn calls_over_the_limit_of_a_turn_are_refused_and_the_run_goes_on() {
    let agent = agent(Shared::default(), &[("look", r#"{"how":"ok"}"#), ("look", r#"{"how":"ok","n":1}"#)]);
    let seen = run(&agent, writer(), Limits::default().max_tool_calls_per_turn(1)).await;
    assert_eq!(seen.calls, [(Status::Success, None), (Status::FatalError, Some("LIMIT_REACHED".to_owned()))]);
    assert_eq!(seen.end, Ok(()));
}

#[tokio::test]
async fn calls_over_the_limit_of_the_run_are_refused_and_the_run_ends_after_the_turn() {
    let agent = agent(Shared::default(), &[("look", r#"{"how":"ok"}"#), ("look", r#"{"how":"ok","n":1}"#)]);
    let seen = run(&agent, writer(), Limits::default().max_tool_calls(1)).await;
    assert_eq!(seen.calls, [(Status::Success, None), (Status::FatalError, Some("LIMIT_REACHED".to_owned()))]);
    assert_eq!(seen.end, Err(RunErrorKind::MaxToolCalls { limit: 1, asked: 2 }));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_gives_each_call_its_result_and_says_so() {
    let agent = agent(Shared::default(), &[("look", r#"{"how":"hang"}"#), ("act", r#"{"how":"ok"}"#)]);
    let shutdown = Cancellation::new();
    let run = tokio::spawn(agent.run("Go.").caller(writer()).cancel(shutdown.clone()).into_future());
    tokio::time::sleep(Duration::from_millis(5)).await;
    shutdown.cancel("closing time");
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "closing time".to_owned() });
    let codes: Vec<_> = error
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => tool.code.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(codes, ["CANCELLED", "CANCELLED"]);
    assert_eq!(agent.state().world.entered(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_mutating_call_is_not_started_with_too_little_time_left() {
    let agent = agent(Shared::default(), &[("look", r#"{"how":"slow"}"#), ("act", r#"{"how":"ok"}"#)]);
    let limits = Limits::default().timeout(Duration::from_millis(1050));
    let seen = run(&agent, writer(), limits).await;
    assert_eq!(seen.calls[1], (Status::FatalError, Some("NOT_RUN".to_owned())));
    assert_eq!(agent.state().world.entered(), 0);
}

/// The cause of each unknown outcome that the model was shown.
fn causes(record: &Record) -> Vec<String> {
    let shown = serde_json::to_string(&record.messages).unwrap().replace('\\', "");
    shown.split(r#""cause":""#).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_running_effect_that_is_cancelled_or_over_the_deadline_is_unknown_and_its_late_end_settles_it() {
    for cancels in [true, false] {
        let store = Shared::default();
        let first = agent(store.clone(), &[("act", r#"{"how":"hang"}"#)]);
        let (stop, world) = (Cancellation::new(), first.state().world.clone());
        let limits = Limits::default().timeout(Duration::from_secs(5));
        let run = first.run("Go.").caller(writer()).id("r").limits(limits).cancel(stop.clone());
        let run = tokio::spawn(run.into_future());
        while world.entered() == 0 {
            tokio::task::yield_now().await;
        }
        if cancels {
            stop.cancel("closing time");
        }
        let error = run.await.unwrap().unwrap_err();
        let step = error.record().steps.last().unwrap();
        assert!(matches!(step, StepRecord::Tool(call) if call.code.as_deref() == Some("OUTCOME_UNKNOWN")), "{step:?}");
        assert_eq!(causes(error.record()), [if cancels { "cancelled" } else { "timeout" }]);
        assert!(matches!(error.kind(), RunErrorKind::OutcomeUnknown { .. }), "{:?}", error.kind());

        world.gate.add_permits(1);
        assert!(first.drain(Duration::from_secs(1)).await.is_empty());
        assert_eq!(world.effects(), 1);
        let second = agent(store, &[("act", r#"{"how":"hang"}"#)]);
        let seen = run_again(&second).await;
        assert_eq!(seen.calls, [(Status::Success, None)]);
        assert_eq!(second.state().world.entered(), 0, "the late end was recorded, and is given again");
    }
}

async fn run_again(agent: &Agent<App>) -> Seen {
    run(agent, writer(), Limits::default()).await
}

/// A model that makes the same call in two turns, under two ids.
fn repeats(store: Shared, tool: &str, arguments: &str) -> Agent<App> {
    let call = |id| Reply::calls([ToolCall::new(id, tool, arguments)]);
    let model = ScriptedModel::new([call("a"), call("b"), Reply::text("So be it.")]);
    Agent::builder(model).tools(tools![look, act, add]).state(App::default()).store(store).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_mistake_opens_the_circuit_at_its_second_turn_and_a_result_that_cannot_be_read_is_none() {
    hush_expected_panics();
    let rows = [
        ("lokk", r#"{"how":"ok"}"#, "UNKNOWN_TOOL"),
        ("look", r#"{"how":"#, "MALFORMED_JSON"),
        ("look", r#"{"how":7}"#, "SCHEMA_VALIDATION_FAILED"),
        ("look", r#"{"how":"business"}"#, "NOT_FOUND"),
        ("look", r#"{"how":"hang"}"#, "TOOL_TIMEOUT"),
        ("look", r#"{"how":"panic"}"#, "TOOL_PANICKED"),
        ("look", r#"{"how":"fatal"}"#, "INTERNAL_EXECUTION_FAILURE"),
    ];
    for (tool, arguments, code) in rows {
        let error = repeats(Shared::default(), tool, arguments).run("Go.").caller(writer()).await.unwrap_err();
        let RunErrorKind::CircuitOpen(Circuit::RepeatedError { code: seen, turns: 2, .. }) = error.kind() else {
            panic!("{code}: {:?}", error.kind());
        };
        assert_eq!(seen, code);
    }

    let store = Shared::default();
    store.0.claims.store(u32::MAX, std::sync::atomic::Ordering::SeqCst);
    let error = repeats(store, "act", r#"{"how":"ok"}"#).run("Go.").caller(writer()).await.unwrap_err();
    assert!(
        matches!(error.kind(), RunErrorKind::CircuitOpen(Circuit::RepeatedError { code, .. }) if code == "STORE_UNAVAILABLE")
    );

    let unreadable = repeats(Shared::default(), "look", r#"{"how":"unwritable"}"#);
    assert_eq!(unreadable.run("Go.").caller(writer()).await.unwrap().text(), "So be it.");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_in_flight_elsewhere_in_two_turns_opens_the_circuit() {
    let store = Shared::default();
    let first = agent(store.clone(), &[("act", r#"{"how":"hang"}"#)]);
    assert!(matches!(run_again(&first).await.end, Err(RunErrorKind::OutcomeUnknown { .. })));
    let second = repeats(store, "act", r#"{"how":"hang"}"#);
    let error = second.run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert!(
        matches!(error.kind(), RunErrorKind::CircuitOpen(Circuit::RepeatedError { code, .. }) if code == "CALL_IN_FLIGHT"),
        "{:?}",
        error.kind()
    );
}

#[tokio::test]
async fn a_name_of_any_length_is_shown_cut() {
    let name = "é".repeat(500_000);
    let calls = [ToolCall::new("x".repeat(500_000), &*name, "{}")];
    for observation in [Observation::Envelope, Observation::Full, Observation::Compact, Observation::Text] {
        let model = ScriptedModel::new([Reply::calls(calls.clone()), Reply::text("So be it.")]);
        let results = Arc::new(Mutex::new(Vec::new()));
        let told = results.clone();
        let builder = Agent::builder(model).tools(tools![look, act, add]).state(App::default());
        let agent = builder.observation(observation).observer(move |_: &str, event: &Event| {
            if let Event::CallFinished { result, .. } = event {
                told.lock().unwrap().push(result.clone());
            }
        });
        let answer = agent.build().unwrap().run("Go.").await.unwrap();
        let shown = answer.record().messages.iter().find_map(|message| match message.body() {
            Body::Tool { content, .. } => Some(content.len()),
            _ => None,
        });
        assert!(shown.unwrap() < 1_000, "{observation:?} shows {shown:?} bytes");
        let results = results.lock().unwrap();
        assert!(results[0].metadata().tool_name.len() <= 128);
        assert_eq!(results[0].metadata().tool_call_id, calls[0].id, "an id is what it is");
    }
}

/// All codes that the framework gives.
const CODES: [&str; 18] = [
    code::UNKNOWN_TOOL,
    code::UNAUTHORIZED,
    code::APPROVAL_REJECTED,
    code::MALFORMED_JSON,
    code::SCHEMA_VALIDATION_FAILED,
    code::TOOL_TIMEOUT,
    code::TOOL_PANICKED,
    code::INTERNAL_EXECUTION_FAILURE,
    code::OUTCOME_UNKNOWN,
    code::RESULT_UNREADABLE,
    code::CALL_IN_FLIGHT,
    code::STORE_UNAVAILABLE,
    code::KEY_CONFLICT,
    code::LIMIT_REACHED,
    code::NOT_RUN,
    code::ANSWER_REJECTED,
    code::CANCELLED,
    "NOT_FOUND",
];

/// How the last sentence of a message to the model begins.
const ADVICE: [&str; 10] = [
    "Correct ",
    "Send ",
    "Call ",
    "Do not ",
    "Take another way",
    "Tell the person",
    "Make ",
    "Answer",
    "Look at ",
    "Give ",
];

type Told = Arc<Mutex<Vec<(String, String)>>>;

/// An agent whose errors are kept: their codes and messages.
fn keeping(store: Shared, told: &Told, calls: &[(&str, &str)]) -> Agent<App> {
    struct No;
    #[async_trait::async_trait]
    impl agent_core::Approver for No {
        async fn decide(&self, _: &SecurityContext, call: &agent_core::run::Pending) -> Option<agent_core::Decision> {
            Some(call.reject("boss", "not this week"))
        }
    }
    let calls =
        calls.iter().enumerate().map(|(i, (tool, arguments))| ToolCall::new(format!("c{i}"), *tool, *arguments));
    let model = ScriptedModel::new([Reply::calls(calls), Reply::text("So be it."), Reply::text("So be it.")]);
    let told = told.clone();
    let builder = Agent::builder(model).tools(tools![look, act, add, crate::world::sign]).state(App::default());
    let builder = builder.store(store).approver(No).observer(move |_: &str, event: &Event| {
        if let Event::CallFinished { result, .. } = event
            && let Some(error) = result.error_body()
        {
            told.lock().unwrap().push((error.code.clone(), error.message.clone()));
        }
    });
    builder.build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_message_to_the_model_ends_with_what_it_should_do() {
    hush_expected_panics();
    let told = Told::default();
    let ok = r#"{"how":"ok"}"#;
    let rows: [&[(&str, &str)]; 15] = [
        &[("lokk", ok)],
        &[("look", "{")],
        &[("look", r#"{"how":7}"#)],
        &[("look", r#"{"how":"business"}"#)],
        &[("look", r#"{"how":"hang"}"#)],
        &[("look", r#"{"how":"panic"}"#)],
        &[("look", r#"{"how":"fatal"}"#)],
        &[("look", r#"{"how":"unwritable"}"#)],
        &[("act", r#"{"how":"not_done"}"#)],
        &[("act", r#"{"how":"unwritable"}"#)],
        &[("act", r#"{"how":"fatal"}"#), ("look", ok)],
        &[("sign", ok)],
        &[("act", r#"{"how":"hang"}"#)],
        &[("look", ok), ("look", r#"{"how":"ok","n":1}"#)],
        &[("look", r#"{"how":"slow"}"#), ("act", ok)],
    ];
    for calls in rows {
        let tight = Limits::default().max_tool_calls(1).timeout(Duration::from_millis(1050));
        for limits in [Limits::default(), Limits::default().max_tool_calls_per_turn(1), tight] {
            let _ = keeping(Shared::default(), &told, calls).run("Go.").caller(writer()).limits(limits).await;
        }
    }
    let _ = keeping(Shared::default(), &told, &[("act", ok), ("look", ok)]).run("Go.").await;
    let broken = Shared::default();
    broken.0.claims.store(u32::MAX, std::sync::atomic::Ordering::SeqCst);
    let _ = keeping(broken, &told, &[("act", ok)]).run("Go.").caller(writer()).await;
    let shared = Shared::default();
    for (tool, arguments) in
        [("add", r#"{"n":1}"#), ("add", r#"{"n":2}"#), ("act", r#"{"how":"hang"}"#), ("act", r#"{"how":"hang"}"#)]
    {
        let _ = keeping(shared.clone(), &told, &[(tool, arguments)]).run("Go.").caller(writer()).id("r").await;
    }
    let stop = Cancellation::new();
    let hanging = keeping(Shared::default(), &told, &[("look", r#"{"how":"hang"}"#), ("act", ok)]);
    let run = tokio::spawn(hanging.run("Go.").caller(writer()).cancel(stop.clone()).into_future());
    tokio::time::sleep(Duration::from_millis(5)).await;
    stop.cancel("enough");
    let _ = run.await.unwrap();
    for calls in [
        &[("finish", r#"{"answer":1}"#)][..],
        &[("finish", r#"{"answer":1}"#), ("finish", r#"{"answer":2}"#)],
        &[("finish", r#"{"answer":1}"#), ("look", "{")],
        &[("finish", "{")],
    ] {
        let run = keeping(Shared::default(), &told, calls).run("Go.").answer::<u32>();
        let _ = run.check_answer(|_: &u32, _: &str| Err("that is too few".to_owned())).await;
    }
    withdrawn(&told);

    let told = told.lock().unwrap();
    let seen: std::collections::BTreeSet<_> = told.iter().map(|(code, _)| code.as_str()).collect();
    let missing: Vec<_> = CODES.iter().filter(|code| !seen.contains(**code)).collect();
    assert!(missing.is_empty(), "no message of {missing:?}");
    for (code, message) in told.iter() {
        let last = message.trim_end_matches('.').rsplit(['.', '?', '!']).next().unwrap().trim();
        assert!(ADVICE.iter().any(|advice| last.starts_with(advice)), "{code}: {message}");
    }
}

/// An answer that the host has not looked at when its run is cancelled.
fn withdrawn(told: &Told) {
    let mut plan = Plan::new(vec![], Limits::default());
    (plan.finish, plan.checks_answer) = (Some("finish".to_owned()), true);
    let (mut run, mut events) = (Run::new(RunStart::new("r", "Go.")), Vec::new());
    let reply = Reply::calls([ToolCall::new("f", "finish", "{}")]);
    run.apply(&plan, Input::Reply(Box::new(reply), Duration::ZERO), &mut events);
    run.apply(&plan, Input::Checked(vec![Checked::Finish { value: "{}".to_owned() }]), &mut events);
    run.apply(&plan, Input::Cancel("enough".to_owned()), &mut events);
    let result = events.iter().find_map(|event| match event {
        Event::CallFinished { result, .. } => result.error_body(),
        _ => None,
    });
    let error = result.unwrap();
    assert!(error.message.contains("before the host had looked at it"), "{}", error.message);
    told.lock().unwrap().push((error.code.clone(), error.message.clone()));
}

#[tokio::test]
async fn what_the_model_is_told_of_arguments_that_cannot_be_read_says_it_once() {
    let deep = format!(r#"{{"how":{}}}"#, "[".repeat(1000));
    let rows = [
        ("{} {}", "The arguments are not JSON: trailing characters at line 1, column 4."),
        (r#"{"how":"#, "The JSON breaks off at line 1, column 7; write all of it."),
        (r#"{"n":1e400}"#, "The number at line 1, column 10 is greater than any 64-bit float."),
        (&deep, "The JSON is nested too deeply at line 1, column 134."),
    ];
    for (arguments, expected) in rows {
        let error = repeats(Shared::default(), "look", arguments).run("Go.").caller(writer()).await.unwrap_err();
        let shown = serde_json::to_string(error.record().messages.as_slice()).unwrap();
        let whole = format!("\"{expected} Send one JSON object and call again.");
        assert!(shown.replace("\\\"", "\"").contains(&whole), "{whole}: {shown}");
    }
}
