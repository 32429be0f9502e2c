//! What is told of a run is the same to an observer, to a stream, and over a suspension; and its bounds are the same.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::model::{Finish, Message, ModelErrorKind, Reply, ToolCall, Usage};
use agent_core::run::Pending;
use agent_core::{
    Agent, Approver, Cancellation, CostLimit, Decision, Event, Limits, Prices, RunBuilder, SecurityContext, Window,
    tools,
};

use crate::speaker::{Says, Speaker, assert_whole, call, codes, look_at, looks, names, read, suspended};
use crate::world::{App, act, look, sign, writer};

/// The case's name, what the model says, and the bounds.
type Bound = (&'static str, Vec<Says>, Limits);

fn bounds() -> Vec<Bound> {
    let now = |replies: Vec<Reply>| replies.into_iter().map(Says::Now).collect::<Vec<_>>();
    let prices = Prices::new(1.0, 1.0);
    let limits = Limits::default;
    let dear = || look_at("ok", 1).usage(Usage::new(2_000_000, 0));
    let mut refusal = Reply::text("");
    refusal.refusal = Some("No.".to_owned());
    let signs = || call("a", "sign", r#"{"how":"ok"}"#);
    vec![
        ("max_cycles", now(vec![look_at("ok", 1)]), limits().max_cycles(1)),
        ("max_tool_calls", now(vec![Reply::calls([looks("ok", 1), looks("ok", 2)])]), limits().max_tool_calls(1)),
        ("token_budget", now(vec![dear()]), limits().max_tokens(Some(1_000))),
        ("cost_budget", now(vec![dear()]), limits().max_cost(Some(CostLimit { most: 1.0, prices }))),
        ("circuit_open", now(vec![look_at("fatal", 1), look_at("fatal", 1), Reply::text("Broken.")]), limits()),
        ("permission_denied", now(vec![call("a", "sign", "{}"), Reply::text("You may not.")]), limits()),
        ("empty_reply", now(vec![Reply::text(""), Reply::text("")]), limits()),
        ("truncated", now(vec![look_at("ok", 1).finish(Finish::Length)]), limits()),
        ("truncated", now(vec![Reply::text("cut he").finish(Finish::Length)]), limits()),
        ("refused", now(vec![refusal]), limits()),
        ("content_filtered", now(vec![Reply::text("..").finish(Finish::ContentFilter)]), limits()),
        ("outcome_unknown", now(vec![call("a", "act", r#"{"how":"fatal"}"#)]), limits()),
        ("cancelled", now(vec![look_at("hang", 1)]), limits()),
        ("cancelled", vec![Says::Never], limits()),
        ("suspended", now(vec![signs()]), limits()),
        ("model_failed", vec![Says::Fails(ModelErrorKind::Auth, "the key is wrong")], limits()),
        ("timeout", vec![Says::Never], limits()),
        ("timeout", vec![Says::After(Duration::from_secs(31), Reply::text("Late."))], limits()),
        ("timeout", now(vec![look_at("hang", 1)]), limits().timeout(Duration::from_secs(2))),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_streamed_run_ends_as_a_plain_one_for_every_reason() {
    for (kind, says, limits) in bounds() {
        let run = || {
            let builder = Agent::builder(Speaker::new(says.clone())).tools(tools![look, act, sign]);
            let agent = builder.state(App::default()).build().unwrap();
            let caller = if kind == "permission_denied" { SecurityContext::new("usr_1", "tenant_1") } else { writer() };
            let cancel = Cancellation::new();
            if kind == "cancelled" {
                let ends = cancel.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    ends.cancel("enough");
                });
            }
            agent.run("Go.").caller(caller).id("r").limits(limits.clone()).cancel(cancel)
        };
        let plain = run().await.unwrap_err();
        let streamed = read(run().events()).await.1.unwrap_err();
        assert_eq!(plain.kind().as_str(), kind);
        assert_eq!(streamed.kind(), plain.kind());
        assert_eq!(streamed.text(), plain.text(), "{kind}");
        assert_eq!(streamed.to_string(), plain.to_string());
        assert_eq!(codes(streamed.record()), codes(plain.record()), "{kind}");
        assert_eq!(streamed.record(), plain.record(), "{kind}");
    }
}

/// Decides on each call, or leaves it to others.
#[derive(Clone, Copy, PartialEq)]
enum Boss {
    Approves,
    Edits,
    Rejects,
    Leaves,
}

impl Boss {
    fn decision(self, pending: &Pending) -> Decision {
        match self {
            Self::Edits => pending.edit("boss", r#"{"how":"ok","n":7}"#),
            Self::Rejects => pending.reject("boss", "not today"),
            Self::Approves | Self::Leaves => pending.approve("boss"),
        }
    }
}

#[async_trait::async_trait]
impl Approver for Boss {
    async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
        (*self != Self::Leaves).then(|| self.decision(pending))
    }
}

struct Case {
    agent: Agent<App>,
    told: Arc<Mutex<Vec<Event>>>,
    history: Vec<Message>,
}

impl Case {
    fn new(replies: Vec<Reply>, boss: Boss, window: Option<Window>) -> Self {
        let told = Arc::<Mutex<Vec<Event>>>::default();
        let heard = told.clone();
        let builder = Agent::builder(Speaker::replies(replies)).tools(tools![look, act, sign]).state(App::default());
        let builder = builder.approver(boss).observer(move |_: &str, event: &Event| {
            heard.lock().unwrap().push(event.clone());
        });
        let history = match window {
            Some(_) => (0..10).map(|n| Message::user(format!("{n} {}", "y".repeat(300)))).collect(),
            None => Vec::new(),
        };
        let agent = match window {
            Some(window) => builder.window(window),
            None => builder,
        };
        Self { agent: agent.build().unwrap(), told, history }
    }

    fn run(&self) -> RunBuilder<App> {
        self.agent.run("Go.").caller(writer()).id("r").history(self.history.clone())
    }

    fn heard(&self) -> Vec<String> {
        json(&self.told.lock().unwrap())
    }
}

fn json(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect()
}

fn without(events: &[String], left_out: &[&str]) -> Vec<String> {
    let is = |event: &String, name: &&str| event.starts_with(&format!(r#"{{"event":"{name}""#));
    events.iter().filter(|event| !left_out.iter().any(|name| is(event, name))).cloned().collect()
}

/// The pieces of a reply: told where replies are asked for piece by piece.
const PIECES: [&str; 3] = ["text_delta", "reasoning_delta", "call_building"];

fn thinks(mut reply: Reply) -> Reply {
    reply.reasoning = Some("Hm.".to_owned());
    reply
}

/// What the model says, who decides, how much may be said, and events that must be among those told.
type Told = (Vec<Reply>, Boss, Option<Window>, &'static [&'static str]);

fn scenes() -> Vec<Told> {
    let signs = || thinks(call("a", "sign", r#"{"how":"ok"}"#));
    let done = || thinks(Reply::text("Done."));
    let window = Window { tokens: 400, reserve: 50, compact_at: 0.75 };
    vec![
        (
            vec![signs(), done()],
            Boss::Approves,
            None,
            &["reasoning_delta", "call_building", "decided", "call_started", "call_finished", "text_delta"],
        ),
        (vec![signs(), done()], Boss::Edits, None, &["decided", "call_started", "call_finished"]),
        (vec![signs(), done()], Boss::Rejects, None, &["decided", "call_finished"]),
        (vec![signs()], Boss::Leaves, None, &["reasoning_delta", "suspended"]),
        (
            vec![look_at("fatal", 1), look_at("fatal", 1), Reply::text("Broken.")],
            Boss::Leaves,
            None,
            &["circuit_opened", "concluding", "run_finished"],
        ),
        (vec![Reply::text("Much was said."), done()], Boss::Leaves, Some(window), &["compacted", "text_delta"]),
        (vec![Reply::text(""), done()], Boss::Leaves, None, &["text_delta", "run_finished"]),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_observer_and_a_stream_are_told_the_same_and_a_plain_run_all_but_the_pieces() {
    for (replies, boss, window, among) in scenes() {
        let streamed = Case::new(replies.clone(), boss, window);
        let (events, _) = read(streamed.run().events()).await;
        for wanted in among {
            assert!(names(&events).contains(&(*wanted).to_owned()), "{wanted} in {:?}", names(&events));
        }
        assert_eq!(streamed.heard(), json(&events));
        let plain = Case::new(replies, boss, window);
        let _ = plain.run().await;
        assert_eq!(plain.heard(), without(&json(&events), &PIECES));
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_over_a_suspension_tells_what_one_tells_that_was_decided_on_at_once() {
    for boss in [Boss::Approves, Boss::Edits, Boss::Rejects] {
        let replies = || [call("a", "sign", r#"{"how":"ok"}"#), Reply::text("Done.")];
        let at_once = Case::new(replies().to_vec(), boss, None);
        let (expected, end) = read(at_once.run().events()).await;
        assert_eq!(end.unwrap(), "Done.");

        let first = Case::new(vec![replies()[0].clone()], Boss::Leaves, None);
        let (mut told, end) = read(first.run().events()).await;
        assert_eq!(names(&told).iter().filter(|name| *name == "suspended").count(), 1);
        let run = suspended(end.unwrap_err());
        let decision = boss.decision(&run.pending()[0]);
        let second = Case::new(vec![replies()[1].clone()], Boss::Leaves, None);
        let (rest, end) = read(second.agent.resume(run).caller(writer()).decide(decision).events()).await;
        assert_eq!(end.unwrap(), "Done.");
        assert_eq!(second.heard(), json(&rest));
        told.extend(rest);
        assert_eq!(without(&json(&told), &["suspended"]), json(&expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_stream_says_the_answer_once_and_leaves_no_call_without_a_result() {
    let calls = [ToolCall::new("r", "look", r#"{"how":"ok"}"#), ToolCall::new("a", "sign", r#"{"how":"ok"}"#)];
    let first = Case::new(vec![Reply::calls(calls)], Boss::Leaves, None);
    let run = suspended(read(first.run().events()).await.1.unwrap_err());
    let decision = run.pending()[0].approve("boss");
    let model = Speaker::replies([Reply::text("Signed.")]);
    let agent = Agent::builder(model.clone()).tools(tools![look, act, sign]).state(App::default()).build().unwrap();
    let (events, end) = read(agent.resume(run).caller(writer()).decide(decision).events()).await;
    assert_eq!(end.unwrap(), "Signed.");
    let said: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::TextDelta { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["Signed."]);
    let started: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::CallStarted { call, .. } => Some(call.id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(started, ["a"], "the read has its result already");
    assert_whole(&model.asked()[0].messages);
    assert_eq!(model.asked()[0].messages.len(), 4);
}
