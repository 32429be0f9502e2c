//! The server itself is killed, as a crash would.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::idempotency::{Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyStore, StoreError};
use agent_core::model::CallId;
use agent_store::PostgresStore;

use crate::place::Place;
use crate::{claim, fresh, key, settle};

/// A server of the test's own.
pub(crate) struct Server {
    pub(crate) folder: PathBuf,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(name: &str) -> Self {
        // Directly below the folder for temporary files, which the server's user may enter.
        let folder = std::env::temp_dir().join(format!("agent-pg-crash-{name}-{}", std::process::id()));
        let url = script("start", &folder);
        Self { folder, url: url.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        script("stop", &self.folder);
    }
}

pub(crate) fn script(command: &str, folder: &PathBuf) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/postgres");
    // The server outlives the script, so it must not hold a pipe of ours: what it says goes to its log.
    let done = Command::new(script).arg(command).arg(folder).output().unwrap();
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_and_comes_back_has_lost_nothing_that_it_answered() {
    if Place::find().is_none() {
        return;
    }
    let server = Server::start("back");
    let store = PostgresStore::open(&server.url).await.unwrap();
    let settled = fresh(&store, 1).await;
    settle(&store, &settled, "done").await.unwrap();
    let running = fresh(&store, 2).await;

    script("kill", &server.folder);
    let mut refused = claim(&store, 3).await;
    // The first question may still go out on a connection that is dead; then it is asked again in vain.
    if refused.is_ok() {
        refused = claim(&store, 3).await;
    }
    assert!(matches!(refused, Err(StoreError::Unreachable(_))), "{refused:?}");

    // One that settles while the server is away, and asks again, is told when the server is back.
    assert!(store.pool().get().await.is_err(), "the server is away");
    let back = tokio::task::spawn_blocking({
        let folder = server.folder.clone();
        move || script("again", &folder)
    });
    let (back, settled) = tokio::join!(back, persistent(&store, &running));
    back.unwrap();
    settled.unwrap();
    for n in [1, 2] {
        assert!(matches!(claim(&store, n).await, Ok(Claim::Settled(_))), "{n}");
    }
    fresh(&store, 3).await;
}

/// Settles as the framework does, which asks again for as long as its grace lasts.
async fn persistent(store: &PostgresStore, held: &ClaimHandle) -> Result<(), StoreError> {
    loop {
        match settle(store, held, "done").await {
            Err(error) if error.is_transient() => tokio::task::yield_now().await,
            answer => return answer,
        }
    }
}

/// Claims for longer than any of this takes.
async fn claim_for_long(store: &PostgresStore, n: u8) -> Result<Claim, StoreError> {
    let (key, digest, id) = (key(n), Digest::from_bytes([n; 32]), CallId::new("c"));
    store.claim(&ClaimRequest::new(&key, &digest, &id).lease(Duration::from_secs(3600))).await
}

/// Claims that are under way when the server dies: each is fresh or an error, and an error has claimed nothing that
/// another could then have twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_that_the_server_dies_in_the_middle_of_are_given_once_or_refused() {
    if Place::find().is_none() {
        return;
    }
    let server = Server::start("mid");
    let store = PostgresStore::open(&server.url).await.unwrap();
    let given = Arc::new(Mutex::new(BTreeMap::<u8, Vec<Fence>>::new()));
    // Whether the server was killed, whether it is back, and how many claims have met that.
    let (dead, back) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let met = Arc::new(AtomicU32::new(0));
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (store, given, met) = (store.clone(), given.clone(), met.clone());
            let (dead, back) = (dead.clone(), back.clone());
            tokio::spawn(async move {
                // Round and round, until the server is back: a claim is under way whenever it dies.
                for n in (1..=250).cycle() {
                    let before = !dead.load(Ordering::SeqCst);
                    let answer = claim_for_long(&store, n).await;
                    let is_back = back.load(Ordering::SeqCst);
                    // Asked before the server was dead and answered after that, or refused.
                    let across = before && dead.load(Ordering::SeqCst);
                    match answer {
                        Ok(Claim::Fresh(fence)) => given.lock().unwrap().entry(n).or_default().push(fence),
                        Ok(Claim::InFlight) => {}
                        Err(StoreError::Unreachable(_)) => drop(met.fetch_add(1, Ordering::SeqCst)),
                        other => panic!("{n}: {other:?}"),
                    }
                    if across {
                        met.fetch_add(1, Ordering::SeqCst);
                    }
                    if is_back && n == 250 {
                        return;
                    }
                }
            })
        })
        .collect();
    while given.lock().unwrap().len() < 20 {
        tokio::task::yield_now().await;
    }
    let killed = tokio::task::spawn_blocking({
        let (folder, dead, back) = (server.folder.clone(), dead.clone(), back.clone());
        move || {
            script("kill", &folder);
            dead.store(true, Ordering::SeqCst);
            script("again", &folder);
            back.store(true, Ordering::SeqCst);
        }
    });
    killed.await.unwrap();
    for asking in asking {
        asking.await.unwrap();
    }
    assert!(met.load(Ordering::SeqCst) > 0, "no claim was under way when the server died");
    let given = Arc::into_inner(given).unwrap().into_inner().unwrap();
    for (n, fences) in given {
        let [fence] = *fences else { panic!("{n} was given {fences:?}") };
        settle(&store, &ClaimHandle::new(key(n), fence), "done").await.expect("what was given is there");
    }
}
