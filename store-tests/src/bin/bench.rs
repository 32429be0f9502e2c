//! What a claim and its settlement cost, against a bare INSERT with the same durability, in one run.
//!
//! `cargo run --release -p agent-store-tests --bin bench`. With `AGENT_TEST_POSTGRES`, PostgreSQL as well. Prints how many
//! times per second each is done, and the ratio to the bare INSERT; 1.00 would mean that a claim and its settlement are
//! free. A claim and its settlement are two commits, so beside them stands what any two take: a bare INSERT and an UPDATE
//! of its row.
//!
//! SQLite's bare INSERT is measured twice: on a connection of the task that waits for it, which blocks its thread, and
//! through the store's thread, as a claim is made. `agent-store`'s documentation says what the figures mean.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_core::Duplicates;
use agent_core::arguments::Digest;
use agent_core::idempotency::{Claim, ClaimHandle, ClaimRequest, IdempotencyKey, IdempotencyStore, Position, Settled};
use agent_core::model::CallId;
use agent_store::rusqlite::{self, Connection};
use agent_store::{PostgresOptions, PostgresStore, SqliteStore};

type Wrong = Box<dyn Error + Send + Sync>;

/// What is measured alternates this often; the median round counts, so that a slow moment of the disk does not.
const ROUNDS: u32 = 31;

/// How long each is measured in a round.
const SLICE: Duration = Duration::from_millis(150);

const VALUE: &str = r#"{"invoice":"INV-2024-000017","client":"Acme","total":"1234.56"}"#;

/// Of the same length: SQLite writes nothing where nothing changes.
const OTHER: &str = r#"{"invoice":"INV-2024-000018","client":"Acme","total":"1234.56"}"#;

fn digest(n: u64) -> Digest {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&n.to_be_bytes());
    Digest::from_bytes(bytes)
}

/// Claims the nth key.
async fn claim(store: &impl IdempotencyStore, n: u64) -> Result<ClaimHandle, Wrong> {
    let digest = digest(n);
    let key = IdempotencyKey::new("bench", "run", "tool", &digest, Position::default(), Duplicates::Replay);
    let id = CallId::new("call");
    match store.claim(&ClaimRequest::new(&key, &digest, &id)).await? {
        Claim::Fresh(fence) => Ok(ClaimHandle::new(key, fence)),
        other => Err(format!("not fresh: {other:?}").into()),
    }
}

async fn claim_and_settle(store: &impl IdempotencyStore, n: u64) -> Result<(), Wrong> {
    let held = claim(store, n).await?;
    let value = Settled::value(&serde_json::value::RawValue::from_string(VALUE.to_owned())?)?;
    Ok(store.settle(held.key(), held.fence(), &value).await?)
}

/// How often per second something was done, in each round.
#[derive(Default)]
struct Pace(Vec<f64>);

impl Pace {
    fn note(&mut self, done: u64, took: Duration) {
        self.0.push(done as f64 / took.as_secs_f64());
    }
}

fn median(of: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<_> = of.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::print_stdout, reason = "what it is for")]
fn report(what: &str, one: &Pace, bare: &[&Pace]) {
    print!("{what:<62} {:>8.0}/s", median(one.0.iter().copied()));
    for bare in bare {
        print!("   {:.2}", median(one.0.iter().zip(&bare.0).map(|(one, bare)| one / bare)));
    }
    println!();
}

async fn sqlite() -> Result<(), Wrong> {
    let folder = tempfile::tempdir_in(".")?;
    let path = folder.path().join("bench.db");
    let store = SqliteStore::open(&path).await?;
    let mut own = Connection::open(&path)?;
    own.busy_timeout(Duration::from_secs(5))?;
    own.pragma_update(None, "synchronous", "FULL")?;
    own.execute_batch("CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
    own.execute_batch("CREATE TABLE other (text TEXT NOT NULL); INSERT INTO other VALUES ('')")?;
    let (mut bare, mut threaded, mut twice) = (Pace::default(), Pace::default(), Pace::default());
    let (mut whole, mut many, mut second) = (Pace::default(), Pace::default(), Pace::default());
    let (mut joined, mut threefold) = (Pace::default(), Pace::default());
    let mut n = 0;
    for _ in 0..ROUNDS {
        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            own.prepare_cached("INSERT INTO bare (text) VALUES (?1)")?.execute([VALUE])?;
            done += 1;
        }
        bare.note(done, start.elapsed());

        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            let insert = store.transaction(|tx| -> Result<(), Wrong> {
                tx.prepare_cached("INSERT INTO bare (text) VALUES (?1)")?.execute([VALUE])?;
                Ok(())
            });
            insert.await?;
            done += 1;
        }
        threaded.note(done, start.elapsed());

        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            own.prepare_cached("INSERT INTO bare (text) VALUES (?1)")?.execute([VALUE])?;
            let id = own.last_insert_rowid();
            own.prepare_cached("UPDATE bare SET text = ?1 WHERE id = ?2")?.execute((OTHER, id))?;
            done += 1;
        }
        twice.note(done, start.elapsed());

        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            n += 1;
            claim_and_settle(&store, n).await?;
            done += 1;
        }
        whole.note(done, start.elapsed());

        let (start, first) = (Instant::now(), n + 1);
        let tasks = (0..16).map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut done = 0;
                while start.elapsed() < SLICE {
                    claim_and_settle(&store, first + done * 16 + task).await?;
                    done += 1;
                }
                Ok::<u64, Wrong>(done)
            })
        });
        let mut done = 0;
        for task in tasks.collect::<Vec<_>>() {
            let its = task.await??;
            done += its;
            n = n.max(first + its * 16);
        }
        many.note(done, start.elapsed());

        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            let tx = own.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            tx.prepare_cached("INSERT INTO bare (text) VALUES (?1)")?.execute([VALUE])?;
            tx.prepare_cached("UPDATE other SET text = ?1")?.execute([if done % 2 == 0 { VALUE } else { OTHER }])?;
            tx.commit()?;
            done += 1;
        }
        second.note(done, start.elapsed());

        // The claims are made beforehand: what is measured is what the settlement adds to the effect's transaction.
        let mut held = Vec::new();
        for _ in 0..150 {
            n += 1;
            held.push(claim(&store, n).await?);
        }
        let (start, mut done) = (Instant::now(), 0);
        for held in held {
            effect_and_settlement(&mut own, &held)?;
            done += 1;
        }
        joined.note(done, start.elapsed());

        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            n += 1;
            let held = claim(&store, n).await?;
            effect_and_settlement(&mut own, &held)?;
            done += 1;
        }
        threefold.note(done, start.elapsed());
    }
    let both = [&bare, &threaded];
    report("SQLite FULL: bare INSERT", &bare, &both);
    report("SQLite FULL: bare INSERT through the store's thread", &threaded, &both);
    report("SQLite FULL: bare INSERT + UPDATE, two commits", &twice, &both);
    report("SQLite FULL: claim + settle", &whole, &both);
    report("SQLite FULL, 16 tasks: claim + settle", &many, &both);
    report("SQLite FULL: bare INSERT and a second row in one transaction", &second, &both);
    report("SQLite FULL: effect and settlement in one transaction", &joined, &both);
    report("SQLite FULL: claim + effect and settlement together", &threefold, &both);
    Ok(())
}

fn effect_and_settlement(own: &mut Connection, held: &ClaimHandle) -> Result<(), Wrong> {
    let tx = own.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    tx.prepare_cached("INSERT INTO bare (text) VALUES (?1)")?.execute([VALUE])?;
    SqliteStore::settle_in(&tx, held, VALUE)?;
    Ok(tx.commit()?)
}

async fn postgres(server: &str, connections: usize) -> Result<(), Wrong> {
    let store = PostgresOptions::new(server).connections(connections).open().await?;
    let client = store.pool().get().await?;
    client.batch_execute("CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, text text NOT NULL)").await?;
    drop(client);
    let (mut bare, mut twice, mut whole) = (Pace::default(), Pace::default(), Pace::default());
    // Keys of this run alone, should the database be an old one.
    let base = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos() as u64;
    for round in 0..ROUNDS {
        for (pace, what) in [(&mut bare, What::Bare), (&mut twice, What::Twice), (&mut whole, What::Whole)] {
            let start = Instant::now();
            let tasks = (0..connections as u64).map(|task| {
                let store = store.clone();
                let first = base + (u64::from(round) << 40) + (task << 24);
                tokio::spawn(async move { many(&store, first, start, what).await })
            });
            let mut done = 0;
            for task in tasks.collect::<Vec<_>>() {
                done += task.await??;
            }
            pace.note(done, start.elapsed());
        }
    }
    let of = |what: &str| format!("PostgreSQL, {connections} connection(s): {what}");
    report(&of("bare INSERT"), &bare, &[&bare]);
    report(&of("bare INSERT + UPDATE, two commits"), &twice, &[&bare]);
    report(&of("claim + settle"), &whole, &[&bare]);
    Ok(())
}

#[derive(Clone, Copy)]
enum What {
    Bare,
    Twice,
    Whole,
}

async fn many(store: &PostgresStore, first: u64, start: Instant, what: What) -> Result<u64, Wrong> {
    let mut done = 0;
    while start.elapsed() < SLICE {
        if matches!(what, What::Whole) {
            claim_and_settle(store, first + done).await?;
        } else {
            let client = store.pool().get().await?;
            let insert = client.prepare_cached("INSERT INTO bare (text) VALUES ($1) RETURNING id").await?;
            let id: i64 = client.query_one(&insert, &[&VALUE]).await?.get(0);
            if matches!(what, What::Twice) {
                let update = client.prepare_cached("UPDATE bare SET text = $1 WHERE id = $2").await?;
                client.execute(&update, &[&OTHER, &id]).await?;
            }
        }
        done += 1;
    }
    Ok(done)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Wrong> {
    sqlite().await?;
    if let Ok(server) = std::env::var("AGENT_TEST_POSTGRES") {
        let server: Arc<str> = server.into();
        postgres(&server, 1).await?;
        postgres(&server, 16).await?;
    }
    Ok(())
}
