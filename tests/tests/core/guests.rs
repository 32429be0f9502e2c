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
