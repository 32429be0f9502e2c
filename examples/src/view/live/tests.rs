//! What stands on the screen, moment by moment.

use std::sync::Arc;

use agent_core::model::ToolCall;
use agent_core::{Agent, Observation, tools};
use indicatif::InMemoryTerm;

use super::super::View;
use super::super::screen::Screen;
use super::*;
use crate::server::{Call, Conversation, Expected, Reply};
use crate::{Common, Model, Provider};

fn live(columns: u16, coloured: bool) -> (Live, InMemoryTerm) {
    let term = InMemoryTerm::new(20, columns);
    let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
    (Live::new(target, move || usize::from(columns), coloured), term)
}

fn says(text: &str) -> Event {
    Event::TextDelta { text: text.to_owned() }
}

fn begins(id: &str, tool: &str, arguments: &str) -> Event {
    Event::CallStarted { cycle: 1, call: ToolCall::new(id, tool, arguments) }
}

/// The lines, without their spinners.
fn lines(term: &InMemoryTerm) -> Vec<String> {
    let bare =
        |line: &str| line.trim_start_matches(|c: char| FRAMES.iter().any(|frame| frame.starts_with(c))).to_owned();
    term.contents().lines().map(bare).collect()
}

#[tokio::test(start_paused = true)]
async fn each_call_has_a_line_with_its_time_which_goes_on_by_itself_and_goes_with_the_run() {
    let (mut live, term) = live(60, false);
    live.lines("Run     order-4711\n\nCycle 1 of at most 5\n");
    live.event(&begins("a", "stock", r#"{"article":"A1"}"#));
    tokio::time::advance(Duration::from_millis(1_500)).await;
    live.event(&begins("b", "stock", r#"{"article":"B2"}"#));
    tokio::time::advance(Duration::from_millis(700)).await;
    live.tick();
    let stays = ["Run     order-4711", "", "Cycle 1 of at most 5"];
    let runs = [r#"   2.2 s  call    stock {"article":"A1"}"#, r#"   0.7 s  call    stock {"article":"B2"}"#];
    assert_eq!(lines(&term), [&stays[..], &runs].concat());

    let before = term.contents();
    live.tick();
    assert_ne!(term.contents(), before, "the spinners turn");

    live.event(&Event::CallProgress { call_id: CallId::new("b"), report: serde_json::json!({"page": 3}) });
    assert_eq!(lines(&term)[4], r#"   0.7 s  call    stock {"article":"B2"} {"page":3}"#);
    live.lines("  call    stock");
    assert_eq!(lines(&term)[3..5], ["  call    stock", runs[0]], "what stays is above what runs");

    live.event(&Event::RunFinished { text: None, error: None, elapsed: Duration::ZERO, stored: false });
    assert_eq!(lines(&term), [&stays[..], &["  call    stock"]].concat());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_what_a_model_says_is_shown_while_it_says_it_and_fits_the_line() {
    let (mut live, term) = live(40, false);
    live.event(&Event::CycleStarted { cycle: 1, of: 5 });
    assert_eq!(lines(&term), ["   0.0 s  model   thinks"]);
    live.event(&says("The tax is "));
    live.event(&says("300.00 GBP,\nso the "));
    assert_eq!(lines(&term), ["   0.0 s  model   says 0.00 GBP, so the"]);
    live.event(&says("価格は千八百ポンド"));
    let last = lines(&term);
    assert_eq!((last.len(), last[0].ends_with("千八百ポンド")), (1, true), "{last:?}");
    assert!(measure_text_width(&last[0]) < 40, "{last:?}");
    for _ in 0..500 {
        live.event(&says("more and "));
    }
    assert!(live.running[0].said.len() <= MOST_SAID);
    live.event(&Event::CallBuilding { index: 0, name: Some("recordInvoice".to_owned()), arguments: String::new() });
    assert_eq!(lines(&term), ["   0.0 s  model   asks for recordInvoic"]);
}

#[tokio::test(start_paused = true)]
async fn neither_a_model_nor_the_name_of_a_tool_steers_the_terminal() {
    let (mut live, term) = live(100, false);
    live.event(&says("a\u{1b}[2J\u{1b}]0;title\u{7}b\rc\u{9b}31m\u{202e}d\n\u{8}e"));
    live.event(&begins("a", "st\u{1b}[31mock\n", "{\"x\":\"\u{1b}[1A\"}"));
    live.event(&Event::CallProgress { call_id: CallId::new("a"), report: serde_json::json!("\u{9b}2K") });
    let drawn = term.moves_since_last_check();
    assert!(drawn.contains("stock") || drawn.contains("ock"), "{drawn}");
    for steering in ["\\u{1b}", "\\u{7}", "\\r", "\\u{9b}", "\\u{202e}", "\\u{8}"] {
        assert!(!drawn.contains(steering), "{steering} in {drawn}");
    }
    assert_eq!(lines(&term).len(), 2, "{}", term.contents());
}

#[tokio::test(start_paused = true)]
async fn only_the_spinner_has_a_colour_and_that_only_where_it_is_wanted() {
    for coloured in [true, false] {
        let (mut live, term) = live(60, coloured);
        live.event(&Event::CycleStarted { cycle: 1, of: 5 });
        assert_eq!(lines(&term), ["   0.0 s  model   thinks"]);
        let painted = String::from_utf8(term.contents_formatted()).unwrap();
        assert_eq!(painted.contains("\u{1b}[36m"), coloured, "{painted:?}");
    }
}

/// Waits.
#[agent_core::tool]
async fn wait(
    /// How long, in milliseconds.
    millis: u32,
    term: &InMemoryTerm,
    seen: &std::sync::Mutex<Vec<String>>,
) -> u32 {
    tokio::time::sleep(Duration::from_millis(millis.into())).await;
    seen.lock().unwrap().push(term.contents());
    millis
}

#[derive(agent_core::State)]
struct App {
    term: InMemoryTerm,
    seen: std::sync::Mutex<Vec<String>>,
}

/// A model that calls `wait` once and then speaks.
fn script(said: &Conversation) -> Reply {
    match said.answered.is_empty() {
        true => Reply::Calls(vec![Call { id: "call_1", name: "wait", arguments: r#"{"millis":20}"#.to_owned() }]),
        false => Reply::Text("It took a moment.".to_owned()),
    }
}

#[tokio::test]
async fn a_whole_run_of_either_provider_streams_and_leaves_the_same_lines_as_a_plain_one() {
    for provider in [Provider::Openai, Provider::Anthropic] {
        let common = Common { run_id: None, json: false, report: None, provider, slow: false, live: false };
        let expected = Expected { tools: &["wait"], must_call: false, shown: Observation::Envelope };
        let model = Model::start(&common, expected, script).await.unwrap();
        let (live, term) = live(100, false);
        let view = Arc::new(View::on(Screen::Live(Box::new(live)), &common, None));
        let deltas = Arc::new(std::sync::Mutex::new(String::new()));
        let (inner, heard) = (view.clone(), deltas.clone());
        let observer = Both(move |run_id: &str, event: &Event| {
            if let Event::TextDelta { text } = event {
                heard.lock().unwrap().push_str(text);
            }
            agent_core::Observer::event(&inner, run_id, event);
        });
        let agent = Agent::builder(model.client.clone())
            .system("You wait.")
            .tools(tools![wait])
            .state(App { term: term.clone(), seen: Default::default() })
            .observer(observer)
            .build()
            .unwrap();
        agent.run("Wait.").id("waited").await.unwrap();

        assert_eq!(*deltas.lock().unwrap(), "It took a moment.", "{provider:?}");
        let seen = agent.state().seen.lock().unwrap().join("\n");
        assert!(seen.contains(r#" s  call    wait {"millis":20}"#), "{provider:?}: {seen}");
        let told = lines(&term).join("\n");
        for line in ["Run     waited", "Cycle 1 of at most 5", "asks for 1 call", "success", "Cycle 2", "answers"] {
            assert!(told.contains(line), "{provider:?}: `{line}` is missing in {told}");
        }
        assert!(!told.contains(" s  call") && !told.contains(" s  model"), "nothing runs any more: {told}");
    }
}

struct Both<F>(F);

impl<F: Fn(&str, &Event) + Send + Sync> agent_core::Observer for Both<F> {
    fn event(&self, run_id: &str, event: &Event) {
        (self.0)(run_id, event);
    }

    fn wants_deltas(&self) -> bool {
        true
    }
}
