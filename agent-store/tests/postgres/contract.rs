//! The contracts, by the suites of `agent-core`.

use std::time::Duration;

use agent_core::idempotency::{Claim, ClaimAdmin, IdempotencyStore, Operator, Resolution, Settled};
use agent_core::run_store::RunStore;
use agent_store::{PostgresStore, Retention};

use crate::common::retained;
use crate::place::Place;
use crate::{claim, fresh, settle};

/// Makes all that is stored older, which is the same as a later clock of the server.
async fn advance(store: &PostgresStore, by: Duration) {
    let millis = by.as_millis();
    let sql = format!(
        "UPDATE agent_claim SET lease_until = lease_until - interval '{millis} ms',
            settled_at = settled_at - interval '{millis} ms';
        UPDATE agent_run SET lease_until = lease_until - interval '{millis} ms',
            finished_at = finished_at - interval '{millis} ms'"
    );
    store.pool().get().await.unwrap().batch_execute(&sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_claims() {
    let Some(place) = Place::find() else { return };
    agent_core::testing::claims(async || place.store().await, advance).await;
    place.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_runs() {
    let Some(place) = Place::find() else { return };
    agent_core::testing::runs(async || place.store().await, advance).await;
    place.leave().await;
}

#[tokio::test]
async fn a_replay_writes_nothing() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let done = fresh(&store, 1).await;
    settle(&store, &done, "done").await.unwrap();
    let before = traces(&store).await;
    for _ in 0..3 {
        assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    }
    assert_eq!(traces(&store).await, before);
    place.leave().await;
}

/// What any write would have changed: the last fence, and which transactions made and locked the row.
async fn traces(store: &PostgresStore) -> (i64, String, String) {
    let client = store.pool().get().await.unwrap();
    let sql = "SELECT last_value, agent_claim.xmin::text, agent_claim.xmax::text FROM agent_fence, agent_claim";
    let row = client.query_one(sql, &[]).await.unwrap();
    (row.get(0), row.get(1), row.get(2))
}

#[tokio::test]
async fn a_store_that_cannot_be_durable_is_made_so() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await.replace("options=", "options=-csynchronous_commit%3Doff%20");
    let store = PostgresStore::open(&url).await.unwrap();
    let client = store.pool().get().await.unwrap();
    let setting: String = client.query_one("SHOW synchronous_commit", &[]).await.unwrap().get(0);
    assert_eq!(setting, "on");
    drop(client);
    let held = fresh(&store, 1).await;
    store.release(held.key(), held.fence()).await.unwrap();
    place.leave().await;
}

#[tokio::test]
async fn a_pool_that_is_not_durable_is_refused() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await.replace("options=", "options=-csynchronous_commit%3Doff%20");
    let manager = deadpool_postgres::Manager::new(url.parse().unwrap(), tokio_postgres::NoTls);
    let pool = deadpool_postgres::Pool::builder(manager).build().unwrap();
    let refused = PostgresStore::from_pool(pool).await.unwrap_err();
    assert!(refused.to_string().contains("synchronous_commit"), "{refused}");
    place.leave().await;
}

#[tokio::test]
async fn a_client_whose_machine_is_gone_is_noticed_within_minutes() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let client = store.pool().get().await.unwrap();
    let shown = async |name: &str| -> String { client.query_one(&format!("SHOW {name}"), &[]).await.unwrap().get(0) };
    assert_eq!(shown("tcp_keepalives_idle").await, "30");
    assert_eq!(shown("tcp_keepalives_interval").await, "10");
    drop(client);
    // What somebody has set stays.
    let url = place.schema().await.replace("options=", "options=-ctcp_keepalives_idle%3D77%20");
    let own = PostgresStore::open(&url).await.unwrap();
    let client = own.pool().get().await.unwrap();
    let idle: String = client.query_one("SHOW tcp_keepalives_idle", &[]).await.unwrap().get(0);
    assert_eq!(idle, "77");
    drop(client);
    place.leave().await;
}

#[tokio::test]
async fn a_server_whose_clock_is_set_back_ends_no_lease_and_gives_no_fence_twice() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let (running, done) = (fresh(&store, 1).await, fresh(&store, 2).await);
    settle(&store, &done, "done").await.unwrap();
    let unfinished = crate::run("r");
    let owner = crate::begin(&store, &unfinished).await;
    // All of it was written when the clock was an hour ahead, which is the same as one that was set back since.
    let ahead = "UPDATE agent_claim SET lease_until = lease_until + interval '1 hour',
            claimed_at = claimed_at + interval '1 hour', settled_at = settled_at + interval '1 hour';
        UPDATE agent_run SET lease_until = lease_until + interval '1 hour', begun_at = begun_at + interval '1 hour'";
    store.pool().get().await.unwrap().batch_execute(ahead).await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)));
    assert!(matches!(claim(&store, 2).await, Ok(Claim::Settled(_))));
    advance(&store, Duration::from_secs(60)).await;
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)), "what a dead process left waits for the jump");
    assert_eq!(fresh(&store, 3).await.fence().0, owner.0 + 1, "fences come from no clock");
    store.renew(running.key(), running.fence(), Duration::from_secs(30)).await.unwrap();
    advance(&store, Duration::from_secs(31)).await;
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Unknown)), "a renewal is of the clock as it is now");
    settle(&store, &running, "done").await.unwrap();
    store.finish(&unfinished, owner).await.unwrap();
    place.leave().await;
}

#[tokio::test]
async fn the_claims_of_a_run_are_kept_until_it_has_finished() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    retained::claims_of_a_run(&store, async |keep| store.sweep(keep).await).await;
    place.leave().await;
}

#[tokio::test]
async fn a_resolution_that_cannot_be_written_down_is_none() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let held = fresh(&store, 1).await;
    store.mark_unknown(held.key(), held.fence(), "panic").await.unwrap();
    crate::faulty_runs::break_table(&store, "agent_claim_audit", "INSERT", "true", "P0001").await;
    let operator = Operator::new("ada", "the bank shows it").unwrap();
    for how in [Resolution::Release, Resolution::Settle(Settled::Unreadable)] {
        store.resolve(&held, &how, &operator).await.unwrap_err();
        assert!(matches!(claim(&store, 1).await, Ok(Claim::Unknown)), "{how:?}");
    }
    assert!(store.audits("t", 9).await.unwrap().is_empty());
    settle(&store, &held, "late").await.expect("it is still its owner's");
    place.leave().await;
}

#[tokio::test]
async fn a_sweep_goes_through_all_tenants_page_by_page() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let fill = "
        INSERT INTO agent_claim (tenant, key, digest, state, nonce, lease_until, tool, run_id, call_id, caller, settled_at)
        SELECT tenant, lpad(n::text, 8, '0'), 'x', CASE WHEN n % 5 = 0 THEN n % 3 ELSE 1 END, n, 'epoch', 't', 'r', 'c',
            'u', 'epoch'
        FROM generate_series(1, 2500) n, (VALUES (''), ('a'), ('b')) t (tenant);
        INSERT INTO agent_run (tenant, run_id, caller, prompt, lease_until, run, finished_at)
        SELECT 'c', lpad(n::text, 8, '0'), 'u', 'x', 'epoch', '{}', CASE WHEN n % 2 = 0 THEN 'epoch'::timestamptz END
        FROM generate_series(1, 1200) n";
    store.pool().get().await.unwrap().batch_execute(fill).await.unwrap();
    let young = fresh(&store, 1).await;
    settle(&store, &young, "young").await.unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    let swept = store.sweep(&Retention::new(day)).await.unwrap();
    // Of each five claims four are settled, and a third of the rest.
    assert_eq!((swept.claims, swept.runs), (3 * (2000 + 167), 600));
    assert_eq!(store.sweep(&Retention::new(day)).await.unwrap(), Default::default());
    let left = "SELECT (SELECT count(*) FROM agent_claim WHERE state <> 1),
        (SELECT count(*) FROM agent_run WHERE finished_at IS NULL)";
    let left = store.pool().get().await.unwrap().query_one(left, &[]).await.unwrap();
    let left: (i64, i64) = (left.get(0), left.get(1));
    assert_eq!(left, (3 * 333, 600), "nothing that runs or is unknown is forgotten");
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))), "nor what is young");
    place.leave().await;
}
