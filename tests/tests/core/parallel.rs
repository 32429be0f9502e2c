//! Several calls in one turn: together where they may be, each with its own end, and the limits first.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::model::{Body, Message, Reply, ToolCall};
use agent_core::run::StepRecord;
use agent_core::run_store::{MemoryRunStore, RunStore, StoredRun};
use agent_core::{Agent, Event, Limits, tools};
use tokio::time::Instant;

use crate::speaker::{Speaker, assert_whole, codes, read};
use crate::world::{App, act, hush_expected_panics, look, writer};

fn looks(id: &str, how: &str) -> ToolCall {
    ToolCall::new(id, "look", format!(r#"{{"how":"{how}"}}"#))
}

/// The calls whose results the model is shown, in that order.
fn answered(messages: &[Message]) -> Vec<&str> {
    let results = messages.iter().filter_map(|message| match message.body() {
        Body::Tool { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    });
    results.collect()
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_holds_back_neither_the_results_of_the_others_nor_their_order_for_the_model() {
    hush_expected_panics();
    for streamed in [false, true] {
        let calls = [looks("slow", "slow"), looks("ok", "ok"), looks("panics", "panic")];
        let ended = Arc::<Mutex<Vec<(String, Duration)>>>::default();
        let (told, began) = (ended.clone(), Instant::now());
        let builder = Agent::builder(Speaker::replies([Reply::calls(calls), Reply::text("Two of three.")]));
        let agent = builder
            .tools(tools![look])
            .state(App::default())
            .observer(move |_: &str, event: &Event| {
                if let Event::CallFinished { step, .. } = event {
                    told.lock().unwrap().push((step.call_id.to_string(), began.elapsed()));
                }
            })
            .build()
            .unwrap();
        match streamed {
            true => assert_eq!(read(agent.run("Go.").events()).await.1.unwrap(), "Two of three."),
            false => {
                let answer = agent.run("Go.").await.unwrap();
                assert_eq!(answered(&answer.record().messages), ["slow", "ok", "panics"]);
                assert_eq!(codes(answer.record()), ["success", "TOOL_PANICKED", "success"]);
            }
        }
        let (at_once, later) = (Duration::ZERO, Duration::from_millis(100));
        let expected = [("ok", at_once), ("panics", at_once), ("slow", later)];
        assert_eq!(*ended.lock().unwrap(), expected.map(|(id, when)| (id.to_owned(), when)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_is_saved_while_another_call_of_the_turn_still_runs() {
    let runs = Arc::new(MemoryRunStore::new());
    let calls = [looks("hangs", "hang"), looks("ok", "ok")];
    let builder = Agent::builder(Speaker::replies([Reply::calls(calls)])).tools(tools![look]).state(App::default());
    let agent = builder.run_store(runs.clone()).build().unwrap();
    let running = agent.run("Go.").caller(writer()).id("r").into_future();
    assert!(tokio::time::timeout(Duration::from_secs(1), running).await.is_err());
    let StoredRun::Unfinished(run) = runs.load("tenant_1", "r").await.unwrap() else { panic!("it was cut off") };
    let saved: Vec<_> = run
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => Some(tool.call_id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(saved, ["ok"]);
}

#[tokio::test(start_paused = true)]
async fn reads_run_together_up_to_the_cap_plain_and_streamed() {
    for streamed in [false, true] {
        let calls = (0..6).map(|n| ToolCall::new("", "look", format!(r#"{{"how":"slow","n":{n}}}"#)));
        let builder = Agent::builder(Speaker::replies([Reply::calls(calls), Reply::text("Six.")]));
        let agent = builder.tools(tools![look]).state(App::default()).build().unwrap();
        let (run, began) = (agent.run("Go.").limits(Limits::default().max_parallel_calls(3)), Instant::now());
        match streamed {
            true => assert_eq!(read(run.events()).await.1.unwrap(), "Six."),
            false => assert_eq!(run.await.unwrap().text(), "Six."),
        }
        assert_eq!(agent.state().world.most_reading.load(Ordering::SeqCst), 3);
        assert_eq!(began.elapsed(), Duration::from_millis(200), "twice three");
    }
}

#[tokio::test]
async fn calls_over_a_limit_have_their_results_before_any_other_of_the_turn_starts() {
    for (limits, ends) in [
        (Limits::default().max_tool_calls_per_turn(2), None),
        (Limits::default().max_tool_calls(2), Some("max_tool_calls")),
    ] {
        let calls = (0..5).map(|n| ToolCall::new(format!("c{n}"), "act", format!(r#"{{"how":"ok","n":{n}}}"#)));
        let builder = Agent::builder(Speaker::replies([Reply::calls(calls), Reply::text("Two of five.")]));
        let agent = builder.tools(tools![act]).state(App::default()).build().unwrap();
        let (events, end) = read(agent.run("Go.").caller(writer()).limits(limits).events()).await;
        assert_eq!(end.as_ref().err().map(|error| error.kind().as_str()), ends);
        let told: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::CallStarted { call, .. } => Some(format!("{} starts", call.id)),
                Event::CallFinished { step, .. } => {
                    Some(format!("{} {}", step.call_id, step.code.as_deref().unwrap_or("is done")))
                }
                _ => None,
            })
            .collect();
        assert_eq!(
            told,
            [
                "c2 LIMIT_REACHED",
                "c3 LIMIT_REACHED",
                "c4 LIMIT_REACHED",
                "c0 starts",
                "c0 is done",
                "c1 starts",
                "c1 is done"
            ]
        );
        assert_eq!(agent.state().world.order(), [0, 1]);
    }
}

#[tokio::test]
async fn each_of_two_hundred_calls_in_one_reply_has_its_one_result_in_call_order() {
    let calls = (0..200).map(|n| ToolCall::new(format!("c{n}"), "look", format!(r#"{{"how":"ok","n":{n}}}"#)));
    let model = Speaker::replies([Reply::calls(calls), Reply::text("Enough.")]);
    let agent = Agent::builder(model.clone()).tools(tools![look]).state(App::default()).build().unwrap();
    agent.run("Go.").await.unwrap();
    let asked = model.asked();
    assert_whole(&asked[1].messages);
    let expected: Vec<_> = (0..200).map(|n| format!("c{n}")).collect();
    assert_eq!(answered(&asked[1].messages), expected);
}
