//! A run on a file with which something goes wrong in the middle: a clear error, nothing lost, nothing done twice.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};
use agent_core::run::{Run, StepRecord};
use agent_core::run_store::{OpenRun, Opened, RunStore, StoredRun};
use agent_store::{SqliteOptions, SqliteStore};
use rusqlite::Connection;

use crate::Wrong;
use crate::booking::{Books, run};

/// What goes wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Full,
    ReadOnly,
    Damaged,
    Locked,
}

/// A store that goes wrong just before it is asked for something, and stays so.
#[derive(Clone)]
struct Faulty {
    store: SqliteStore,
    path: PathBuf,
    fault: Fault,
    at: &'static str,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    broken: bool,
    /// What was answered, from then on, to what it broke at.
    answers: Vec<String>,
    /// Holds the lock of another process.
    other: Option<Connection>,
}

impl Faulty {
    async fn goes_wrong(&self, asked: &str) {
        if asked != self.at || std::mem::replace(&mut self.seen.lock().unwrap().broken, true) {
            return;
        }
        match self.fault {
            Fault::Full => fill(&self.store).await,
            Fault::ReadOnly => {
                let set = self
                    .store
                    .transaction(|tx| -> Result<(), Wrong> { Ok(tx.pragma_update(None, "query_only", true)?) });
                set.await.unwrap();
            }
            Fault::Damaged => damage(&self.path),
            Fault::Locked => {
                let other = Connection::open(&self.path).unwrap();
                other.execute_batch("BEGIN IMMEDIATE").unwrap();
                self.seen.lock().unwrap().other = Some(other);
            }
        }
    }

    fn note<T>(&self, asked: &str, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        if asked == self.at
            && let Err(error) = &answer
        {
            let name = format!("{error:?}");
            self.seen.lock().unwrap().answers.push(name.split('(').next().unwrap_or_default().to_owned());
        }
        answer
    }
}

/// Takes all the room that there is, and then there is no more.
async fn fill(store: &SqliteStore) {
    let bound = store.transaction(|tx| -> Result<(), Wrong> {
        tx.execute_batch("CREATE TABLE filler (bytes BLOB)")?;
        let pages: i64 = tx.pragma_query_value(None, "page_count", |row| row.get(0))?;
        Ok(tx.pragma_update(None, "max_page_count", pages + 1)?)
    });
    bound.await.unwrap();
    let more = || {
        store.transaction(|tx| -> Result<(), Wrong> {
            tx.execute("INSERT INTO filler (bytes) VALUES (zeroblob(4000))", [])?;
            Ok(())
        })
    };
    while more().await.is_ok() {}
}

/// Writes over the pages of both tables, where another process has just written.
fn damage(path: &Path) {
    let other = Connection::open(path).unwrap();
    let root = |table: &str| -> u64 {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        other.query_row(sql, [table], |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap()
    };
    let roots = ["agent_claim", "agent_run"].map(root);
    other.execute_batch("CREATE TABLE another (id INTEGER); PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    for root in roots {
        file.seek(SeekFrom::Start((root - 1) * 4096)).unwrap();
        file.write_all(&[0xA5; 4096]).unwrap();
    }
}

#[async_trait::async_trait]
impl IdempotencyStore for Faulty {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        self.goes_wrong("claim").await;
        self.note("claim", self.store.claim(request).await)
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.store.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        self.goes_wrong("settle").await;
        self.note("settle", self.store.settle(key, fence, settled).await)
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        self.store.release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.store.mark_unknown(key, fence, cause).await
    }
}

#[async_trait::async_trait]
impl RunStore for Faulty {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        self.store.load(tenant, run_id).await
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        self.goes_wrong("open").await;
        self.note("open", self.store.open(request).await)
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let has_result = run.record().steps.iter().any(|step| matches!(step, StepRecord::Tool(_)));
        let asked = if has_result {
            "save of the result"
        } else if run.record().steps.is_empty() {
            "save"
        } else {
            "save of the reply"
        };
        self.goes_wrong(asked).await;
        self.note(asked, self.store.save(run, fence, lease).await)
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.store.keep(tenant, run_id, fence, lease).await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        self.goes_wrong("finish").await;
        self.note("finish", self.store.finish(run, fence).await)
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        self.store.hand_over(tenant, run_id, fence).await
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        self.store.abandoned_runs(tenant, after, at_most).await
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        self.store.forget_runs(tenant, finished_for).await
    }
}

async fn store(path: &Path) -> SqliteStore {
    SqliteOptions::new(path).busy_timeout(Duration::from_millis(20)).open().await.unwrap()
}

/// Runs with the fault, and again when it is mended, where it can be.
async fn goes_wrong(fault: Fault, at: &'static str) {
    let cell = format!("{fault:?} at {at}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let books = Books::default();
    let faulty = Faulty { store: store(&path).await, path: path.clone(), fault, at, seen: Arc::default() };
    let first = run(faulty.clone(), &books).await;
    let seen = std::mem::take(&mut *faulty.seen.lock().unwrap());
    let expected = match fault {
        Fault::Full => "Full",
        Fault::ReadOnly => "ReadOnly",
        Fault::Damaged => "Damaged",
        Fault::Locked => "Busy",
    };
    assert!(
        !seen.answers.is_empty() && seen.answers.iter().all(|answer| answer == expected),
        "{cell}: {:?}",
        seen.answers
    );
    let before = u32::from(["settle", "save of the result", "finish"].contains(&at));
    assert_eq!(books.booked(), before, "{cell}: {first}");
    let ended = match at {
        "settle" => "outcome_unknown",
        // The answer is there; that it is not recorded costs the next one a look.
        "finish" => "ok",
        // The model is told, and a store of runs that fails as well ends the run.
        _ => "not_saved",
    };
    // A store that is busy is asked again, and the run's time may be over while it is.
    let late = fault == Fault::Locked && ended == "not_saved" && first == "timeout";
    assert!(first == ended || late, "{cell}: {first}");
    // The process ends, and with it what was wrong with it alone; so does the other process.
    drop((faulty, seen));
    if fault == Fault::Damaged {
        if let Ok(store) = SqliteStore::open(&path).await {
            let again = run(store, &books).await;
            assert_eq!((&*again, books.booked()), ("not_saved", before), "{cell}: nothing runs on what is damaged");
        }
        return;
    }
    let again = run(SqliteStore::open(&path).await.unwrap(), &books).await;
    // Done and not recorded: nobody can know, and nobody does it again.
    let expected = if at == "settle" { "outcome_unknown" } else { "ok" };
    assert_eq!((&*again, books.booked()), (expected, 1), "{cell}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_goes_wrong_with_the_file_in_the_middle_of_a_run_nothing_is_done_twice_and_nothing_lost() {
    let mut cells = tokio::task::JoinSet::new();
    for fault in [Fault::Full, Fault::ReadOnly, Fault::Damaged, Fault::Locked] {
        for at in ["open", "save", "save of the reply", "claim", "settle", "save of the result", "finish"] {
            cells.spawn(goes_wrong(fault, at));
        }
    }
    while let Some(cell) = cells.join_next().await {
        cell.unwrap();
    }
}

#[tokio::test]
async fn a_saved_run_that_cannot_be_read_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = store(&path).await;
    let new = crate::run("r");
    let fence = crate::begin(&store, &new).await;
    store.hand_over("t", "r", fence).await.unwrap();
    for (text, expected) in [("{\"version\":", "Damaged"), ("{\"from\":\"another version\"}", "Version")] {
        let changed = store.transaction(move |tx| -> Result<(), Wrong> {
            tx.execute("UPDATE agent_run SET run = ?1", [text])?;
            Ok(())
        });
        changed.await.unwrap();
        let prompt = agent_core::run_store::prompt_digest(&new).unwrap();
        for refused in [
            format!("{:?}", store.load("t", "r").await.unwrap_err()),
            format!("{:?}", store.open(&OpenRun::new(&new, &prompt)).await.unwrap_err()),
        ] {
            assert!(refused.starts_with(expected), "{refused}");
        }
        let kept = Connection::open(&path).unwrap();
        let kept: (String, i64) =
            kept.query_row("SELECT run, fence FROM agent_run", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(kept, (text.to_owned(), i64::try_from(fence.0).unwrap()), "nobody has taken it up");
        assert_eq!(store.abandoned_runs("t", None, 9).await.unwrap(), ["r"]);
    }
}
