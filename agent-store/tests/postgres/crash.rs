//! The server itself is killed, as a crash would.

use std::path::PathBuf;
use std::process::Command;

use agent_core::idempotency::{Claim, StoreError};
use agent_store::PostgresStore;

use crate::place::Place;
use crate::{claim, fresh, settle};

/// A server of the test's own.
struct Server {
    folder: PathBuf,
    url: String,
}

impl Server {
    fn start() -> Self {
        // Directly below the folder for temporary files, which the server's user may enter.
        let folder = std::env::temp_dir().join(format!("agent-pg-crash-{}", std::process::id()));
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
    let server = Server::start();
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
