//! One of several processes that race for the same keys: `racer SERVER`.
//!
//! It says `ready`, waits for a line, and then 64 tasks claim 1,000 keys, several at once the same one. A task that gets a
//! key has the effect and settles; the others wait for its value. At the end it says how many effects were its own.

use std::error::Error;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_core::Duplicates;
use agent_core::arguments::Digest;
use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Position, Settled};
use agent_core::model::CallId;
use agent_store::{PostgresOptions, PostgresStore};

type Wrong = Box<dyn Error + Send + Sync>;

const TASKS: usize = 64;
const KEYS: u64 = 1_000;

/// How many of the tasks ask for each key.
const EACH: u64 = 8;

fn digest(n: u64) -> Digest {
    let mut bytes = [3; 32];
    bytes[..8].copy_from_slice(&n.to_be_bytes());
    Digest::from_bytes(bytes)
}

/// Has the effect, or waits until somebody else has; true where it was this one.
async fn race(store: &PostgresStore, n: u64) -> Result<bool, Wrong> {
    let digest = digest(n);
    let key = IdempotencyKey::new("load", "run", "tool", &digest, Position::default(), Duplicates::Replay);
    let id = CallId::new("call");
    loop {
        match store.claim(&ClaimRequest::new(&key, &digest, &id)).await? {
            Claim::Fresh(fence) => return effect(store, &key, fence, n).await.map(|()| true),
            Claim::InFlight => tokio::time::sleep(Duration::from_millis(2)).await,
            Claim::Settled(Settled::Value(value)) if value.get() == n.to_string() => return Ok(false),
            other => return Err(format!("key {n} was answered {other:?}").into()),
        }
    }
}

async fn effect(store: &PostgresStore, key: &IdempotencyKey, fence: Fence, n: u64) -> Result<(), Wrong> {
    let client = store.pool().get().await?;
    client.execute("INSERT INTO effect (n) VALUES ($1)", &[&n.cast_signed()]).await?;
    drop(client);
    Ok(store.settle(key, fence, &Settled::value(&n)?).await?)
}

#[expect(clippy::print_stdout, reason = "how it speaks to the test")]
fn say(what: impl std::fmt::Display) -> Result<(), Wrong> {
    println!("{what}");
    Ok(std::io::stdout().flush()?)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Wrong> {
    let server = std::env::args().nth(1).ok_or("racer SERVER")?;
    let store = PostgresOptions::new(&server).connections(16).open().await?;
    say("ready")?;
    std::io::stdin().lock().read_line(&mut String::new())?;
    let next = Arc::new(AtomicU64::new(0));
    let tasks = (0..TASKS).map(|_| {
        let (store, next) = (store.clone(), next.clone());
        tokio::spawn(async move {
            let mut mine = 0;
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= KEYS * EACH {
                    return Ok::<u64, Wrong>(mine);
                }
                mine += u64::from(race(&store, turn / EACH).await?);
            }
        })
    });
    let mut mine = 0;
    for task in tasks.collect::<Vec<_>>() {
        mine += task.await??;
    }
    say(mine)
}
