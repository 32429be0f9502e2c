//! What a host may change between two turns.

use std::sync::{Arc, Mutex};

use agent_core::model::{Message, Model, ModelError, Reply, Request, ToolCall};
use agent_core::run::{Run, StepRecord};
use agent_core::schema::Profile;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Limits, NextTurn, SecurityContext, profile, tools};

use crate::world::{App, act, add, look, writer};

/// The tools' names, and the choice.
type Offer = (Vec<String>, String);

/// Keeps what it was offered.
#[derive(Clone, Default)]
struct Curious {
    replies: Arc<Mutex<Vec<Reply>>>,
    offered: Arc<Mutex<Vec<Offer>>>,
}

#[async_trait::async_trait]
impl Model for Curious {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "curious"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let tools = request.tools.iter().map(|tool| tool.name().to_owned()).collect();
        self.offered.lock().unwrap().push((tools, format!("{:?}", request.tool_choice)));
        Ok(self.replies.lock().unwrap().remove(0))
    }
}

fn curious(replies: impl IntoIterator<Item = Reply>) -> Curious {
    Curious { replies: Arc::new(Mutex::new(replies.into_iter().collect())), ..Curious::default() }
}

#[tokio::test]
async fn a_step_hook_changes_offer_and_choice_for_one_turn() {
    let model = curious([
        Reply::calls([ToolCall::new("a", "look", r#"{"how":"ok"}"#), ToolCall::new("b", "add", r#"{"n":1}"#)]),
        Reply::text("Done."),
    ]);
    let hook = |run: &Run| match run.cycle() {
        0 | 1 => NextTurn::new().offer(["look"]).call("look"),
        _ => NextTurn::new(),
    };
    let builder = Agent::builder(model.clone()).tools(tools![look, act, add]).state(App::default());
    let answer = builder.step_hook(hook).build().unwrap().run("Go.").caller(writer()).await.unwrap();
    let offered = model.offered.lock().unwrap().clone();
    assert_eq!(offered[0], (vec!["look".to_owned()], r#"Tool("look")"#.to_owned()));
    assert_eq!(offered[1], (vec!["look".to_owned(), "act".to_owned(), "add".to_owned()], "Auto".to_owned()));
    let codes: Vec<_> = answer
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => Some(tool.code.clone()),
            _ => None,
        })
        .collect();
    assert!(codes.contains(&Some("UNKNOWN_TOOL".to_owned())), "a tool that is not offered does not exist: {codes:?}");
}

#[tokio::test]
async fn only_permitted_tools_are_offered_where_the_host_wants_that() {
    for (caller, expected) in [(writer(), 3), (SecurityContext::anonymous(), 1)] {
        let model = curious([Reply::text("Hm.")]);
        let builder = Agent::builder(model.clone()).tools(tools![look, act, add]).state(App::default());
        builder.offer_permitted_only().build().unwrap().run("Go.").caller(caller).await.unwrap();
        assert_eq!(model.offered.lock().unwrap()[0].0.len(), expected);
    }
}

#[tokio::test]
async fn a_model_is_told_before_its_last_turn_where_the_host_wants_that() {
    let looks = |n| Reply::calls([ToolCall::new("", "look", format!(r#"{{"how":"ok","n":{n}}}"#))]);
    for cycles in 1..=4_u32 {
        let model = ScriptedModel::new((1..cycles).map(looks).chain([Reply::text("Done.")]));
        let builder = Agent::builder(model.clone()).tools(tools![look, act, add]).state(App::default());
        let agent = builder.notice_before_last_cycle().limits(Limits::default().max_cycles(cycles)).build().unwrap();
        agent.run("Go.").await.unwrap();
        let notices = |messages: &Vec<Message>| {
            messages.iter().filter(|message| format!("{message:?}").contains("One turn is left")).count()
        };
        let seen: Vec<_> = model.seen().iter().map(notices).collect();
        let expected: Vec<_> = (1..=cycles).map(|cycle| usize::from(cycle + 1 >= cycles && cycles > 1)).collect();
        assert_eq!(seen, expected, "of {cycles} turns");
    }
}

#[tokio::test]
async fn what_a_hook_forbids_or_asks_for_is_held_to_whatever_the_model_does() {
    type Row = (fn() -> NextTurn, [&'static str; 2]);
    let rows: [Row; 4] = [
        (|| NextTurn::new().call_none(), ["UNKNOWN_TOOL", "UNKNOWN_TOOL"]),
        (|| NextTurn::new().call("look"), ["UNKNOWN_TOOL", "success"]),
        (|| NextTurn::new().offer(["add"]).call("look"), ["UNKNOWN_TOOL", "UNKNOWN_TOOL"]),
        (|| NextTurn::new().call_any(), ["success", "success"]),
    ];
    for (next, expected) in rows {
        let calls = [ToolCall::new("a", "act", r#"{"how":"ok"}"#), ToolCall::new("b", "look", r#"{"how":"ok"}"#)];
        let model = ScriptedModel::new([Reply::calls(calls), Reply::text("Done.")]);
        let builder = Agent::builder(model).tools(tools![look, act, add]).state(App::default());
        let hook = move |run: &Run| if run.cycle() <= 1 { next() } else { NextTurn::new() };
        let agent = builder.step_hook(hook).build().unwrap();
        let answer = agent.run("Go.").caller(writer()).await.unwrap();
        assert_eq!(crate::speaker::codes(answer.record()), expected);
        assert_eq!(agent.state().world.effects(), u32::from(expected[0] == "success"));
    }
}
