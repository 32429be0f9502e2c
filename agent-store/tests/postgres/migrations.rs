//! Older tables become newer ones; newer ones are left alone.

use std::time::SystemTime;

use agent_core::idempotency::StoreError;
use agent_core::run_store::prompt_digest;
use agent_store::PostgresStore;

use crate::common::migrated::holds_what_was_filled_in;
use crate::place::Place;
use crate::{fresh, key, run};

/// The tables as each version that was released made them, with a settled claim in them.
const RELEASED: &[&str] = &[include_str!("released/1.sql")];

async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn execute(url: &str, sql: &str) {
    connect(url).await.batch_execute(sql).await.unwrap();
}

/// Adds what a store may hold beside a settled claim, one row of each kind.
async fn fill(url: &str) {
    let client = connect(url).await;
    let claim =
        "INSERT INTO agent_claim (tenant, key, digest, state, nonce, lease_until, tool, run_id, call_id, caller,
            settled_at, value, cause)
        VALUES ('t', $1, $2, $3, 1, clock_timestamp(), 'tool', 'r', 'c', 'u', $4, NULL, $5)";
    let now = Some(SystemTime::now());
    let rows = [(3, 0_i16, None, None), (4, 2, None, Some("panic")), (5, 1, now, None)];
    for (n, state, settled_at, cause) in rows {
        let (digest, key) = ([n; 32], key(n));
        client.execute(claim, &[&key.as_str(), &digest.as_slice(), &state, &settled_at, &cause]).await.unwrap();
    }
    let audit = "INSERT INTO agent_claim_audit (tenant, key, fence, tool, run_id, call_id, caller, claimed_at, cause,
            settled, value, who, why)
        VALUES ('t', $1, 1, 'tool', 'r', 'c', 'u', clock_timestamp(), 'panic', $2, $3, 'ada', 'the bank shows it')";
    client.execute(audit, &[&key(6).as_str(), &true, &Some("7")]).await.unwrap();
    client.execute(audit, &[&key(7).as_str(), &false, &None::<&str>]).await.unwrap();
    let kept = "INSERT INTO agent_run (tenant, run_id, caller, prompt, lease_until, run, finished_at)
        VALUES ('t', $1, 'usr-1', $2, clock_timestamp(), $3, $4)";
    for (id, finished_at) in [("cut off", None), ("done", now)] {
        let run = run(id);
        let (prompt, text) = (prompt_digest(&run).unwrap(), serde_json::to_string(&run).unwrap());
        client.execute(kept, &[&id, &prompt.as_bytes().as_slice(), &text, &finished_at]).await.unwrap();
    }
}

/// Columns and indexes, whatever the schema is called.
async fn tables(url: &str) -> Vec<String> {
    let sql = "
        SELECT format('%s.%s %s %s %s %s', table_name, column_name, data_type, collation_name, is_nullable, column_default)
        FROM information_schema.columns WHERE table_schema = current_schema()
        UNION ALL
        SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
        ORDER BY 1";
    connect(url).await.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_store_of_each_released_version_is_brought_up_to_date_with_what_it_holds() {
    let Some(place) = Place::find() else { return };
    let new = place.schema().await;
    PostgresStore::open(&new).await.unwrap();
    for old in RELEASED {
        let url = place.schema().await;
        execute(&url, old).await;
        fill(&url).await;
        let store = PostgresStore::open(&url).await.unwrap();
        holds_what_was_filled_in(&store).await;
        fresh(&store, 2).await;
        assert_eq!(tables(&url).await, tables(&new).await, "an old store ends with the tables of a new one");
    }
    place.leave().await;
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    execute(&url, "CREATE TABLE agent_schema (version integer NOT NULL); INSERT INTO agent_schema VALUES (99)").await;
    let refused = PostgresStore::open(&url).await.unwrap_err();
    assert!(matches!(refused, StoreError::Version(_)), "{refused:?}");
    assert!(refused.to_string().contains("99"), "{refused}");
    place.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_that_open_a_new_database_at_once_make_its_tables_once() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { PostgresStore::open(&url).await })
        })
        .collect();
    for store in opening {
        store.await.unwrap().unwrap();
    }
    place.leave().await;
}
