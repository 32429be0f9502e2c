//! A cancel: seen by tools, seen in every state of a run, and nothing of the conversation lost.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent_core::model::{Message, ModelError, Reply, ToolCall};
use agent_core::run::Pending;
use agent_core::{
    Access, Agent, Approver, Authorizer, BusinessError, CallContext, Cancellation, Compactor, Decision, Denied, Event,
    Limits, RunErrorKind, RunEvent, SecurityContext, ToolError, Window, tool, tools,
};
use futures_util::StreamExt;
use tokio::time::Instant;

use crate::speaker::{Murmur, Says, Speaker, assert_whole, call, codes, look_at, name, read};
use crate::world::{App, Shared, World, act, look, sign, writer};

/// Changes something once it may, and stops when nobody waits for it any more.
#[tool(mutating, permission = "world:write")]
async fn stoppable(world: &World, call: &CallContext) -> Result<&'static str, ToolError> {
    world.entered.fetch_add(1, Ordering::SeqCst);
    assert!(!call.is_cancelled());
    tokio::select! {
        biased;
        permit = world.gate.acquire() => permit.unwrap().forget(),
        () = call.cancelled() => {
            assert!(call.is_cancelled());
            return Err(BusinessError::new("STOPPED", "nothing was changed").into());
        }
    }
    world.effects.fetch_add(1, Ordering::SeqCst);
    Ok("done")
}

#[tokio::test(start_paused = true)]
async fn a_mutating_tool_that_stops_when_nobody_waits_any_more_gives_its_claim_back() {
    for why in ["cancelled", "its own time", "the run's time", "dropped"] {
        let (store, world) = (Shared::default(), Arc::<World>::default());
        let agent = |replies| {
            let builder = Agent::builder(Speaker::replies(replies)).tools(tools![stoppable]);
            builder.state(App { world: world.clone() }).store(store.clone()).build().unwrap()
        };
        let first = agent(vec![call("a", "stoppable", "{}")]);
        let limits = match why {
            "its own time" => Limits::default().tool_timeout(Duration::from_secs(2)),
            "the run's time" => Limits::default().timeout(Duration::from_secs(2)),
            _ => Limits::default(),
        };
        let cancel = Cancellation::new();
        let run = first.run("Go.").caller(writer()).id("r").limits(limits).cancel(cancel.clone());
        let running = tokio::spawn(run.into_future());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(world.entered(), 1, "{why}");
        match why {
            "cancelled" => cancel.cancel("enough"),
            "dropped" => running.abort(),
            _ => {}
        }
        if let Ok(ended) = running.await {
            let error = ended.unwrap_err();
            assert_eq!(error.kind().as_str(), "outcome_unknown", "{why}: nobody waited to hear what came of it");
            assert_whole(&error.record().messages);
        }
        assert_eq!(first.drain(Duration::from_secs(1)).await, [], "{why}: it has stopped");
        assert_eq!(world.effects(), 0, "{why}");

        world.gate.add_permits(1);
        let again = agent(vec![call("b", "stoppable", "{}"), Reply::text("Done.")]);
        assert_eq!(again.run("Go.").caller(writer()).id("r").await.unwrap().text(), "Done.", "{why}");
        assert_eq!((world.entered(), world.effects()), (2, 1), "{why}: it said that nothing was changed");
    }
}

/// Says how many milliseconds it has.
#[tool]
async fn time_left(call: &CallContext) -> u64 {
    call.remaining().as_millis().try_into().unwrap()
}

/// Says how many milliseconds it has to change something.
#[tool(mutating, unrestricted, duplicates = "allow")]
async fn time_left_to_change(call: &CallContext) -> u64 {
    call.remaining().as_millis().try_into().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_told_how_much_is_left_of_its_own_time_and_of_the_runs() {
    let two = || Reply::calls(["time_left", "time_left_to_change"].map(|tool| ToolCall::new("", tool, "{}")));
    let says =
        [Says::Now(two()), Says::After(Duration::from_secs(24), two()), Says::Now(Reply::text("That is the time."))];
    let agent = Agent::builder(Speaker::new(says)).tools(tools![time_left, time_left_to_change]).build().unwrap();
    let answer = agent.run("How long?").await.unwrap();
    let shown = format!("{:?}", answer.record().messages);
    for (data, times) in [(r#"\"data\":10000,"#, 2), (r#"\"data\":6000,"#, 2)] {
        assert_eq!(shown.matches(data).count(), times, "{data} in {shown}");
    }
}

/// Whoever is asked never answers.
struct Hangs;

#[async_trait::async_trait]
impl Approver for Hangs {
    async fn decide(&self, _: &SecurityContext, _: &Pending) -> Option<Decision> {
        std::future::pending().await
    }
}

#[async_trait::async_trait]
impl Authorizer for Hangs {
    async fn authorize(&self, _: &SecurityContext, _: &Access<'_>) -> Result<(), Denied> {
        std::future::pending().await
    }
}

#[async_trait::async_trait]
impl Compactor for Hangs {
    async fn summarise(&self, _: &[Message]) -> Result<String, ModelError> {
        std::future::pending().await
    }
}

/// An agent that waits, for this.
fn waits_for(what: &str) -> Agent<App> {
    let says = match what {
        "an approver" => vec![Says::Now(call("a", "sign", r#"{"how":"ok"}"#))],
        "the gates" => vec![Says::Now(look_at("ok", 1))],
        "a read" => vec![Says::Now(look_at("hang", 1))],
        "a retry" => vec![Says::Now(look_at("transient", 1))],
        "closing words" => vec![Says::Now(look_at("fatal", 1)), Says::Now(look_at("fatal", 1)), Says::Never],
        _ => vec![Says::Never],
    };
    let builder = Agent::builder(Speaker::new(says)).tools(tools![look, act, sign]).state(App::default());
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    let builder = match what {
        "an approver" => builder.approver(Hangs),
        "the gates" => builder.authorizer(Hangs),
        "a compactor" => builder.window(window).compactor(Hangs),
        "a summary" => builder.window(window),
        _ => builder,
    };
    builder.build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_a_run_at_once_whatever_it_waits_for_and_also_in_a_stream() {
    let history: Vec<_> = (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect();
    for what in
        ["a model", "an approver", "the gates", "a read", "a retry", "a compactor", "a summary", "closing words"]
    {
        for streamed in [false, true] {
            let (agent, cancel, began) = (waits_for(what), Cancellation::new(), Instant::now());
            let run = agent.run("Go.").caller(writer()).history(history.clone()).cancel(cancel.clone());
            let ends = tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                cancel.cancel("enough");
            });
            let error = match streamed {
                true => read(run.events()).await.1.unwrap_err(),
                false => run.await.unwrap_err(),
            };
            ends.await.unwrap();
            assert_eq!(began.elapsed(), Duration::from_millis(50), "{what}");
            match what {
                // The boundary that was met stays the reason.
                "closing words" => assert_eq!(error.kind().as_str(), "circuit_open"),
                _ => assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "enough".to_owned() }, "{what}"),
            }
            assert_eq!(error.text(), None);
            assert_whole(&error.record().messages);
            assert_eq!(agent.state().world.entered(), 0, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_cancels_for_a_reason_while_text_streams_in_and_hears_no_more_of_it() {
    let agent = Agent::builder(Murmur(&["Once", " upon", " a time"])).build().unwrap();
    let cancel = Cancellation::new();
    let mut stream = agent.run("A story.").cancel(cancel.clone()).events();
    let (mut told, mut end) = (Vec::new(), None);
    while let Some(event) = stream.next().await {
        match event {
            RunEvent::Event(event) => {
                if matches!(&event, Event::TextDelta { text } if text == " a time") {
                    cancel.cancel("that will do");
                }
                told.push(name(&event));
            }
            RunEvent::Finished(ended) => end = Some(ended),
            _ => {}
        }
    }
    let error = end.unwrap().unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "that will do".to_owned() });
    assert_eq!(told, ["run_started", "cycle_started", "text_delta", "text_delta", "text_delta", "run_finished"]);
    assert_eq!(error.record().messages, [Message::user("A story.")], "half a reply is none");
}

#[tokio::test(start_paused = true)]
async fn an_observer_cancels_a_run_between_two_calls_and_the_later_one_never_runs() {
    for streamed in [false, true] {
        let calls = [ToolCall::new("a", "act", r#"{"how":"slow"}"#), ToolCall::new("b", "act", r#"{"how":"ok"}"#)];
        let cancel = Cancellation::new();
        let ends = cancel.clone();
        let builder = Agent::builder(Speaker::replies([Reply::calls(calls)])).tools(tools![act]).state(App::default());
        let agent = builder
            .observer(move |_: &str, event: &Event| {
                if matches!(event, Event::CallFinished { .. }) {
                    ends.cancel("one is enough");
                }
            })
            .build()
            .unwrap();
        let run = agent.run("Go.").caller(writer()).cancel(cancel);
        let error = match streamed {
            true => read(run.events()).await.1.unwrap_err(),
            false => run.await.unwrap_err(),
        };
        assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "one is enough".to_owned() });
        assert_eq!(codes(error.record()), ["success", "CANCELLED"]);
        assert_eq!(agent.state().world.effects(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_conversation_of_a_cancelled_run_goes_on_in_another() {
    let calls = [ToolCall::new("r", "look", r#"{"how":"hang"}"#), ToolCall::new("w", "act", r#"{"how":"ok"}"#)];
    let model = Speaker::replies([Reply::calls(calls), Reply::text("You stopped me.")]);
    let repaired = Arc::<std::sync::atomic::AtomicBool>::default();
    let told = repaired.clone();
    let builder = Agent::builder(model.clone()).tools(tools![look, act]).state(App::default());
    let agent = builder
        .observer(move |_: &str, event: &Event| {
            if matches!(event, Event::HistoryRepaired { .. }) {
                told.store(true, Ordering::SeqCst);
            }
        })
        .build()
        .unwrap();
    let cancel = Cancellation::new();
    let running = tokio::spawn(agent.run("Go.").caller(writer()).cancel(cancel.clone()).into_future());
    tokio::time::sleep(Duration::from_millis(5)).await;
    cancel.cancel("wait");
    let error = running.await.unwrap().unwrap_err();
    assert_eq!(codes(error.record()), ["CANCELLED", "CANCELLED"]);

    let answer = agent.run("What happened?").caller(writer()).history(error.record().messages.clone()).await.unwrap();
    assert_eq!(answer.text(), "You stopped me.");
    let asked = model.asked();
    assert_whole(&asked.last().unwrap().messages);
    assert_eq!(asked.last().unwrap().messages.len(), 5, "the prompt, two calls with their results, and the new prompt");
    assert!(!repaired.load(Ordering::SeqCst), "nothing of it had to be mended");
}
