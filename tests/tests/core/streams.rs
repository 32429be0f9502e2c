//! A run as a stream of events.

use std::time::Duration;

use agent_core::model::{Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Event, RunErrorKind, RunEvent, RunEvents, tool, tools};
use futures_util::StreamExt;

use crate::world::{App, act, add, look, writer};

/// Reports progress.
#[tool]
async fn crunch(call: &agent_core::CallContext) -> u32 {
    for percent in [10, 90] {
        call.progress(percent);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    100
}

fn agent(replies: impl IntoIterator<Item = Reply>) -> Agent<App> {
    let builder = Agent::builder(ScriptedModel::new(replies)).tools(tools![look, act, add, crunch]);
    builder.state(App::default()).build().unwrap()
}

fn names(events: &[Event]) -> Vec<String> {
    let name = |event: &Event| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned();
    events.iter().map(name).collect()
}

async fn read<T: Unpin>(mut stream: RunEvents<T>) -> (Vec<Event>, Result<String, RunErrorKind>) {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            RunEvent::Event(event) => events.push(event),
            RunEvent::Finished(Ok(answer)) => return (events, Ok(answer.text().to_owned())),
            RunEvent::Finished(Err(error)) => return (events, Err(error.kind().clone())),
            _ => {}
        }
    }
    panic!("a stream ends with the run's end")
}

#[tokio::test(start_paused = true)]
async fn a_stream_tells_each_step_and_ends_with_the_answer() {
    let calls = Reply::calls([ToolCall::new("a", "crunch", "{}")]);
    let (events, end) = read(agent([calls, Reply::text("Done.")]).run("Go.").events()).await;
    assert_eq!(end, Ok("Done.".to_owned()));
    assert_eq!(
        names(&events),
        [
            "run_started",
            "cycle_started",
            "model_replied",
            "call_started",
            "call_progress",
            "call_progress",
            "call_finished",
            "cycle_started",
            "model_replied",
            "run_finished",
        ]
    );
}

#[tokio::test]
async fn a_stream_ends_with_the_same_error_as_a_plain_run() {
    let replies = || [Reply::calls([ToolCall::new("a", "act", r#"{"how":"fatal"}"#)])];
    let (_, streamed) = read(agent(replies()).run("Go.").caller(writer()).id("r").events()).await;
    let plain = agent(replies()).run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert_eq!(streamed.unwrap_err(), *plain.kind());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_ends_reads_and_lets_a_mutating_call_finish_and_settle() {
    let agent = agent([Reply::calls([
        ToolCall::new("r", "look", r#"{"how":"hang"}"#),
        ToolCall::new("w", "act", r#"{"how":"slow"}"#),
    ])]);
    let mut stream = agent.run("Go.").caller(writer()).events();
    let reading = tokio::time::timeout(Duration::from_millis(5), async { while stream.next().await.is_some() {} });
    assert!(reading.await.is_err());
    drop(stream);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(agent.state().world.reading.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(agent.state().world.entered(), 0, "the mutating call had not begun");

    let writes = self::agent([Reply::calls([ToolCall::new("w", "act", r#"{"how":"slow"}"#)])]);
    let mut stream = writes.run("Go.").caller(writer()).events();
    let reading = tokio::time::timeout(Duration::from_millis(5), async { while stream.next().await.is_some() {} });
    assert!(reading.await.is_err());
    drop(stream);
    assert_eq!(writes.drain(Duration::from_secs(5)).await, []);
    assert_eq!(writes.state().world.effects(), 1);
}
