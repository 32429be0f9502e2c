//! What must hold of every run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::model::{Body, Message};
use agent_core::run::{Record, Run, StepRecord, ToolStep};
use agent_core::{
    Agent, Answer, Limits, OnDenied, RunBuilder, RunError, RunErrorKind, RunEvent, SecurityContext, ToolSchema, Window,
    tools,
};
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::case::{Approval, Case, Driving};
use super::moody::{Moody, Person};
use crate::world::{App, Shared, World, act, add, look, send, sign, transfer, writer};

/// How the model says that it is done.
#[derive(Debug, Deserialize, ToolSchema)]
#[expect(dead_code, reason = "only that it can be read matters")]
struct Done {
    /// How.
    how: String,
    /// How often.
    n: Option<i64>,
}

pub(super) async fn check(case: Case) {
    let asked = Arc::new(AtomicU32::new(0));
    let store = Shared::default();
    store.0.claims.store(case.failing_claims, Ordering::SeqCst);
    store.0.settlements.store(case.failing_settlements, Ordering::SeqCst);
    let limits = Limits::default()
        .max_cycles(case.max_cycles)
        .max_tool_calls(case.max_tool_calls)
        .max_parallel_calls(case.max_parallel_calls)
        .max_extra_calls(case.max_extra_calls)
        .timeout(case.timeout)
        .min_effect_time(case.timeout.min(Duration::from_secs(2)) / 2);
    let mut builder = Agent::builder(Moody { turns: case.turns.clone(), asked: asked.clone() })
        .tools(tools![look, act, add, sign, send, transfer])
        .state(App::default())
        .store(store)
        .limits(limits.clone())
        .on_denied(case.on_denied);
    if case.approval != Approval::Nobody {
        builder = builder.approver(Person(case.approval));
    }
    if case.window {
        builder = builder.window(Window { tokens: 400, reserve: 50, compact_at: 0.75 });
    }
    let agent = builder.build().unwrap();
    let began = Instant::now();
    let ended = match case.typed {
        true => drive(&case, run(&agent, &case).answer::<Done>()).await,
        false => drive(&case, run(&agent, &case)).await,
    };
    let took = began.elapsed();
    // A read that was ended lets go when its task is next looked at.
    tokio::time::sleep(Duration::from_millis(1)).await;

    assert!(took <= limits.timeout + Duration::from_millis(1), "the run took {took:?} of {:?}", limits.timeout);
    check_world(&agent.state().world, &case);
    let Some((record, ended)) = ended else {
        check_drained(&agent, &case).await;
        return;
    };
    check_bounds(&record, &limits, asked.load(Ordering::SeqCst));
    check_steps(&record, &case, &ended);
    match &ended {
        Err(RunErrorKind::Suspended(run)) => check_suspended(run),
        _ => check_history(&record.messages),
    }
    check_drained(&agent, &case).await;
}

fn run(agent: &Agent<App>, case: &Case) -> RunBuilder<App> {
    let caller = if case.may_write { writer() } else { SecurityContext::anonymous() };
    agent.run("Go.").caller(caller).id("r")
}

type Ended = (Record, Result<(), RunErrorKind>);

async fn drive<T: Send + Unpin + 'static>(case: &Case, mut run: RunBuilder<App, T>) -> Option<Ended> {
    if case.picky {
        let refused = AtomicU32::new(0);
        run = run.check_answer(move |_, _| match refused.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Err("not yet.".to_owned()),
            _ => Ok(()),
        });
    }
    match case.driving {
        Driving::Awaited => Some(told(run.await)),
        Driving::Streamed => {
            let mut events = run.events();
            loop {
                match events.next().await.expect("a stream ends with the run's end") {
                    RunEvent::Finished(ended) => return Some(told(ended)),
                    _ => continue,
                }
            }
        }
        Driving::Cancelled(wait) => {
            let token = CancellationToken::new();
            let running = run.cancel(token.clone()).into_future();
            tokio::pin!(running);
            tokio::select! {
                biased;
                ended = &mut running => Some(told(ended)),
                () = tokio::time::sleep(wait) => {
                    token.cancel();
                    let cancelled = Instant::now();
                    let ended = told(running.await);
                    assert!(cancelled.elapsed() <= Duration::from_millis(1), "a cancelled run ends at once");
                    Some(ended)
                }
            }
        }
        Driving::Dropped(wait) => match tokio::time::timeout(wait, run.into_future()).await {
            Ok(ended) => Some(told(ended)),
            Err(_) => None,
        },
    }
}

fn told<T>(ended: Result<Answer<T>, RunError>) -> Ended {
    match ended {
        Ok(answer) => (answer.record().clone(), Ok(())),
        Err(error) => (error.record().clone(), Err(error.kind().clone())),
    }
}

/// Every call is followed by its one result, in call order, before anything else is said; ids are unique.
pub(super) fn check_history(messages: &[Message]) {
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

fn tool_steps(record: &Record) -> Vec<&ToolStep> {
    let tools = record.steps.iter().filter_map(|step| match step {
        StepRecord::Tool(tool) => Some(tool),
        _ => None,
    });
    tools.collect()
}

fn check_bounds(record: &Record, limits: &Limits, asked: u32) {
    assert!(record.cycles <= limits.max_cycles);
    assert!(asked <= limits.max_cycles + limits.max_extra_calls, "asked {asked} times");
    let steps = tool_steps(record);
    let run = steps.iter().filter(|step| step.attempts > 0 || step.replayed).count();
    assert!(run <= limits.max_tool_calls as usize, "{run} calls ran");
    for cycle in 1..=record.cycles {
        let of_turn = steps.iter().filter(|step| step.cycle == cycle && step.attempts > 0).count();
        assert!(of_turn <= limits.max_tool_calls_per_turn as usize);
    }
    let ids: BTreeSet<_> = steps.iter().map(|step| &step.call_id).collect();
    assert_eq!(ids.len(), steps.len(), "each call has one result");
}

fn check_steps(record: &Record, case: &Case, ended: &Result<(), RunErrorKind>) {
    let steps = tool_steps(record);
    let has = |code: &str| steps.iter().any(|step| step.code.as_deref() == Some(code));
    let unknown = matches!(ended, Err(RunErrorKind::OutcomeUnknown { .. }));
    assert_eq!(has("OUTCOME_UNKNOWN"), unknown, "an unknown outcome ends the run, and nothing else in its name");
    if case.on_denied != OnDenied::Continue {
        let denied: BTreeSet<_> =
            steps.iter().filter(|step| step.code.as_deref() == Some("UNAUTHORIZED")).map(|step| step.cycle).collect();
        for step in &steps {
            let idle = step.attempts == 0 && !step.replayed;
            assert!(idle || !denied.contains(&step.cycle), "with a denied call in the turn nothing of it runs");
        }
    }
    if let Err(RunErrorKind::Cancelled { .. }) = ended {
        assert!(matches!(case.driving, Driving::Cancelled(_)), "only the host cancels");
    }
}

fn check_world(world: &World, case: &Case) {
    assert!(world.most_repeated() <= 1, "an effect happened {} times", world.most_repeated());
    assert!(world.most_reading.load(Ordering::SeqCst) <= i64::from(case.max_parallel_calls));
    assert_eq!(world.reading.load(Ordering::SeqCst), 0, "no read is left running");
    if !case.may_write {
        assert_eq!(world.entered(), 0, "nothing runs that the caller may not run");
    }
    if !matches!(case.approval, Approval::Approves | Approval::Edits) {
        assert_eq!(world.signed.load(Ordering::SeqCst), 0, "nothing runs that nobody approved");
    }
}

/// A suspended run is saved and read again as it was.
fn check_suspended(run: &Run) {
    assert!(!run.pending().is_empty(), "a suspended run waits for somebody");
    let saved = serde_json::to_string(run).unwrap();
    assert_eq!(&serde_json::from_str::<Run>(&saved).unwrap(), run);
}

/// What still runs when the run has ended settles, and does so once.
async fn check_drained(agent: &Agent<App>, case: &Case) {
    agent.state().world.gate.add_permits(1_000);
    let left = agent.drain(Duration::from_secs(3_600)).await;
    assert_eq!(left, [], "every mutating call that was started ends");
    check_world(&agent.state().world, case);
}
