//! Summaries that fail, and what they are made from.

use agent_core::model::{Finish, Message, ModelError, ModelErrorKind, Reply, ToolCall};
use agent_core::{Agent, Compactor, Window, tools};

use crate::speaker::{Says, Speaker, assert_whole};
use crate::world::{App, act, look, send, sign};

const WINDOW: Window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };

fn long_history() -> Vec<Message> {
    (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect()
}

fn expected() -> Vec<Message> {
    let mut whole = long_history();
    whole.push(Message::user("Go."));
    whole
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_failed_or_is_empty_or_cut_leaves_the_conversation_as_it_is() {
    for summary in [
        Says::Fails(ModelErrorKind::Server, "the server said: out of memory"),
        Says::Now(Reply::text(" \n")),
        Says::Now(Reply::text("half a summa").finish(Finish::Length)),
        Says::Now(Reply::text("..").finish(Finish::ContentFilter)),
        Says::Now(Reply::calls([ToolCall::new("a", "look", r#"{"how":"ok"}"#)])),
    ] {
        let model = Speaker::new([summary.clone(), Says::Now(Reply::text("Hello again."))]);
        let builder = Agent::builder(model.clone()).tools(tools![look]).state(App::default());
        let agent = builder.window(WINDOW).build().unwrap();
        let answer = agent.run("Go.").history(long_history()).await.unwrap();
        assert_eq!(answer.text(), "Hello again.", "{summary:?}");
        let asked = model.asked();
        assert_eq!(asked.len(), 2, "{summary:?}");
        assert_eq!(asked[1].messages, expected(), "{summary:?}: no placeholder and no error text stands in it");
        assert_eq!(answer.record().messages[..11], expected());
    }
}

struct Breaks;

#[async_trait::async_trait]
impl Compactor for Breaks {
    async fn summarise(&self, older: &[Message]) -> Result<String, ModelError> {
        assert_whole(older);
        Err(ModelError::new(ModelErrorKind::Server, "the summaries are down"))
    }
}

#[tokio::test]
async fn a_compactor_that_fails_leaves_the_conversation_as_it_is() {
    let model = Speaker::replies([Reply::text("Hello again.")]);
    let agent = Agent::builder(model.clone()).window(WINDOW).compactor(Breaks).build().unwrap();
    let answer = agent.run("Go.").history(long_history()).await.unwrap();
    assert_eq!(answer.text(), "Hello again.");
    assert_eq!(model.asked()[0].messages, expected());
}

#[tokio::test]
async fn a_request_for_a_summary_has_the_system_text_and_the_tools_and_may_call_none() {
    let model = Speaker::replies([Reply::text("Much was said."), Reply::text("Hello again.")]);
    let builder = Agent::builder(model.clone()).system("You are terse.").tools(tools![look]).state(App::default());
    let agent = builder.window(WINDOW).build().unwrap();
    agent.run("Go.").history(long_history()).await.unwrap();
    let asked = model.asked();
    assert_eq!(asked.iter().map(|asked| asked.choice.as_str()).collect::<Vec<_>>(), ["None", "Auto"]);
    for asked in asked {
        assert_eq!(asked.system.as_deref(), Some("You are terse."));
        assert_eq!(asked.tools, ["look"]);
    }
}

#[tokio::test]
async fn the_system_text_and_the_tools_count_for_the_window() {
    // Half of what the window takes: alone it needs no room.
    let history = || (0..3).map(|n| Message::user(format!("{n} {}", "y".repeat(160))));
    for (system, with_tools, summed_up) in
        [("short", false, false), (&*"s".repeat(1_000), false, true), ("short", true, true)]
    {
        let model = Speaker::replies([Reply::text("Much was said."), Reply::text("Hello again.")]);
        let builder = Agent::builder(model.clone()).system(system).state(App::default()).window(WINDOW);
        let agent = match with_tools {
            true => builder.tools(tools![look, act, sign, send]).build(),
            false => builder.build(),
        };
        let answer = agent.unwrap().run("Go.").history(history().collect()).await.unwrap();
        assert_eq!(model.asked().len() == 2, summed_up, "{} bytes of system text, tools: {with_tools}", system.len());
        assert_eq!(answer.text() == "Hello again.", summed_up);
    }
}
