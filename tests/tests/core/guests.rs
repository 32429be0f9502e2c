//! Code of the host that hangs or panics: authorizers, approvers, observers, types of arguments.

use std::time::Duration;

use agent_core::model::{Delta, Message, Model, ModelError, Reply, Request, ToolCall};
use agent_core::run::{Pending, StepRecord};
use agent_core::schema::{Link, Profile};
use agent_core::testing::ScriptedModel;
use agent_core::{
    Access, Agent, Approver, Authorizer, Compactor, Decision, Denied, Event, Limits, RunErrorKind, SecurityContext,
    ToolSchema, Window, profile, tool, tools,
};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Deserializer};

use crate::world::{App, act, add, look, sign, writer};

fn acts() -> Reply {
    Reply::calls([ToolCall::new("a", "act", r#"{"how":"ok"}"#)])
}

struct Gatekeeper(&'static str);

#[async_trait::async_trait]
impl Authorizer for Gatekeeper {
    async fn authorize(&self, _: &SecurityContext, _: &Access<'_>) -> Result<(), Denied> {
        match self.0 {
            "hangs" => std::future::pending().await,
            _ => Err(Denied::new("secret reason")),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_authorizer_that_refuses_or_hangs_lets_nothing_run() {
    for (how, ends) in [("refuses", "permission_denied"), ("hangs", "timeout")] {
        let model = ScriptedModel::new([acts(), Reply::text("No.")]);
        let builder = Agent::builder(model).tools(tools![look, act, add]).state(App::default());
        let agent = builder.authorizer(Gatekeeper(how)).build().unwrap();
        let error = agent.run("Go.").caller(writer()).await.unwrap_err();
        assert_eq!(error.kind().as_str(), ends);
        assert_eq!(agent.state().world.entered(), 0);
        assert!(!format!("{:?}", error.record().messages).contains("secret"), "the reason is for the log");
    }
}

struct Absent;

#[async_trait::async_trait]
impl Approver for Absent {
    async fn decide(&self, _: &SecurityContext, _: &Pending) -> Option<Decision> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn an_approver_that_never_decides_ends_with_the_runs_time() {
    let model = ScriptedModel::new([Reply::calls([ToolCall::new("a", "sign", r#"{"how":"ok"}"#)])]);
    let agent = Agent::builder(model).tools(tools![sign]).state(App::default()).approver(Absent).build().unwrap();
    let error = agent.run("Go.").caller(writer()).await.unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::Timeout { limit: Duration::from_secs(30) });
    assert_eq!(agent.state().world.entered(), 0);
}

/// Tells how far it is.
#[tool(mutating, unrestricted)]
async fn tells(world: &crate::world::World, call: &agent_core::CallContext) -> u32 {
    world.signed.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    call.progress(50);
    7
}

#[tokio::test]
async fn an_observer_that_panics_changes_nothing() {
    crate::world::hush_expected_panics();
    let model = ScriptedModel::new([Reply::calls([ToolCall::new("a", "tells", "{}")]), Reply::text("Done.")]);
    let builder = Agent::builder(model).tools(tools![tells]).state(App::default());
    let agent = builder.observer(|_: &str, _: &Event| panic!("secret-panic")).build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    assert!(matches!(&answer.record().steps[1], StepRecord::Tool(tool) if tool.code.is_none()), "the effect is known");
}

/// A word that is read by code that breaks.
struct Fragile;

impl ToolSchema for Fragile {
    const SHAPE: Link = <String as ToolSchema>::SHAPE;
}

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("secret-panic")
    }
}

/// Takes a fragile word.
#[tool(mutating, unrestricted)]
async fn take(
    /// The word.
    word: Fragile,
) {
    let _ = word;
}

#[tokio::test]
async fn a_type_whose_reading_panics_fails_its_call_and_not_the_run() {
    crate::world::hush_expected_panics();
    let calls = Reply::calls([ToolCall::new("a", "take", r#"{"word":"x"}"#)]);
    let agent = Agent::builder(ScriptedModel::new([calls, Reply::text("Oh.")])).tools(tools![take]).build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    assert!(matches!(&answer.record().steps[1], StepRecord::Tool(tool)
        if tool.code.as_deref() == Some("INTERNAL_EXECUTION_FAILURE")));
}

#[tokio::test]
async fn an_answer_whose_reading_panics_is_a_failure_of_the_host_and_not_of_the_model() {
    crate::world::hush_expected_panics();
    let calls = ["f", "g"].map(|id| Reply::calls([ToolCall::new(id, "finish", r#"{"answer":"x"}"#)]));
    let agent = Agent::builder(ScriptedModel::new(calls)).build().unwrap();
    let Err(error) = agent.run("Go.").answer::<Fragile>().await else { panic!("nothing can be read") };
    assert!(matches!(&error.record().steps[1], StepRecord::Tool(tool)
        if tool.code.as_deref() == Some("INTERNAL_EXECUTION_FAILURE")));
}

struct Brief;

#[async_trait::async_trait]
impl Compactor for Brief {
    async fn summarise(&self, older: &[Message]) -> Result<String, ModelError> {
        Ok(format!("BRIEF of {} messages", older.len()))
    }
}

#[tokio::test]
async fn a_compactor_sums_up_in_place_of_the_model() {
    let model = ScriptedModel::new([Reply::text("Hello again.")]);
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    let agent = Agent::builder(model.clone()).window(window).compactor(Brief).build().unwrap();
    let history: Vec<_> = (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect();
    agent.run("Hello.").history(history).await.unwrap();
    let seen = format!("{:?}", model.seen()[0]);
    assert!(seen.contains("BRIEF of 10 messages") && seen.contains("Hello."), "{seen}");
}

/// Speaks in pieces, without end where it is told to.
struct Chatty(bool);

#[async_trait::async_trait]
impl Model for Chatty {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "chatty"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        Ok(Reply::text("Hello."))
    }

    fn stream<'a>(&'a self, _: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let pieces = ["Hel", "lo."].map(|piece| Ok(Delta::Text(piece.to_owned())));
        match self.0 {
            true => futures_util::stream::repeat_with(|| Ok(Delta::Text("la ".to_owned()))).boxed(),
            false => futures_util::stream::iter(pieces)
                .chain(futures_util::stream::iter([Ok(Delta::Done(Reply::text("Hello.")))]))
                .boxed(),
        }
    }
}

#[tokio::test]
async fn pieces_of_a_reply_are_events_of_a_stream_and_make_the_same_answer() {
    let events: Vec<_> = Agent::builder(Chatty(false)).build().unwrap().run("Go.").events().collect().await;
    let text: String = events
        .iter()
        .filter_map(|event| match event {
            agent_core::RunEvent::Event(Event::TextDelta { text }) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "Hello.");
    assert!(matches!(events.last(), Some(agent_core::RunEvent::Finished(Ok(answer))) if answer.text() == "Hello."));
}

#[tokio::test]
async fn a_stream_of_pieces_without_end_cannot_stop_the_deadline() {
    let agent =
        Agent::builder(Chatty(true)).limits(Limits::default().timeout(Duration::from_millis(20))).build().unwrap();
    let mut events = agent.run("Go.").events();
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    let Some(agent_core::RunEvent::Finished(Err(error))) = last else { panic!("{last:?}") };
    assert_eq!(error.kind().as_str(), "timeout");
}

/// Breaks when it is shown or let go, as it is told.
#[derive(Debug)]
struct Bomb {
    when_shown: bool,
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        assert!(!self.when_shown, "secret-panic");
        f.write_str("a bomb")
    }
}

impl std::error::Error for Bomb {}

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("secret-panic");
        }
    }
}

impl serde::Serialize for Bomb {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("a bomb")
    }
}

async fn explode(how: &str) -> Result<Bomb, agent_core::ToolError> {
    match how {
        "error" => Err(agent_core::ToolError::fatal(Bomb { when_shown: false })),
        "not_done" => Err(agent_core::ToolError::fatal(Bomb { when_shown: false }).not_done()),
        "transient" => Err(agent_core::ToolError::fatal(Bomb { when_shown: false }).transient()),
        "display" => Err(agent_core::ToolError::fatal(Bomb { when_shown: true })),
        "payload" => std::panic::panic_any(Bomb { when_shown: false }),
        "late" => {
            let bomb = Bomb { when_shown: false };
            std::future::pending::<()>().await;
            Ok(bomb)
        }
        _ => Ok(Bomb { when_shown: false }),
    }
}

/// Explodes when it reads.
#[tool(retries = 1)]
async fn explodes_reading(
    /// How.
    how: String,
) -> Result<Bomb, agent_core::ToolError> {
    explode(&how).await
}

/// Explodes when it changes something.
#[tool(mutating, unrestricted)]
async fn explodes_changing(
    /// How.
    how: String,
) -> Result<Bomb, agent_core::ToolError> {
    explode(&how).await
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_leaves_behind_cannot_break_its_run() {
    crate::world::hush_expected_panics();
    for how in ["value", "error", "not_done", "transient", "display", "payload", "late"] {
        for (tool, cancelled) in [("explodes_reading", false), ("explodes_reading", true), ("explodes_changing", false)]
        {
            let calls = Reply::calls([ToolCall::new("a", tool, format!(r#"{{"how":"{how}"}}"#))]);
            let model = ScriptedModel::new([calls, Reply::text("Oh.")]);
            let agent = Agent::builder(model).tools(tools![explodes_reading, explodes_changing]).build().unwrap();
            let cancel = agent_core::Cancellation::new();
            let run = agent.run("Go.").cancel(cancel.clone()).into_future();
            if cancelled {
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    cancel.cancel("enough");
                });
            }
            let record = match run.await {
                Ok(answer) => answer.record().clone(),
                Err(error) => error.record().clone(),
            };
            let code = record.steps.iter().find_map(|step| match step {
                StepRecord::Tool(tool) => tool.code.clone(),
                _ => None,
            });
            let expected = match (tool, how) {
                ("explodes_reading", "late" | "transient") if cancelled => "CANCELLED",
                ("explodes_reading", "value" | "payload") => "TOOL_PANICKED",
                ("explodes_reading", "late") => "TOOL_TIMEOUT",
                ("explodes_reading", _) | (_, "not_done") => "INTERNAL_EXECUTION_FAILURE",
                _ => "OUTCOME_UNKNOWN",
            };
            assert_eq!(code.as_deref(), Some(expected), "{tool} {how}");
        }
    }
    // What was aborted is let go on the next occasion.
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// A word that breaks when it is let go.
#[derive(Deserialize)]
#[serde(transparent)]
struct Touchy(String);

impl ToolSchema for Touchy {
    const SHAPE: Link = <String as ToolSchema>::SHAPE;
}

impl Drop for Touchy {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("secret-panic");
        }
    }
}

/// Takes a touchy word.
#[tool(mutating, permission = "world:write", approval)]
async fn touch(
    /// The word.
    word: Touchy,
) -> usize {
    word.0.len()
}

#[tokio::test]
async fn arguments_that_break_when_they_are_let_go_unused_break_nothing() {
    crate::world::hush_expected_panics();
    let calls = Reply::calls([ToolCall::new("a", "touch", r#"{"word":"x"}"#)]);
    let agent = Agent::builder(ScriptedModel::new([calls])).tools(tools![touch]).build().unwrap();
    let error = agent.run("Go.").caller(writer()).await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error:?}") };
    let pending = run.pending().remove(0);
    let again = Agent::builder(ScriptedModel::new([Reply::text("No.")])).tools(tools![touch]).build().unwrap();
    let resumed = again.resume(run.as_ref().clone()).caller(writer()).decide(pending.reject("boss", "no"));
    assert_eq!(resumed.await.unwrap().text(), "No.");
}

/// Breaks where it is told.
struct Breaks(&'static str);

#[async_trait::async_trait]
impl Model for Breaks {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "breaks"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        panic!("secret-panic")
    }

    fn stream<'a>(&'a self, _: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        match self.0 {
            "stream" => panic!("secret-panic"),
            _ => futures_util::stream::repeat_with(|| -> Result<Delta, ModelError> { panic!("secret-panic") }).boxed(),
        }
    }
}

#[tokio::test]
async fn a_model_that_panics_fails_the_run_and_nothing_else() {
    crate::world::hush_expected_panics();
    for (how, streamed) in [("reply", false), ("stream", true), ("piece", true)] {
        let run = Agent::builder(Breaks(how)).build().unwrap().run("Go.");
        let ended = match streamed {
            false => run.await,
            true => match run.events().collect::<Vec<_>>().await.pop() {
                Some(agent_core::RunEvent::Finished(ended)) => ended,
                other => panic!("{other:?}"),
            },
        };
        let error = ended.unwrap_err();
        assert!(
            matches!(error.kind(), RunErrorKind::ModelFailed(failure)
            if failure.message.contains("the model adapter panicked") && !failure.retryable),
            "{error:?}"
        );
    }
}

/// Approves, permits, withholds and sums up with a panic.
struct Panics;

#[async_trait::async_trait]
impl Approver for Panics {
    async fn decide(&self, _: &SecurityContext, _: &Pending) -> Option<Decision> {
        panic!("secret-panic")
    }
}

#[async_trait::async_trait]
impl Authorizer for Panics {
    async fn authorize(&self, _: &SecurityContext, _: &Access<'_>) -> Result<(), Denied> {
        panic!("secret-panic")
    }
}

#[async_trait::async_trait]
impl Compactor for Panics {
    async fn summarise(&self, _: &[Message]) -> Result<String, ModelError> {
        panic!("secret-panic")
    }
}

impl agent_core::StepHook for Panics {
    fn next_turn(&self, _: &agent_core::run::Run) -> agent_core::NextTurn {
        panic!("secret-panic")
    }
}

#[tokio::test]
async fn an_approver_an_authorizer_or_a_hook_that_panics_lets_nothing_run() {
    crate::world::hush_expected_panics();
    let calls = || Reply::calls([ToolCall::new("a", "sign", r#"{"how":"ok"}"#)]);
    let builder = || {
        let model = ScriptedModel::new([calls(), Reply::text("No.")]);
        Agent::builder(model).tools(tools![sign, look]).state(App::default())
    };
    for (agent, ends) in [
        (builder().approver(Panics).build().unwrap(), Some("suspended")),
        (builder().authorizer(Panics).build().unwrap(), Some("permission_denied")),
        (builder().authorizer(Panics).offer_permitted_only().build().unwrap(), Some("permission_denied")),
        (builder().step_hook(Panics).build().unwrap(), None),
    ] {
        let ended = agent.run("Go.").caller(writer()).await;
        assert_eq!(ended.as_ref().err().map(|error| error.kind().as_str()), ends, "{ended:?}");
        assert_eq!(agent.state().world.entered(), 0);
    }
}

#[tokio::test]
async fn a_compactor_that_panics_leaves_the_conversation_as_it_is() {
    crate::world::hush_expected_panics();
    let model = ScriptedModel::new([Reply::text("Hello again.")]);
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    let agent = Agent::builder(model.clone()).window(window).compactor(Panics).build().unwrap();
    let history: Vec<_> = (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect();
    assert_eq!(agent.run("Hello.").history(history).await.unwrap().text(), "Hello again.");
    assert_eq!(model.seen()[0].len(), 11);
}

#[tokio::test]
async fn a_check_of_the_answer_that_panics_takes_no_answer() {
    crate::world::hush_expected_panics();
    let agent = Agent::builder(ScriptedModel::new([Reply::text("Hm."), Reply::text("Hm.")])).build().unwrap();
    let limits = Limits::default().max_extra_calls(1);
    let run = agent.run("Go.").limits(limits).check_answer(|(): &(), _: &str| panic!("secret-panic"));
    assert_eq!(run.await.unwrap_err().kind().as_str(), "no_answer");
}

/// Knows what it speaks only once.
struct Forgetful(std::sync::atomic::AtomicBool);

#[async_trait::async_trait]
impl Model for Forgetful {
    fn profiles(&self) -> &[&'static Profile] {
        assert!(!self.0.swap(true, std::sync::atomic::Ordering::SeqCst), "secret-panic");
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "forgetful"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        Ok(Reply::text("Hm."))
    }
}

#[tokio::test]
async fn a_model_that_panics_before_it_is_asked_fails_the_run_and_nothing_else() {
    crate::world::hush_expected_panics();
    let agent = Agent::builder(Forgetful(false.into())).build().unwrap();
    let error = agent.run("Go.").answer::<u32>().await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains("panicked")), "{error:?}");
}

/// Does not know what it is called.
struct Nameless;

#[async_trait::async_trait]
impl Model for Nameless {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        panic!("secret-panic")
    }

    fn provider(&self) -> &str {
        panic!("secret-panic")
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        Ok(Reply::text("Hello."))
    }
}

#[tokio::test]
async fn a_model_that_panics_when_it_is_asked_for_its_name_answers_all_the_same() {
    crate::world::hush_expected_panics();
    let agent = Agent::builder(Nameless).build().unwrap();
    assert_eq!(agent.run("Go.").await.unwrap().text(), "Hello.");
}

#[test]
fn details_that_are_nested_deeply_become_text_so_that_a_run_with_them_can_be_read_again() {
    let deep = (0..500).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]));
    let error = agent_core::BusinessError::new("DEEP", "it is deep").details(deep);
    assert!(error.facts().unwrap().is_string());
    let flat = agent_core::BusinessError::new("FLAT", "it is flat").details(serde_json::json!({"a": [1, {"b": 2}]}));
    assert!(flat.facts().unwrap().is_object());
}
