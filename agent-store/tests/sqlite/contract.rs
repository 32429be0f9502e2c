//! The contracts, by the suites of `agent-core`.

use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::idempotency::{
    Claim, ClaimAdmin, ClaimRequest, IdempotencyStore, Operator, Resolution, Settled, StoreError,
};
use agent_core::model::CallId;
use agent_store::{Retention, SqliteStore};
use rusqlite::params;
use tempfile::TempDir;

use crate::common::retained;
use crate::{Wrong, claim, fresh, key, settle};

/// Folders that live as long as their test.
#[derive(Default)]
struct Folders(std::sync::Mutex<Vec<TempDir>>);

impl Folders {
    async fn store(&self) -> SqliteStore {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
        self.0.lock().unwrap().push(folder);
        store
    }
}

/// Makes all that is stored older, which is the same as a later clock.
async fn advance(store: &SqliteStore, by: Duration) {
    let (millis, micros) = (i64::try_from(by.as_millis()).unwrap(), i64::try_from(by.as_micros()).unwrap());
    let work = store.transaction(move |tx| -> Result<(), Wrong> {
        let claims = "UPDATE agent_claim SET lease_until = lease_until - ?1, settled_at = settled_at - ?2";
        tx.execute(claims, params![millis, micros])?;
        let runs = "UPDATE agent_run SET lease_until = lease_until - ?1, finished_at = finished_at - ?2";
        tx.execute(runs, params![millis, micros])?;
        Ok(())
    });
    work.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_claims() {
    let folders = Folders::default();
    agent_core::testing::claims(async || folders.store().await, advance).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_runs() {
    let folders = Folders::default();
    agent_core::testing::runs(async || folders.store().await, advance).await;
}

#[tokio::test]
async fn what_is_settled_is_still_so_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let done = fresh(&store, 1).await;
    settle(&store, &done, "done").await.unwrap();
    fresh(&store, 2).await;
    drop(store);
    let store = SqliteStore::open(&path).await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    assert!(matches!(claim(&store, 2).await, Ok(Claim::InFlight)), "its lease goes on");
}

#[tokio::test]
async fn a_claim_of_before_the_last_start_of_the_machine_is_unknown_at_once() {
    let folders = Folders::default();
    let store = folders.store().await;
    let held = fresh(&store, 1).await;
    let restart = store.transaction(|tx| -> Result<(), Wrong> {
        tx.execute("UPDATE agent_claim SET boot = 'an earlier one'", [])?;
        Ok(())
    });
    restart.await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Unknown)));
    settle(&store, &held, "late").await.unwrap();
}

#[tokio::test]
async fn a_replay_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let done = fresh(&store, 1).await;
    settle(&store, &done, "done").await.unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    let version = || other.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0)).unwrap();
    let before = version();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    assert_eq!(version(), before, "nothing was committed");
    // Nor does it wait for whoever writes.
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
}

#[tokio::test]
async fn fences_count_up_by_one_and_come_from_no_clock() {
    let folders = Folders::default();
    let store = folders.store().await;
    let first = fresh(&store, 1).await.fence().0;
    for n in 2..=5 {
        let next = fresh(&store, n).await;
        assert_eq!(next.fence().0, first + u64::from(n) - 1);
    }
    let of_a_run = crate::begin(&store, &crate::run("r")).await;
    assert_eq!(of_a_run.0, first + 5);
}

#[tokio::test]
async fn whoever_writes_waits_for_the_disk() {
    let folders = Folders::default();
    let store = folders.store().await;
    let set = store.transaction(|tx| -> Result<(i64, String), Wrong> {
        let read = |name| tx.pragma_query_value(None, name, |row| row.get(0));
        Ok((read("synchronous")?, tx.pragma_query_value(None, "journal_mode", |row| row.get(0))?))
    });
    // 2: FULL.
    assert_eq!(set.await.unwrap(), (2, "wal".to_owned()));
}

#[tokio::test]
async fn the_claims_of_a_run_are_kept_until_it_has_finished() {
    let folders = Folders::default();
    let store = folders.store().await;
    retained::claims_of_a_run(&store, async |keep| store.sweep(keep).await).await;
}

#[tokio::test]
async fn a_resolution_that_cannot_be_written_down_is_none() {
    let folders = Folders::default();
    let store = folders.store().await;
    let held = fresh(&store, 1).await;
    store.mark_unknown(held.key(), held.fence(), "panic").await.unwrap();
    let breaks = store.transaction(|tx| -> Result<(), Wrong> {
        Ok(tx.execute_batch(
            "CREATE TRIGGER breaks BEFORE INSERT ON agent_claim_audit BEGIN SELECT RAISE(FAIL, 'no ink'); END",
        )?)
    });
    breaks.await.unwrap();
    let operator = Operator::new("ada", "the bank shows it").unwrap();
    for how in [Resolution::Release, Resolution::Settle(Settled::Unreadable)] {
        store.resolve(&held, &how, &operator).await.unwrap_err();
        assert!(matches!(claim(&store, 1).await, Ok(Claim::Unknown)), "{how:?}");
    }
    assert!(store.audits("t", 9).await.unwrap().is_empty());
    settle(&store, &held, "late").await.expect("it is still its owner's");
}

#[tokio::test]
async fn a_sweep_goes_through_all_tenants_page_by_page() {
    let folders = Folders::default();
    let store = folders.store().await;
    let fill = store.transaction(|tx| -> Result<(), Wrong> {
        tx.execute_batch(
            "WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 2500)
            INSERT INTO agent_claim (tenant, key, digest, fence, state, boot, lease_until, tool, run_id, call_id, caller,
                claimed_at, settled_at, value)
            SELECT tenant, printf('%08d', n), x'01', n, CASE WHEN n % 5 = 0 THEN n % 3 ELSE 1 END, 'b', 0, 't', 'r', 'c',
                'u', 1, 1, '1'
            FROM n, (SELECT '' AS tenant UNION SELECT 'a' UNION SELECT 'b');
            WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
            INSERT INTO agent_run (tenant, run_id, caller, prompt, fence, boot, lease_until, run, begun_at, finished_at)
            SELECT 'c', printf('%08d', n), 'u', x'01', n, 'b', 0, '{}', 1, CASE WHEN n % 2 = 0 THEN 1 END FROM n;",
        )?;
        Ok(())
    });
    fill.await.unwrap();
    let young = fresh(&store, 1).await;
    settle(&store, &young, "young").await.unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    let swept = store.sweep(&Retention::new(day)).await.unwrap();
    // Of each five claims four are settled, and a third of the rest.
    assert_eq!((swept.claims, swept.runs), (3 * (2000 + 167), 600));
    assert_eq!(store.sweep(&Retention::new(day)).await.unwrap(), Default::default());
    let left = store.transaction(|tx| -> Result<(i64, i64), Wrong> {
        Ok((
            tx.query_row("SELECT count(*) FROM agent_claim WHERE state <> 1", [], |row| row.get(0))?,
            tx.query_row("SELECT count(*) FROM agent_run WHERE finished_at IS NULL", [], |row| row.get(0))?,
        ))
    });
    assert_eq!(left.await.unwrap(), (3 * 333, 600), "nothing that runs or is unknown is forgotten");
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))), "nor what is young");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_together_each_have_an_answer_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let (held, lost) = (fresh(&store, 1).await, fresh(&store, 2).await);
    store.release(lost.key(), lost.fence()).await.unwrap();
    // Nobody can write, so that all of them wait for the first.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ask = |n: u8| {
        let store = store.clone();
        tokio::spawn(async move { claim(&store, n).await.unwrap() })
    };
    let claims: Vec<_> = (10..40).chain(10..40).map(ask).collect();
    let (settling, refused) = (store.clone(), store.clone());
    let settling = tokio::spawn(async move { settle(&settling, &held, "done").await });
    let refused = tokio::spawn(async move { settle(&refused, &lost, "late").await });
    other.execute_batch("ROLLBACK").unwrap();
    let (mut fresh, mut in_flight) = (0, 0);
    for claim in claims {
        match claim.await.unwrap() {
            Claim::Fresh(_) => fresh += 1,
            Claim::InFlight => in_flight += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((fresh, in_flight), (30, 30));
    settling.await.unwrap().unwrap();
    assert!(matches!(refused.await.unwrap(), Err(StoreError::LostFence)));
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_fills_the_disk_takes_no_other_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let held = fresh(&store, 1).await;
    let room = store.transaction(|tx| -> Result<(), Wrong> {
        let now: i64 = tx.pragma_query_value(None, "page_count", |row| row.get(0))?;
        Ok(tx.pragma_update(None, "max_page_count", now + 8)?)
    });
    room.await.unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ask = |n: u8| {
        let store = store.clone();
        tokio::spawn(async move { claim(&store, n).await })
    };
    let before: Vec<_> = (10..15).map(ask).collect();
    let full = store.clone();
    let full = tokio::spawn(async move { settle(&full, &held, &"x".repeat(500_000)).await });
    let after: Vec<_> = (20..25).map(ask).collect();
    other.execute_batch("ROLLBACK").unwrap();
    for claim in before.into_iter().chain(after) {
        let answer = claim.await.unwrap();
        assert!(matches!(answer, Ok(Claim::Fresh(_))), "{answer:?}");
    }
    assert!(matches!(full.await.unwrap(), Err(StoreError::Full(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_claim_by_two_handles_on_one_file_one_is_fresh() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    // As two processes would: each has connections of its own.
    let stores = [SqliteStore::open(&path).await.unwrap(), SqliteStore::open(&path).await.unwrap()];
    for n in 1..=20 {
        let asked: Vec<_> = (0..8)
            .map(|task| {
                let store = stores[task % 2].clone();
                tokio::spawn(async move { claim(&store, n).await.unwrap() })
            })
            .collect();
        let mut fresh = 0;
        for claim in asked {
            match claim.await.unwrap() {
                Claim::Fresh(_) => fresh += 1,
                other => assert!(matches!(other, Claim::InFlight), "{other:?}"),
            }
        }
        assert_eq!(fresh, 1, "key {n}");
    }
}

#[tokio::test]
async fn fences_rise_over_two_handles_on_one_file_that_claim_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let stores = [SqliteStore::open(&path).await.unwrap(), SqliteStore::open(&path).await.unwrap()];
    let mut last = None;
    // Runs of different lengths, so that each finds what it has set aside both whole and overtaken.
    for turn in 0..24_usize {
        for _ in 0..=turn % 4 {
            let held = fresh(&stores[turn % 2], 1).await;
            assert!(last < Some(held.fence()), "{held:?} after {last:?}");
            last = Some(held.fence());
            stores[turn % 2].release(held.key(), held.fence()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn fences_that_a_change_set_aside_and_that_was_undone_are_not_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let (store, other) = (SqliteStore::open(&path).await.unwrap(), SqliteStore::open(&path).await.unwrap());
    let room = |pages: i64| {
        store.transaction(move |tx| -> Result<(), Wrong> {
            let now: i64 = tx.pragma_query_value(None, "page_count", |row| row.get(0))?;
            Ok(tx.pragma_update(None, "max_page_count", now + pages)?)
        })
    };
    room(8).await.unwrap();
    // It takes a fence, and then there is no room for the rest of it.
    let (key, digest, id, user) = (key(1), Digest::from_bytes([1; 32]), CallId::new("c"), "u".repeat(500_000));
    let mut long = ClaimRequest::new(&key, &digest, &id);
    long.user = &user;
    let full = store.claim(&long).await.unwrap_err();
    assert!(matches!(full, StoreError::Full(_)), "{full:?}");
    room(1000).await.unwrap();
    let theirs = fresh(&other, 2).await;
    let ours = fresh(&store, 3).await;
    assert!(ours.fence() > theirs.fence(), "{ours:?} and {theirs:?}");
}
