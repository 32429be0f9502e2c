//! What must hold of every run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::model::{Body, Message};
use agent_core::run::{Record, Run, StepRecord, ToolStep};
use agent_core::run_store::MemoryRunStore;
use agent_core::{
    Agent, Answer, Limits, NextTurn, OnDenied, RunBuilder, RunError, RunErrorKind, RunEvent, SecurityContext,
    ToolSchema, Window, tools,
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

/// What a hook offers that withholds the rest.
const OFFERED: [&str; 2] = ["look", "sign"];

/// What outlives a process.
#[derive(Default)]
struct Lasting {
    world: Arc<World>,
    claims: Shared,
    runs: Arc<MemoryRunStore>,
    asked: Arc<AtomicU32>,
}

impl Lasting {
    fn agent(&self, case: &Case) -> Agent<App> {
        let mut builder = Agent::builder(Moody { turns: case.turns.clone(), asked: self.asked.clone() })
            .tools(tools![look, act, add, sign, send, transfer])
            .state(App { world: self.world.clone() })
            .store(self.claims.clone())
            .limits(limits(case))
            .on_denied(case.on_denied);
        if case.approval != Approval::Nobody {
            builder = builder.approver(Person(case.approval));
        }
        if case.window {
            builder = builder.window(Window { tokens: 400, reserve: 50, compact_at: 0.75 });
        }
        if case.withheld {
            builder = builder.step_hook(|_: &Run| NextTurn::new().offer(OFFERED));
        }
        if case.stored {
            builder = builder.run_store(self.runs.clone());
        }
        builder.build().unwrap()
    }
}

fn limits(case: &Case) -> Limits {
    Limits::default()
        .max_cycles(case.max_cycles)
        .max_tool_calls(case.max_tool_calls)
        .max_parallel_calls(case.max_parallel_calls)
        .max_extra_calls(case.max_extra_calls)
        .timeout(case.timeout)
        .min_effect_time(case.timeout.min(Duration::from_secs(2)) / 2)
}

pub(super) async fn check(case: Case) {
    let lasting = Lasting::default();
    lasting.claims.0.claims.store(case.failing_claims, Ordering::SeqCst);
    lasting.claims.0.settlements.store(case.failing_settlements, Ordering::SeqCst);
    let agent = lasting.agent(&case);
    let began = Instant::now();
    let mut ended = match case.typed {
        true => drive(&case, run(&agent, &case).answer::<Done>()).await,
        false => drive(&case, run(&agent, &case)).await,
    };
    let took = began.elapsed();
    assert!(took <= case.timeout + Duration::from_millis(1), "the run took {took:?} of {:?}", case.timeout);
    let mut cut_off = 0;
    if ended.is_none() && case.stored {
        // A reply that was not saved is asked for again.
        cut_off = 1;
        // Another process takes the run up once the first one's lease is over.
        tokio::time::sleep(Duration::from_secs(31)).await;
        ended = match case.typed {
            true => Some(told(run(&lasting.agent(&case), &case).answer::<Done>().await)),
            false => Some(told(run(&lasting.agent(&case), &case).await)),
        };
    }
    // A read that was ended lets go when its task is next looked at.
    tokio::time::sleep(Duration::from_millis(1)).await;
    check_world(&lasting.world, &case);
    if let Some((record, ended)) = ended {
        check_bounds(&record, &limits(&case), lasting.asked.load(Ordering::SeqCst) - cut_off);
        check_steps(&record, &case, &ended);
        match ended {
            Err(RunErrorKind::Suspended(run)) => check_suspended(&lasting, &case, *run).await,
            _ => check_history(&record.messages),
        }
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
    check_withheld(&steps, case);
    if let Err(RunErrorKind::Cancelled { .. }) = ended {
        assert!(matches!(case.driving, Driving::Cancelled(_)), "only the host cancels");
    }
}

/// What a hook withholds does not exist, also where the run was taken up in between.
fn check_withheld(steps: &[&ToolStep], case: &Case) {
    for step in steps.iter().filter(|step| case.withheld && !OFFERED.contains(&&*step.tool)) {
        assert!(step.attempts == 0 && !step.replayed, "`{}` was not offered, and ran", step.tool);
    }
}

fn check_world(world: &World, case: &Case) {
    assert!(world.most_repeated() <= 1, "an effect happened {} times", world.most_repeated());
    assert!(world.most_reading.load(Ordering::SeqCst) <= i64::from(case.max_parallel_calls));
    assert_eq!(world.reading.load(Ordering::SeqCst), 0, "no read is left running");
    if !case.may_write {
        assert_eq!(world.entered(), 0, "nothing runs that the caller may not run");
    }
    let resumed = matches!(case.approval, Approval::Nobody | Approval::Leaves);
    if !matches!(case.approval, Approval::Approves | Approval::Edits) && !resumed {
        assert_eq!(world.signed.load(Ordering::SeqCst), 0, "nothing runs that nobody approved");
    }
}

/// A suspended run is saved and read again as it was, and goes on in another process with every other call approved.
async fn check_suspended(lasting: &Lasting, case: &Case, run: Run) {
    let pending = run.pending();
    assert!(!pending.is_empty(), "a suspended run waits for somebody");
    let saved = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<Run>(&saved).unwrap(), run);
    let signed = lasting.world.signed.load(Ordering::SeqCst);
    let old = run.clone();
    let mut resumed = lasting.agent(case).resume(run).caller(writer());
    for (index, call) in pending.iter().enumerate() {
        let decision = match index % 2 {
            0 => call.approve("boss"),
            _ => call.reject("boss", "no"),
        };
        resumed = resumed.decide(decision);
    }
    let (record, ended) = match case.typed {
        true => told(resumed.answer::<Done>().await),
        false => told(resumed.await),
    };
    check_bounds(&record, &limits(case), lasting.asked.load(Ordering::SeqCst));
    check_withheld(&tool_steps(&record), case);
    if !matches!(ended, Err(RunErrorKind::Suspended(_))) {
        check_history(&record.messages);
    }
    if case.stored && case.stale {
        check_stale(lasting, case, old).await;
    }
    let more = lasting.world.signed.load(Ordering::SeqCst) - signed;
    assert!(more as usize <= pending.len().div_ceil(2), "only what was approved ran");
    assert!(lasting.world.most_repeated() <= 1, "an effect happened twice over a resume");
}

/// A copy of which another has gone on since does nothing, whatever people decide on it.
async fn check_stale(lasting: &Lasting, case: &Case, old: Run) {
    let before = (lasting.world.entered(), lasting.asked.load(Ordering::SeqCst));
    let decision = old.pending()[0].edit("boss", r#"{"how":"ok","n":77}"#);
    let resumed = lasting.agent(case).resume(old.clone()).caller(writer()).decide(decision);
    let (_, ended) = match case.typed {
        true => told(resumed.answer::<Done>().await),
        false => told(resumed.await),
    };
    if let Err(RunErrorKind::NotResumed { run, .. }) = &ended {
        assert_eq!(**run, old, "nothing is lost");
    }
    assert!(!matches!(ended, Err(RunErrorKind::Suspended(_))), "an old copy does not go on");
    let after = (lasting.world.entered(), lasting.asked.load(Ordering::SeqCst));
    assert_eq!(after, before, "an old copy does nothing: {ended:?}");
}

/// What still runs when the run has ended settles, and does so once.
async fn check_drained(agent: &Agent<App>, case: &Case) {
    // A read that was ended lets go when its task is next looked at.
    tokio::time::sleep(Duration::from_millis(1)).await;
    agent.state().world.gate.add_permits(1_000);
    let left = agent.drain(Duration::from_secs(3_600)).await;
    assert_eq!(left, [], "every mutating call that was started ends");
    check_world(&agent.state().world, case);
}
