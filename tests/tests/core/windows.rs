//! Long conversations make room, and keep what must stay.

use std::sync::{Arc, Mutex};

use agent_core::model::{
    Body, Message, Model, ModelError, ModelErrorKind, Reply, Request, ToolCall, ToolChoice, Usage,
};
use agent_core::run::repair;
use agent_core::schema::Profile;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Event, Limits, TokenCounter, Window, profile, tool, tools};

/// Gives a long text.
#[tool]
async fn fetch(
    /// Which.
    n: u32,
) -> String {
    format!("{n}:{}", "x".repeat(4000))
}

/// Fetches one text after the other, sums up when it is asked to, and keeps what it was sent.
struct Fetcher {
    turns: u32,
    seen: Arc<Mutex<Vec<Vec<Message>>>>,
    too_long_at: Option<usize>,
}

#[async_trait::async_trait]
impl Model for Fetcher {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "fetcher"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let (mended, damage) = repair(request.messages.to_vec());
        assert_eq!((mended, damage), (request.messages.to_vec(), vec![]), "no call is parted from its result");
        let bytes: usize = request.messages.iter().map(|message| format!("{message:?}").len()).sum();
        let mut seen = self.seen.lock().unwrap();
        seen.push(request.messages.to_vec());
        if request.tool_choice == ToolChoice::None {
            return Ok(Reply::text("SUMMARY: texts were fetched").usage(Usage::new(bytes as u64 / 4, 10)));
        }
        if self.too_long_at.is_some_and(|limit| bytes > limit) {
            return Err(ModelError::new(ModelErrorKind::ContextLength, "too long"));
        }
        let turn = seen.iter().filter(|messages| !is_summary_request(messages)).count() as u32;
        let usage = Usage::new(bytes as u64 / 4, 10);
        Ok(match turn <= self.turns {
            true => Reply::calls([ToolCall::new("", "fetch", format!(r#"{{"n":{turn}}}"#))]).usage(usage),
            false => Reply::text("All fetched.").usage(usage),
        })
    }
}

fn is_summary_request(messages: &[Message]) -> bool {
    matches!(messages.last().map(Message::body), Some(Body::User { content })
        if format!("{content:?}").contains("Sum up the conversation"))
}

type Seen = Arc<Mutex<Vec<Vec<Message>>>>;

fn agent(turns: u32, window: Option<Window>, too_long_at: Option<usize>) -> (Agent, Seen, Arc<Mutex<Vec<Event>>>) {
    let (seen, events) = (Seen::default(), Arc::new(Mutex::new(Vec::new())));
    let told = events.clone();
    let mut builder = Agent::builder(Fetcher { turns, seen: seen.clone(), too_long_at })
        .tools(tools![fetch])
        .limits(Limits::default().max_cycles(40))
        .observer(move |_: &str, event: &Event| told.lock().unwrap().push(event.clone()));
    if let Some(window) = window {
        builder = builder.window(window);
    }
    (builder.build().unwrap(), seen, events)
}

fn compactions(events: &[Event]) -> (usize, usize) {
    let of = |wanted| {
        events.iter().filter(move |event| matches!(event, Event::Compacted { summarised, .. } if *summarised == wanted))
    };
    (of(false).count(), of(true).count())
}

#[tokio::test]
async fn over_the_mark_older_results_go_first_and_the_first_message_stays() {
    let (agent, seen, events) = agent(8, Some(Window::new(8_000)), None);
    let answer = agent.run("Fetch all of it.").await.unwrap();
    let seen = seen.lock().unwrap();
    let last = seen.last().unwrap();
    assert_eq!(last[0], Message::user("Fetch all of it."));
    assert!(format!("{:?}", last[2]).contains("left out to make room"), "{:?}", last[2]);
    assert!(format!("{:?}", last.last().unwrap()).len() > 4000, "the present turn stays whole");
    let (left_out, summed_up) = compactions(&events.lock().unwrap());
    assert!(left_out > 0 && summed_up == 0, "{left_out} {summed_up}");
    let whole: usize = answer.record().messages.iter().map(|message| format!("{message:?}").len()).sum();
    assert!(whole > 8 * 4000, "the record keeps everything");
}

#[tokio::test]
async fn where_that_is_not_enough_the_model_sums_up_as_an_extra_call() {
    let (agent, seen, events) = agent(20, Some(Window { tokens: 2_400, reserve: 200, compact_at: 0.75 }), None);
    let history =
        (0..12).flat_map(|n| [Message::user(format!("{n} {}", "y".repeat(300))), Message::assistant("I see.")]);
    let history: Vec<_> = std::iter::once(Message::user("FIRST")).chain(history).collect();
    let answer = agent.run("Fetch all of it.").history(history).await.unwrap();
    assert_eq!(answer.text(), "All fetched.");
    let seen = seen.lock().unwrap();
    let last = format!("{:?}", seen.last().unwrap());
    assert!(last.contains("SUMMARY") && last.contains("FIRST") && last.contains("Fetch all of it."), "{last}");
    let (_, summed_up) = compactions(&events.lock().unwrap());
    assert!((1..=4).contains(&summed_up), "{summed_up} summaries, and 4 extra calls at most");
}

#[tokio::test]
async fn a_conversation_that_the_server_finds_too_long_is_cut_once_and_asked_again() {
    let (agent, _, events) = agent(4, None, Some(9_000));
    let answer = agent.run("Fetch all of it.").await.unwrap();
    assert_eq!(answer.text(), "All fetched.");
    assert!(compactions(&events.lock().unwrap()).0 > 0);
}

#[tokio::test]
async fn a_conversation_that_is_too_long_even_then_ends_with_the_servers_error() {
    let (agent, ..) = agent(4, None, Some(10));
    let error = agent.run("Fetch all of it.").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "model_failed");
}

#[tokio::test]
async fn a_window_without_room_is_an_error_when_the_agent_is_built() {
    let window = Window { tokens: 1000, reserve: 900, compact_at: 0.75 };
    let built = Agent::builder(ScriptedModel::new([])).window(window).build();
    assert!(built.unwrap_err().to_string().contains("no room"));
}

#[tokio::test]
async fn a_damaged_history_is_mended_and_the_damage_named() {
    let (agent, seen, events) = agent(0, None, None);
    let cut = vec![Message::user("Hi"), Message::assistant_calls(None, vec![ToolCall::new("a", "fetch", "{}")])];
    agent.run("And?").history(cut).await.unwrap();
    assert_eq!(seen.lock().unwrap()[0].len(), 4);
    let named = events
        .lock()
        .unwrap()
        .iter()
        .any(|event| matches!(event, Event::HistoryRepaired { damage } if damage.len() == 1));
    assert!(named);
}

#[tokio::test]
async fn several_runs_continue_one_conversation() {
    let model = ScriptedModel::new([Reply::text("Ada."), Reply::text("You asked for a name.")]);
    let agent = Agent::builder(model).build().unwrap();
    let first = agent.run("A name?").await.unwrap();
    let second = agent.run("What did I ask?").history(first.record().messages.clone()).await.unwrap();
    assert_eq!(second.record().messages.len(), 4);
}

/// One token for each text, however long.
#[derive(Debug)]
struct Texts;

impl TokenCounter for Texts {
    fn count(&self, text: &str) -> u64 {
        assert!(!text.contains("boom"), "secret-panic");
        1
    }
}

#[tokio::test]
async fn a_counter_of_the_host_counts_what_no_server_has_counted() {
    let replies = || [Reply::calls([ToolCall::new("a", "fetch", r#"{"n":1}"#)]), Reply::text("Fetched.")];
    let agent = |counts: bool| {
        let builder = Agent::builder(ScriptedModel::new(replies())).system("Fetch.").tools(tools![fetch]);
        if counts { builder.token_counter(Texts).build() } else { builder.build() }
    };
    let counted = agent(true).unwrap().run("Go.").await.unwrap();
    // System text, name, description and schema of the tool; then prompt, name and arguments; then the result.
    let (first, second) = (4 + 1, 4 + 1 + 2 + 1);
    assert_eq!((counted.record().usage.input, counted.record().usage.output), (first + second, 2 + 1));
    assert!(counted.record().usage_estimated);
    let estimated = agent(false).unwrap().run("Go.").await.unwrap();
    assert!(estimated.record().usage.input > 1000);
}

#[tokio::test]
async fn a_counter_that_panics_leaves_the_estimate() {
    crate::world::hush_expected_panics();
    let agent = Agent::builder(ScriptedModel::new([Reply::text("Done.")])).token_counter(Texts).build().unwrap();
    let answer = agent.run("boom".repeat(100)).await.unwrap();
    assert_eq!(answer.record().usage.input, 100);
}
