//! A run on a server on which something goes wrong in the middle: a clear error, nothing lost, nothing done twice.

use agent_core::idempotency::StoreError;
use agent_core::run_store::{OpenRun, RunStore, prompt_digest};
use agent_store::PostgresStore;

use crate::booking::{Books, run};
use crate::place::Place;
use crate::{claim, fresh, settle};

/// What goes wrong: its code, and what the store makes of it.
const FAULTS: [(&str, &str); 4] = [("53100", "Full"), ("25006", "ReadOnly"), ("XX001", "Damaged"), ("55P03", "Busy")];

/// From now on, a change of the table that fits the condition fails with the code.
pub(crate) async fn break_table(store: &PostgresStore, table: &str, change: &str, when: &str, code: &str) {
    let sql = format!(
        "CREATE OR REPLACE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '{code}'; END $$;
        CREATE TRIGGER breaks BEFORE {change} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION breaks()"
    );
    store.pool().get().await.unwrap().batch_execute(&sql).await.unwrap();
}

async fn mend(store: &PostgresStore, table: &str) {
    store.pool().get().await.unwrap().batch_execute(&format!("DROP TRIGGER breaks ON {table}")).await.unwrap();
}

fn name(error: &StoreError) -> String {
    format!("{error:?}").split('(').next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_goes_wrong_on_the_server_has_the_name_of_what_can_be_done_about_it() {
    let Some(place) = Place::find() else { return };
    for (code, expected) in FAULTS {
        let store = place.store().await;
        let held = fresh(&store, 1).await;
        let new = crate::run("r");
        let owner = crate::begin(&store, &new).await;
        break_table(&store, "agent_claim", "INSERT OR UPDATE", "true", code).await;
        break_table(&store, "agent_run", "INSERT OR UPDATE", "true", code).await;
        let other = crate::run("another");
        let (other, prompt) = (&other, prompt_digest(&other).unwrap());
        for (asked, answer) in [
            ("claim", claim(&store, 2).await.map(drop)),
            ("settle", settle(&store, &held, "done").await),
            ("open", store.open(&OpenRun::new(other, &prompt)).await.map(drop)),
            ("save", store.save(&new, owner, std::time::Duration::from_secs(30)).await),
            ("finish", store.finish(&new, owner).await),
        ] {
            assert_eq!(name(&answer.unwrap_err()), expected, "{asked} with {code}");
        }
        mend(&store, "agent_claim").await;
        mend(&store, "agent_run").await;
        settle(&store, &held, "done").await.unwrap();
        fresh(&store, 2).await;
        store.finish(&new, owner).await.unwrap();
    }
    place.leave().await;
}

/// Runs with the fault, and again when it is mended.
async fn goes_wrong(store: PostgresStore, code: &str, at: &str) {
    let cell = format!("{code} at {at}");
    let (table, change, when) = match at {
        "open" => ("agent_run", "INSERT", "true"),
        "save" => ("agent_run", "UPDATE", "NEW.finished_at IS NULL"),
        "save of the reply" => ("agent_run", "UPDATE", "NEW.finished_at IS NULL AND NEW.run LIKE '%\"book\"%'"),
        "claim" => ("agent_claim", "INSERT", "true"),
        "settle" => ("agent_claim", "UPDATE", "NEW.state = 1"),
        "save of the result" => ("agent_run", "UPDATE", "NEW.finished_at IS NULL AND NEW.run LIKE '%booked booked%'"),
        _ => ("agent_run", "UPDATE", "NEW.finished_at IS NOT NULL"),
    };
    break_table(&store, table, change, when, code).await;
    let books = Books::default();
    let first = run(store.clone(), &books).await;
    let before = u32::from(["settle", "save of the result", "finish"].contains(&at));
    assert_eq!(books.booked(), before, "{cell}: {first}");
    let ended = match at {
        "claim" => "STORE_UNAVAILABLE",
        "settle" => "outcome_unknown",
        // The answer is there; that it is not recorded costs the next one a look.
        "finish" => "ok",
        _ => "not_saved",
    };
    assert_eq!(first, ended, "{cell}");
    mend(&store, table).await;
    let again = run(store, &books).await;
    let (expected, effects) = match at {
        // The run has ended, and says that it was not done.
        "claim" => ("STORE_UNAVAILABLE", 0),
        // Done and not recorded: nobody can know, and nobody does it again.
        "settle" => ("outcome_unknown", 1),
        _ => ("ok", 1),
    };
    assert_eq!((&*again, books.booked()), (expected, effects), "{cell}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_goes_wrong_on_the_server_in_the_middle_of_a_run_nothing_is_done_twice_and_nothing_lost() {
    let Some(place) = Place::find() else { return };
    for (code, _) in FAULTS {
        let mut cells = tokio::task::JoinSet::new();
        for at in ["open", "save", "save of the reply", "claim", "settle", "save of the result", "finish"] {
            let store = place.store().await;
            cells.spawn(async move { goes_wrong(store, code, at).await });
        }
        while let Some(cell) = cells.join_next().await {
            cell.unwrap();
        }
    }
    place.leave().await;
}

#[tokio::test]
async fn a_saved_run_that_cannot_be_read_stays_where_it_is() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let new = crate::run("r");
    let fence = crate::begin(&store, &new).await;
    store.hand_over("t", "r", fence).await.unwrap();
    for (text, expected) in [("{\"version\":", "Damaged"), ("{\"from\":\"another version\"}", "Version")] {
        let client = store.pool().get().await.unwrap();
        client.execute("UPDATE agent_run SET run = $1", &[&text]).await.unwrap();
        let prompt = prompt_digest(&new).unwrap();
        for refused in [
            store.load("t", "r").await.map(drop).unwrap_err(),
            store.open(&OpenRun::new(&new, &prompt)).await.map(drop).unwrap_err(),
        ] {
            assert_eq!(name(&refused), expected, "{refused:?}");
        }
        let row = client.query_one("SELECT run, fence FROM agent_run", &[]).await.unwrap();
        let kept: (String, i64) = (row.get(0), row.get(1));
        assert_eq!(kept, (text.to_owned(), i64::try_from(fence.0).unwrap()), "nobody has taken it up");
        assert_eq!(store.abandoned_runs("t", None, 9).await.unwrap(), ["r"]);
    }
    place.leave().await;
}
