//! Whatever a model says, however tools and stores fail: the run ends within its bounds, each call has one
//! result, nothing runs that is not allowed, and no effect happens twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::model::{Body, Finish, Message, Model, ModelError, ModelErrorKind, Reply, Request, ToolCall};
use agent_core::run::{Record, StepRecord};
use agent_core::schema::Profile;
use agent_core::{Agent, Limits, OnDenied, RunErrorKind, SecurityContext, profile, tools};
use proptest::prelude::*;
use tokio::time::Instant;

use crate::world::{App, Shared, World, act, add, look, writer};

/// What the model does when it is asked.
#[derive(Debug, Clone)]
enum Turn {
    Text,
    Empty,
    Refusal,
    Filtered,
    Cut(Vec<ToolCall>),
    Calls(Vec<ToolCall>),
    Fails,
    Silent,
}

/// Does one turn after the other, and the last one for ever.
struct Moody {
    turns: Vec<Turn>,
    asked: Arc<AtomicU32>,
}

#[async_trait::async_trait]
impl Model for Moody {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "moody"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        check_history(request.messages);
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) as usize;
        match self.turns[asked.min(self.turns.len() - 1)].clone() {
            Turn::Text => Ok(Reply::text("So be it.")),
            Turn::Empty => Ok(Reply::text("")),
            Turn::Refusal => {
                let mut reply = Reply::text("");
                reply.refusal = Some("I will not.".to_owned());
                Ok(reply)
            }
            Turn::Filtered => Ok(Reply::text("..").finish(Finish::ContentFilter)),
            Turn::Cut(calls) => Ok(Reply::calls(calls).finish(Finish::Length)),
            Turn::Calls(calls) => Ok(Reply::calls(calls)),
            Turn::Fails => Err(ModelError::new(ModelErrorKind::Server, "down")),
            Turn::Silent => std::future::pending().await,
        }
    }
}

/// Every call is followed by its one result, in call order, before anything else is said; ids are unique.
fn check_history(messages: &[Message]) {
    let mut waiting: Vec<&str> = Vec::new();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for message in messages {
        match message.body() {
            Body::Tool { call_id, .. } => {
                assert!(!waiting.is_empty(), "a result without a call: {call_id}");
                assert_eq!(waiting.remove(0), call_id.as_str(), "results come in call order");
            }
            Body::Assistant { calls, .. } => {
                assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
                waiting = calls.iter().map(|call| call.id.as_str()).collect();
                for call in calls {
                    assert!(!call.id.as_str().is_empty());
                    *seen.entry(call.id.as_str()).or_default() += 1;
                }
            }
            _ => assert!(waiting.is_empty(), "calls without a result: {waiting:?}"),
        }
    }
    assert!(waiting.is_empty(), "calls without a result: {waiting:?}");
    assert!(seen.values().all(|times| *times == 1), "ids are unique: {seen:?}");
}

fn call() -> impl Strategy<Value = ToolCall> {
    let id = prop_oneof![Just(""), Just("call_0"), Just("call_1"), Just("call_1_0"), Just("x")];
    let tool = prop_oneof![4 => Just("look"), 6 => Just("act"), 2 => Just("add"), 1 => Just("lok"), 1 => Just("")];
    let how = prop_oneof![
        6 => Just("ok"),
        2 => Just("slow"),
        2 => Just("business"),
        1 => Just("not_done"),
        1 => Just("fatal"),
        1 => Just("panic"),
        1 => Just("panic_after"),
        1 => Just("hang"),
        1 => Just("unwritable"),
        1 => Just("transient"),
        1 => Just("nonsense"),
    ];
    let arguments = (how, 0..3i64).prop_flat_map(|(how, n)| {
        prop_oneof![
            6 => Just(format!(r#"{{"how":"{how}","n":{n}}}"#)),
            2 => Just(format!(r#"{{"n":{n}.0,"how":"{how}"}}"#)),
            2 => Just(format!(r#"{{"how":"{how}"}}"#)),
            2 => Just(format!(r#"{{"n":{n}}}"#)),
            1 => Just(format!(r#"{{"how":"{how}","n":{n}e30}}"#)),
            1 => Just(format!(r#"{{"how":"{how}","how":"ok"}}"#)),
            1 => Just(format!(r#"{{"how":"{how}","extra":1}}"#)),
            1 => Just(format!(r#"{{"how":"{how}","#)),
            1 => Just(String::new()),
            1 => Just("null".to_owned()),
            1 => Just("[1]".to_owned()),
            1 => Just("1e999".to_owned()),
        ]
    });
    (id, tool, arguments).prop_map(|(id, tool, arguments)| ToolCall::new(id, tool, arguments))
}

fn turn() -> impl Strategy<Value = Turn> {
    let calls = || prop::collection::vec(call(), 1..6);
    prop_oneof![
        2 => Just(Turn::Text),
        1 => Just(Turn::Empty),
        1 => Just(Turn::Refusal),
        1 => Just(Turn::Filtered),
        1 => calls().prop_map(Turn::Cut),
        16 => calls().prop_map(Turn::Calls),
        1 => prop::collection::vec(call(), 200).prop_map(Turn::Calls),
        1 => Just(Turn::Fails),
        1 => Just(Turn::Silent),
    ]
}

#[derive(Debug, Clone)]
struct Case {
    turns: Vec<Turn>,
    may_write: bool,
    on_denied: OnDenied,
    failing_claims: u32,
    failing_settlements: u32,
    max_cycles: u32,
    max_tool_calls: u32,
    max_parallel_calls: u32,
    timeout: Duration,
}

fn case() -> impl Strategy<Value = Case> {
    (
        prop::collection::vec(turn(), 1..8),
        prop::bool::weighted(0.8),
        prop_oneof![Just(OnDenied::Conclude), Just(OnDenied::Stop), Just(OnDenied::Continue)],
        0..3u32,
        0..3u32,
        1..7u32,
        1..30u32,
        1..5u32,
        prop_oneof![Just(30_000u64), Just(1_100), Just(12_000)],
    )
        .prop_map(|(turns, may_write, on_denied, claims, settlements, cycles, calls, parallel, timeout)| Case {
            turns,
            may_write,
            on_denied,
            failing_claims: claims,
            failing_settlements: settlements,
            max_cycles: cycles,
            max_tool_calls: calls,
            max_parallel_calls: parallel,
            timeout: Duration::from_millis(timeout),
        })
}

async fn check(case: Case) {
    let asked = Arc::new(AtomicU32::new(0));
    let store = Shared::default();
    store.0.claims.store(case.failing_claims, Ordering::SeqCst);
    store.0.settlements.store(case.failing_settlements, Ordering::SeqCst);
    let limits = Limits::default()
        .max_cycles(case.max_cycles)
        .max_tool_calls(case.max_tool_calls)
        .max_parallel_calls(case.max_parallel_calls)
        .timeout(case.timeout);
    let agent = Agent::builder(Moody { turns: case.turns.clone(), asked: asked.clone() })
        .tools(tools![look, act, add])
        .state(App::default())
        .store(store)
        .limits(limits.clone())
        .on_denied(case.on_denied)
        .build()
        .unwrap();
    let caller = if case.may_write { writer() } else { SecurityContext::anonymous() };
    let began = Instant::now();
    let ended = agent.run("Go.").caller(caller).id("r").await;
    let took = began.elapsed();

    assert!(took <= limits.timeout + Duration::from_millis(1), "the run took {took:?} of {:?}", limits.timeout);
    let record = match &ended {
        Ok(answer) => answer.record(),
        Err(error) => error.record(),
    };
    check_bounds(record, &limits, asked.load(Ordering::SeqCst));
    check_history(&record.messages);
    // A read that was ended lets go when its task is next looked at.
    tokio::time::sleep(Duration::from_millis(1)).await;
    check_world(&agent.state().world, &case, record);
    if let Ok(answer) = &ended {
        assert_eq!(answer.text(), "So be it.", "an answer is what the model said by itself");
    }
    let unknown = record.steps.iter().any(|step| match step {
        StepRecord::Tool(tool) => tool.code.as_deref() == Some("OUTCOME_UNKNOWN"),
        _ => false,
    });
    let ended_unknown =
        matches!(ended.as_ref().map_err(|error| error.kind()), Err(RunErrorKind::OutcomeUnknown { .. }));
    assert_eq!(unknown, ended_unknown, "an unknown outcome ends the run, and nothing else does so in its name");
}

fn check_bounds(record: &Record, limits: &Limits, asked: u32) {
    assert!(record.cycles <= limits.max_cycles);
    assert!(asked <= limits.max_cycles + limits.max_extra_calls);
    let steps: Vec<_> = record
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(tool) => Some(tool),
            _ => None,
        })
        .collect();
    let run = steps.iter().filter(|step| step.attempts > 0 || step.replayed).count();
    assert!(run <= limits.max_tool_calls as usize, "{run} calls ran");
    for cycle in 1..=record.cycles {
        let of_turn = steps.iter().filter(|step| step.cycle == cycle && step.attempts > 0).count();
        assert!(of_turn <= limits.max_tool_calls_per_turn as usize);
    }
    let mut ids: Vec<_> = steps.iter().map(|step| &step.call_id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), steps.len(), "each call has one result");
}

fn check_world(world: &World, case: &Case, record: &Record) {
    assert!(world.most_repeated() <= 1, "an effect happened {} times", world.most_repeated());
    assert!(world.most_reading.load(Ordering::SeqCst) <= i64::from(case.max_parallel_calls));
    assert_eq!(world.reading.load(Ordering::SeqCst), 0, "no read is left running");
    if !case.may_write {
        assert_eq!(world.entered(), 0, "nothing runs that the caller may not run");
    }
    if case.on_denied != OnDenied::Continue && !case.may_write {
        let denied = |cycle| {
            record.steps.iter().any(|step| match step {
                StepRecord::Tool(tool) => tool.cycle == cycle && tool.code.as_deref() == Some("UNAUTHORIZED"),
                _ => false,
            })
        };
        for step in &record.steps {
            if let StepRecord::Tool(tool) = step {
                assert!(tool.attempts == 0 || !denied(tool.cycle), "with a denied call in the turn nothing of it runs");
            }
        }
    }
}

/// How many cases: 2,000, or as `RANDOM_RUNS` says.
fn cases() -> u32 {
    std::env::var("RANDOM_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

#[test]
fn random_runs_end_within_their_bounds_and_do_nothing_twice() {
    crate::world::hush_expected_panics();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&case(), |case| {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            runtime.block_on(check(case));
            Ok(())
        })
        .unwrap();
}
