//! Effects on threads that are blocked, and on runtimes that go away.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use agent_core::idempotency::MemoryStore;
use agent_core::model::{Reply, ToolCall};
use agent_core::{Agent, Cancellation, RunErrorKind, State, tool, tools};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use crate::speaker::{Speaker, call, codes};
use crate::world::{App, World, act, writer};

/// What a tool needs that blocks its thread.
#[derive(State)]
struct Site {
    shop: Shop,
}

struct Shop {
    begun: Arc<Notify>,
    go_on: Mutex<mpsc::Receiver<()>>,
    built: AtomicU32,
}

/// Builds something, and blocks its thread until it may.
#[tool(mutating, unrestricted)]
async fn build(shop: &Shop) -> u32 {
    shop.begun.notify_one();
    let _ = shop.go_on.lock().unwrap().recv();
    shop.built.fetch_add(1, Ordering::SeqCst) + 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_effect_that_blocks_its_thread_stops_no_cancel_and_its_late_end_is_recorded() {
    let (begun, store) = (Arc::<Notify>::default(), Arc::new(MemoryStore::new()));
    let (release, go_on) = mpsc::channel();
    let site = Arc::new(Site { shop: Shop { begun: begun.clone(), go_on: Mutex::new(go_on), built: 0.into() } });
    let agent = |replies: Vec<Reply>| {
        let builder = Agent::builder(Speaker::replies(replies)).tools(tools![build]);
        builder.shared_state(site.clone()).store(store.clone()).build().unwrap()
    };
    let (first, cancel) = (agent(vec![call("a", "build", "{}")]), Cancellation::new());
    let run = first.run("Build.").caller(writer()).id("r").cancel(cancel.clone()).into_future();
    let cancels = async {
        begun.notified().await;
        cancel.cancel("enough");
    };
    let (ended, ()) = tokio::join!(run, cancels);
    let error = ended.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::OutcomeUnknown { .. }), "{error:?}");
    assert_eq!(site.shop.built.load(Ordering::SeqCst), 0, "it is on its thread still");

    release.send(()).unwrap();
    assert_eq!(first.drain(Duration::from_secs(600)).await, []);
    let again = agent(vec![call("b", "build", "{}"), Reply::text("Built.")]);
    let answer = again.run("Build.").caller(writer()).id("r").await.unwrap();
    assert_eq!(codes(answer.record()), ["success"]);
    assert_eq!(site.shop.built.load(Ordering::SeqCst), 1, "the late end was recorded, and is given again");
}

fn paused() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

#[test]
fn an_effect_that_dies_with_its_runtime_is_unknown_afterwards_and_is_not_begun_again() {
    let (store, world) = (Arc::new(MemoryStore::new()), Arc::<World>::default());
    let agent = |id: &str| {
        let model = Speaker::replies([Reply::calls([ToolCall::new(id, "act", r#"{"how":"hang"}"#)])]);
        let builder = Agent::builder(model).tools(tools![act]).state(App { world: world.clone() });
        builder.store(store.clone()).build().unwrap()
    };
    let first = paused();
    first.block_on(async {
        let running = agent("a").run("Go.").caller(writer()).id("r").into_future();
        assert!(tokio::time::timeout(Duration::from_secs(1), running).await.is_err());
    });
    assert_eq!(world.entered(), 1);
    drop(first);
    // Were it alive, it would take effect now.
    world.gate.add_permits(1);
    paused().block_on(async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        let error = agent("b").run("Go.").caller(writer()).id("r").await.unwrap_err();
        assert!(matches!(error.kind(), RunErrorKind::OutcomeUnknown { tool, .. } if tool == "act"), "{error:?}");
        assert_eq!(codes(error.record()), ["OUTCOME_UNKNOWN"]);
    });
    assert_eq!((world.entered(), world.effects()), (1, 0));
}
