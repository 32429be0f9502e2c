//! The same calls on a runtime of many threads, on one of one thread, and in a task of that, where what ends at once takes
//! no task of its own.

use std::sync::Arc;
use std::time::Duration;

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, ToolResult, tool, tools};
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::world::{App, act, look, writer};

fn on_each_runtime<T: Send + 'static, F: Future<Output = T> + Send + 'static>(work: impl Fn() -> F) -> [T; 3] {
    let one = || Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let many = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    [
        one().block_on(async { tokio::spawn(work()).await.unwrap() }),
        one().block_on(work()),
        many.block_on(async { tokio::spawn(work()).await.unwrap() }),
    ]
}

/// More than anything here takes; who waits for so long waits for what does not come.
const FOR_EVER: Duration = Duration::from_secs(600);

/// Makes a call that hangs, and lets go of it once its function has been entered.
async fn abandon(agent: &Agent<App>, call: &ToolCall, at: &Dispatch<'_, App>) {
    tokio::select! {
        biased;
        result = agent.toolbox().dispatch(call, at) => panic!("{result:?}"),
        () = agent.state().world.entries.notified() => {}
    }
}

fn agent() -> Agent<App> {
    Agent::builder(ScriptedModel::new([])).tools(tools![look, act]).state(App::default()).build().unwrap()
}

/// Makes a call, and says how it ended and how many effects there were.
async fn made(tool: &str, how: &str, before: impl FnOnce(Dispatch<'_, App>) -> Dispatch<'_, App>) -> (Value, u32) {
    let (agent, caller) = (agent(), Arc::new(writer()));
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run_id: Arc<str> = "r".into();
    let at = before(Dispatch::new(&caller, agent.state(), &store, &run_id));
    let call = ToolCall::new("a", tool, format!(r#"{{"how":"{how}"}}"#));
    let result = agent.toolbox().dispatch(&call, &at).await;
    let mut result = serde_json::to_value(result).unwrap();
    result["metadata"]["latencyMs"] = 0.into();
    (result, agent.state().world.effects())
}

#[test]
fn a_call_ends_alike_on_every_runtime() {
    let of_look = ["ok", "slow", "business", "fatal", "transient", "panic", "unwritable"].map(|how| ("look", how));
    let of_act = ["ok", "slow", "business", "not_done", "fatal", "panic", "panic_after", "unwritable"];
    for (tool, how) in of_look.into_iter().chain(of_act.map(|how| ("act", how))) {
        let [in_task, alone, many] = on_each_runtime(|| made(tool, how, |at| at));
        assert_eq!(in_task, alone, "{tool} {how}");
        assert_eq!(in_task, many, "{tool} {how}");
    }
}

#[test]
fn a_call_whose_time_is_over_or_that_is_cancelled_before_it_begins_does_nothing_on_any_runtime() {
    for tool in ["look", "act"] {
        // With a thread to spare a read may have ended before anybody looks at the time.
        for ended in on_each_runtime(|| made(tool, "ok", |at| at.deadline(Some(Instant::now())))).iter().take(2) {
            let code = if tool == "look" { "TOOL_TIMEOUT" } else { "NOT_RUN" };
            assert_eq!((&ended.0["error"]["code"], ended.1), (&code.into(), 0));
        }
        let cancelled = || {
            let token = CancellationToken::new();
            token.cancel();
            made(tool, "ok", |at| at.cancel(token))
        };
        for ended in on_each_runtime(cancelled) {
            assert_eq!((&ended.0["error"]["code"], ended.1), (&"CANCELLED".into(), 0));
        }
    }
}

#[test]
fn a_mutating_call_that_waits_goes_on_when_nobody_waits_for_it_on_every_runtime() {
    for effects in on_each_runtime(|| async {
        let (agent, caller) = (agent(), Arc::new(writer()));
        let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
        let run_id: Arc<str> = "r".into();
        let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
        let call = ToolCall::new("a", "act", r#"{"how":"hang"}"#);
        abandon(&agent, &call, &at).await;
        agent.state().world.gate.add_permits(1);
        assert_eq!(agent.drain(FOR_EVER).await, []);
        let again = agent.toolbox().dispatch(&call, &at).await;
        assert!(again.is_success() && again.metadata().replayed, "{again:?}");
        agent.state().world.effects()
    }) {
        assert_eq!(effects, 1);
    }
}

#[test]
fn a_read_that_waits_ends_when_nobody_waits_for_it_on_every_runtime() {
    for over in on_each_runtime(|| async {
        let (agent, caller) = (agent(), Arc::new(writer()));
        let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
        let run_id: Arc<str> = "r".into();
        let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
        let call = ToolCall::new("a", "look", r#"{"how":"hang"}"#);
        abandon(&agent, &call, &at).await;
        timeout(FOR_EVER, agent.state().world.reads_over.notified()).await.is_ok()
    }) {
        assert!(over, "the read goes on");
    }
}

struct Over(Arc<Notify>);

/// Leaves something behind that waits for its end.
#[tool]
async fn linger(over: &Over, call: &agent_core::CallContext) -> bool {
    let (over, call) = (over.0.clone(), call.clone());
    tokio::spawn(async move {
        call.cancelled().await;
        over.notify_one();
    });
    tokio::task::yield_now().await;
    false
}

#[test]
fn what_a_call_has_left_behind_learns_that_it_is_over_on_every_runtime() {
    on_each_runtime(|| async {
        let over = Arc::<Notify>::default();
        let builder = Agent::builder(ScriptedModel::new([])).tools(tools![linger]);
        let agent = builder.state(Over(over.clone())).build().unwrap();
        let (caller, run_id) = (Arc::new(writer()), "r".into());
        let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
        let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
        let result: ToolResult = agent.toolbox().dispatch(&ToolCall::new("a", "linger", "{}"), &at).await;
        assert!(result.is_success(), "{result:?}");
        over.notified().await;
    });
}
