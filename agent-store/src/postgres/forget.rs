//! Forgetting what is long over, a page at a time, so that nobody who writes waits long.

use std::time::Duration;

use agent_core::idempotency::StoreError;

use super::PostgresStore;
use super::patience::ask;
use crate::convert::millis;

/// As many rows are looked at for one transaction.
const PAGE: i64 = 1000;

/// One page of a tenant's claims: its last key, and how many of it were forgotten. Those of a run that has not finished
/// are not, since whoever takes it up still needs them.
pub(super) const CLAIMS: &str = "
    WITH page AS (
        SELECT key FROM agent_claim WHERE tenant = $1 AND key > $2 ORDER BY key LIMIT $4
    ), gone AS (
        DELETE FROM agent_claim
        WHERE tenant = $1 AND key > $2 AND key <= (SELECT max(key) FROM page)
            AND state = 1 AND settled_at <= clock_timestamp() - $3::bigint * interval '1 millisecond'
            AND NOT EXISTS (
                SELECT FROM agent_run WHERE tenant = $1 AND run_id = agent_claim.run_id AND finished_at IS NULL
            )
        RETURNING 1
    )
    SELECT (SELECT max(key) FROM page), (SELECT count(*) FROM gone)";

/// One page of a tenant's runs.
pub(super) const RUNS: &str = "
    WITH page AS (
        SELECT run_id FROM agent_run WHERE tenant = $1 AND run_id > $2 ORDER BY run_id LIMIT $4
    ), gone AS (
        DELETE FROM agent_run
        WHERE tenant = $1 AND run_id > $2 AND run_id <= (SELECT max(run_id) FROM page)
            AND finished_at <= clock_timestamp() - $3::bigint * interval '1 millisecond'
        RETURNING 1
    )
    SELECT (SELECT max(run_id) FROM page), (SELECT count(*) FROM gone)";

/// Goes through a tenant's rows once, and says how many are forgotten.
pub(super) async fn forget(
    store: &PostgresStore,
    page: &str,
    tenant: &str,
    over_for: Duration,
) -> Result<u64, StoreError> {
    let (mut after, mut forgotten) = (String::new(), 0);
    loop {
        let row: Result<(Option<String>, i64), StoreError> =
            ask!(&store.pool, "what is over cannot be forgotten", |client| {
                let page = client.prepare_cached(page).await?;
                let row = client.query_one(&page, &[&tenant, &after, &millis(over_for), &PAGE]).await?;
                Ok((row.try_get(0)?, row.try_get(1)?))
            });
        let (last, gone) = row?;
        forgotten += u64::try_from(gone).unwrap_or_default();
        match last {
            Some(last) => after = last,
            None => return Ok(forgotten),
        }
    }
}
