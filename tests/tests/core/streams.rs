//! A run as a stream of events.

use std::time::Duration;

use agent_core::model::{Delta, ModelError, Reply, Request, ToolCall};
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
            "call_building",
            "model_replied",
            "call_started",
            "call_progress",
            "call_progress",
            "call_finished",
            "cycle_started",
            "text_delta",
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

/// Leaves behind a task that reports without end.
#[tool]
async fn leaves_a_reporter(
    /// Whether the tool itself goes on, too.
    stay: bool,
    call: &agent_core::CallContext,
) -> u32 {
    let call = call.clone();
    tokio::spawn(async move {
        loop {
            call.progress(1);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    if stay { std::future::pending().await } else { 1 }
}

/// Reads slower than the reporter reports, for at most ten minutes.
async fn read_slowly(run: agent_core::RunBuilder<()>) -> (Vec<Event>, Result<String, RunErrorKind>) {
    let mut stream = run.events();
    let reading = async {
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
            match event {
                RunEvent::Event(event) => events.push(event),
                RunEvent::Finished(Ok(answer)) => return (events, Ok(answer.text().to_owned())),
                RunEvent::Finished(Err(error)) => return (events, Err(error.kind().clone())),
                _ => {}
            }
        }
        panic!("a stream ends with the run's end")
    };
    tokio::time::timeout(Duration::from_secs(600), reading).await.expect("the run ends")
}

fn reporting(stay: bool) -> Agent {
    let calls = Reply::calls([ToolCall::new("a", "leaves_a_reporter", format!(r#"{{"stay":{stay}}}"#))]);
    let model = ScriptedModel::new([calls, Reply::text("Done.")]);
    Agent::builder(model).tools(tools![leaves_a_reporter]).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn progress_without_pause_stops_neither_the_deadline_nor_a_cancel() {
    let (_, end) = read_slowly(reporting(true).run("Go.")).await;
    assert_eq!(end.unwrap_err().as_str(), "timeout");
    let cancel = agent_core::Cancellation::new();
    let ends = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        ends.cancel("enough");
    });
    let (_, end) = read_slowly(reporting(true).run("Go.").cancel(cancel)).await;
    assert_eq!(end, Err(RunErrorKind::Cancelled { reason: "enough".to_owned() }));
}

#[tokio::test(start_paused = true)]
async fn progress_after_the_runs_end_is_not_told_and_keeps_no_end_from_coming() {
    let (events, end) = read_slowly(reporting(false).run("Go.")).await;
    assert_eq!(end, Ok("Done.".to_owned()));
    assert_eq!(names(&events).last().map(String::as_str), Some("run_finished"));
}

/// Speaks without end and without pause, and counts its pieces.
struct Torrent(std::sync::Arc<std::sync::atomic::AtomicU32>);

#[async_trait::async_trait]
impl agent_core::model::Model for Torrent {
    fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
        &[&agent_core::profile::OPENAI]
    }

    fn name(&self) -> &str {
        "torrent"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        Ok(Reply::text("la"))
    }

    fn stream<'a>(&'a self, _: Request<'a>) -> futures_util::stream::BoxStream<'a, Result<Delta, ModelError>> {
        futures_util::stream::repeat_with(|| {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Ok(Delta::Text("la ".to_owned()))
        })
        .boxed()
    }
}

#[tokio::test]
async fn pieces_are_asked_for_as_fast_as_they_are_read() {
    let pieces = std::sync::Arc::<std::sync::atomic::AtomicU32>::default();
    let agent = Agent::builder(Torrent(pieces.clone())).build().unwrap();
    let mut stream = agent.run("Sing.").events();
    for read in 1..1_000 {
        stream.next().await.unwrap();
        let asked = pieces.load(std::sync::atomic::Ordering::SeqCst);
        assert!(asked <= read + 200, "{asked} pieces are kept for {read} that were read");
    }
}

#[tokio::test]
async fn a_stream_that_is_always_ready_lets_others_run_also_where_nobody_reads() {
    struct Ears;
    impl agent_core::Observer for Ears {
        fn event(&self, _: &str, _: &Event) {}
        fn wants_deltas(&self) -> bool {
            true
        }
    }
    let cancel = agent_core::Cancellation::new();
    let agent = Agent::builder(Torrent(std::sync::Arc::default())).observer(Ears).build().unwrap();
    let running = agent.run("Sing.").cancel(cancel.clone()).into_future();
    // On this one thread, the task runs only when the run lets it.
    tokio::spawn(async move { cancel.cancel("enough") });
    let error = tokio::task::unconstrained(running).await.unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "enough".to_owned() });
}

#[tokio::test]
async fn a_stream_of_a_finished_id_tells_its_end_and_that_it_is_given_again() {
    let model = ScriptedModel::new([Reply::text("Done.")]);
    let agent = Agent::builder(model).run_store(agent_core::run_store::MemoryRunStore::new()).build().unwrap();
    let (first, end) = read(agent.run("Go.").id("order-1").events()).await;
    assert_eq!(end, Ok("Done.".to_owned()));
    let (again, end) = read(agent.run("Go.").id("order-1").events()).await;
    assert_eq!(end, Ok("Done.".to_owned()));
    let told = |event: &Event| serde_json::to_value(event).unwrap();
    // The same, but for the word that it is given again.
    let mut ended = told(first.last().unwrap());
    ended["stored"] = true.into();
    assert_eq!(again.iter().map(told).collect::<Vec<_>>(), [ended]);
}

#[tokio::test]
async fn closing_words_are_streamed_as_all_others() {
    let denied = agent([Reply::calls([ToolCall::new("a", "act", r#"{"how":"ok"}"#)]), Reply::text("You may not.")]);
    let (events, end) = read(denied.run("Go.").events()).await;
    assert_eq!(end.unwrap_err().as_str(), "permission_denied");
    let names = names(&events);
    assert_eq!(names[names.len() - 4..], ["concluding", "text_delta", "model_replied", "run_finished"]);
}

#[tokio::test]
async fn a_suspended_run_says_so_last_also_when_it_is_taken_up_and_suspended_again() {
    let model = ScriptedModel::new([Reply::calls([ToolCall::new("s", "sign", r#"{"how":"ok"}"#)])]);
    let agent = Agent::builder(model).tools(tools![crate::world::sign]).state(App::default()).build().unwrap();
    let (events, end) = read(agent.run("Go.").caller(writer()).events()).await;
    assert_eq!(names(&events).last().map(String::as_str), Some("suspended"));
    let Err(RunErrorKind::Suspended(run)) = end else { panic!("{end:?}") };
    let (events, end) = read(agent.resume(*run).caller(writer()).events()).await;
    assert_eq!(names(&events), ["suspended"]);
    assert_eq!(end.unwrap_err().as_str(), "suspended");
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_told_nothing_of_a_run_that_has_ended() {
    let told = std::sync::Arc::<std::sync::Mutex<Vec<Event>>>::default();
    let keeps = told.clone();
    let calls = Reply::calls([ToolCall::new("a", "leaves_a_reporter", r#"{"stay":false}"#)]);
    let model = ScriptedModel::new([calls, Reply::text("Done.")]);
    let builder = Agent::builder(model).tools(tools![leaves_a_reporter]);
    let builder = builder.observer(move |_: &str, event: &Event| keeps.lock().unwrap().push(event.clone()));
    builder.build().unwrap().run("Go.").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(names(&told.lock().unwrap()).last().map(String::as_str), Some("run_finished"));
}
