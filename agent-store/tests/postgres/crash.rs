//! The server itself is killed, as a crash would.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use agent_core::idempotency::{Claim, ClaimHandle, Fence, StoreError};
use agent_store::PostgresStore;

use crate::place::Place;
use crate::{claim, fresh, key, settle};

/// A server of the test's own.
struct Server {
    folder: PathBuf,
    url: String,
}

impl Server {
    fn start(name: &str) -> Self {
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

fn script(command: &str, folder: &PathBuf) -> String {
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

    // One that settles while the server is away is not told of it, when the server comes back in time.
    let back = tokio::task::spawn_blocking({
        let folder = server.folder.clone();
        move || script("again", &folder)
    });
    back.await.unwrap();
    settle(&store, &running, "done").await.unwrap();
    for n in [1, 2] {
        assert!(matches!(claim(&store, n).await, Ok(Claim::Settled(_))), "{n}");
    }
    fresh(&store, 3).await;
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
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (store, given) = (store.clone(), given.clone());
            tokio::spawn(async move {
                for n in 1..=250 {
                    match claim(&store, n).await {
                        Ok(Claim::Fresh(fence)) => given.lock().unwrap().entry(n).or_default().push(fence),
                        Ok(Claim::InFlight) | Err(StoreError::Unreachable(_)) => {}
                        other => panic!("{n}: {other:?}"),
                    }
                }
            })
        })
        .collect();
    while given.lock().unwrap().len() < 20 {
        tokio::task::yield_now().await;
    }
    let killed = tokio::task::spawn_blocking({
        let folder = server.folder.clone();
        move || {
            script("kill", &folder);
            script("again", &folder);
        }
    });
    killed.await.unwrap();
    for asking in asking {
        asking.await.unwrap();
    }
    let given = Arc::into_inner(given).unwrap().into_inner().unwrap();
    for (n, fences) in given {
        let [fence] = *fences else { panic!("{n} was given {fences:?}") };
        settle(&store, &ClaimHandle::new(key(n), fence), "done").await.expect("what was given is there");
    }
}
