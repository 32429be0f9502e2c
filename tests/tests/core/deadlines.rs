//! The run's time: it reaches every wait, and does not run while people decide.

use std::time::Duration;

use agent_core::model::{Message, ModelError, Reply};
use agent_core::{Agent, Compactor, Event, Limits, RunErrorKind, Window, tools};
use tokio::time::Instant;

use crate::speaker::{Murmur, Says, Speaker, assert_whole, call, codes, look_at, read, suspended};
use crate::world::{App, look, sign, writer};

const SECOND: Duration = Duration::from_secs(1);

fn timeout(limit: Duration) -> RunErrorKind {
    RunErrorKind::Timeout { limit }
}

fn agent(says: impl IntoIterator<Item = Says>) -> Agent<App> {
    Agent::builder(Speaker::new(says)).tools(tools![look]).state(App::default()).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn closing_words_that_come_in_time_are_kept_and_others_not_waited_for() {
    let stuck = || [Says::Now(look_at("fatal", 1)), Says::Now(look_at("fatal", 1))];
    for (closing, text, took) in [
        (Says::After(2 * SECOND, Reply::text("It is broken.")), Some("It is broken."), 2 * SECOND),
        (Says::After(9 * SECOND, Reply::text("It is broken.")), None, 3 * SECOND),
        (Says::Never, None, 3 * SECOND),
    ] {
        let (agent, began) = (agent(stuck().into_iter().chain([closing])), Instant::now());
        let error = agent.run("Go.").limits(Limits::default().timeout(3 * SECOND)).await.unwrap_err();
        assert_eq!((error.kind().as_str(), error.text(), began.elapsed()), ("circuit_open", text, took));
    }
}

struct Slow;

#[async_trait::async_trait]
impl Compactor for Slow {
    async fn summarise(&self, _: &[Message]) -> Result<String, ModelError> {
        tokio::time::sleep(60 * SECOND).await;
        Ok("too late".to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_not_waited_for_beyond_the_runs_time_whoever_makes_it() {
    let history: Vec<_> = (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect();
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    for by_host in [false, true] {
        let model = Speaker::new([Says::After(60 * SECOND, Reply::text("too late"))]);
        let builder = Agent::builder(model.clone()).window(window);
        let agent = if by_host { builder.compactor(Slow) } else { builder }.build().unwrap();
        let began = Instant::now();
        let error = agent.run("Go.").history(history.clone()).await.unwrap_err();
        assert_eq!((error.kind(), began.elapsed()), (&timeout(30 * SECOND), 30 * SECOND));
        assert_eq!(error.record().messages.len(), 11, "the record keeps everything");
        assert_eq!(model.asked().len(), usize::from(!by_host));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_not_tried_again_where_the_try_would_begin_after_its_time_or_the_runs() {
    let second_try = Duration::from_millis(100);
    for limits in [
        Limits::default().timeout(Duration::from_millis(250)),
        Limits::default().tool_timeout(Duration::from_millis(250)),
    ] {
        // The third try, which would succeed, would come 200 ms after the second.
        let agent = agent([Says::Now(look_at("transient", 1)), Says::Now(Reply::text("Busy."))]);
        let answer = agent.run("Go.").limits(limits).await.unwrap();
        assert_eq!((answer.text(), answer.record().elapsed), ("Busy.", second_try), "nobody waits for nothing");
        assert_eq!(codes(answer.record()), ["INTERNAL_EXECUTION_FAILURE"]);
    }
    let enough = agent([Says::Now(look_at("transient", 1)), Says::Now(Reply::text("Seen."))]);
    let answer = enough.run("Go.").limits(Limits::default().timeout(SECOND)).await.unwrap();
    assert_eq!(codes(answer.record()), ["success"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_falls_silent_ends_with_the_runs_time_and_what_came_was_told() {
    let agent = Agent::builder(Murmur(&["Once", " upon"])).build().unwrap();
    let began = Instant::now();
    let (events, end) = read(agent.run("A story.").events()).await;
    let error = end.unwrap_err();
    assert_eq!((error.kind(), began.elapsed()), (&timeout(30 * SECOND), 30 * SECOND));
    assert_eq!(events.iter().filter(|event| matches!(event, Event::TextDelta { .. })).count(), 2);
    assert_eq!(error.record().messages.len(), 1, "half a reply is none");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_makes_progress_for_ever_ends_with_its_time() {
    let says = (0..1_000).map(|n| Says::After(Duration::from_millis(950), look_at("slow", n)));
    let limits = Limits::default().max_cycles(1_000).max_tool_calls(1_000);
    let (agent, began) = (agent(says), Instant::now());
    let error = agent.run("Go.").limits(limits).await.unwrap_err();
    assert_eq!((error.kind(), began.elapsed()), (&timeout(30 * SECOND), 30 * SECOND));
    // 1,050 ms for each turn: the 29th reply would come after 30 s.
    assert_eq!(codes(error.record()).iter().filter(|code| *code == "success").count(), 28);
    assert_whole(&error.record().messages);
}

#[tokio::test(start_paused = true)]
async fn the_time_that_people_take_to_decide_does_not_count_and_all_other_time_does() {
    for (thinks, expected) in [(9 * SECOND, Ok("Signed.")), (11 * SECOND, Err(timeout(30 * SECOND)))] {
        let signer = |says: Vec<Says>| {
            Agent::builder(Speaker::new(says)).tools(tools![sign]).state(App::default()).build().unwrap()
        };
        let first = signer(vec![Says::After(20 * SECOND, call("a", "sign", r#"{"how":"ok"}"#))]);
        let run = suspended(first.run("Sign.").caller(writer()).await.unwrap_err());
        assert_eq!(run.record().elapsed, 20 * SECOND);
        tokio::time::sleep(Duration::from_secs(7 * 24 * 60 * 60)).await;
        let decision = run.pending()[0].approve("boss");
        let second = signer(vec![Says::After(thinks, Reply::text("Signed."))]);
        let began = Instant::now();
        let ended = second.resume(run).caller(writer()).decide(decision).await;
        assert_eq!(second.state().world.effects(), 1, "a decision does not grow old");
        let seen = match &ended {
            Ok(answer) => {
                assert_eq!(answer.record().elapsed, 29 * SECOND);
                Ok(answer.text())
            }
            Err(error) => {
                assert_eq!((error.record().elapsed, began.elapsed()), (30 * SECOND, 10 * SECOND));
                Err(error.kind().clone())
            }
        };
        assert_eq!(seen, expected);
    }
}
