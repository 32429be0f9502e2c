//! Forgetting what is long over, a page at a time, so that nobody who writes waits long.

use std::time::Duration;

use agent_core::idempotency::StoreError;
use rusqlite::params;

use super::SqliteStore;
use super::clock::wall_micros;
use super::error::failure;

/// As many rows are looked at for one transaction.
const PAGE: u32 = 1000;

/// How the rows of one table are forgotten.
pub(super) struct Pages {
    /// What cannot be done where something fails.
    pub(super) what: &'static str,
    /// The last id of the page behind an id, and how many of its rows are old enough.
    pub(super) page: &'static str,
    /// Forgets those of a page.
    pub(super) forget: &'static str,
}

/// Goes through a tenant's rows once, and says how many are forgotten.
pub(super) async fn forget(
    store: &SqliteStore,
    pages: &'static Pages,
    tenant: &str,
    over_for: Duration,
) -> Result<u64, StoreError> {
    let wrong = |error| failure(pages.what, error);
    let micros = i64::try_from(over_for.as_micros()).unwrap_or(i64::MAX);
    let before = wall_micros().saturating_sub(micros);
    let tenant: std::sync::Arc<str> = tenant.into();
    let (mut after, mut forgotten) = (String::new(), 0);
    loop {
        let (of, from) = (tenant.clone(), after.clone());
        let page = store.read(move |connection| {
            let mut page = connection.prepare_cached(pages.page).map_err(wrong)?;
            page.query_row(params![&*of, from, before, PAGE], |row| Ok((row.get(0)?, row.get(1)?))).map_err(wrong)
        });
        let (last, old): (Option<String>, i64) = page.await?;
        let Some(last) = last else { return Ok(forgotten) };
        if old > 0 {
            let (of, from, to) = (tenant.clone(), std::mem::take(&mut after), last.clone());
            let gone = store.write(move |connection| {
                let mut forget = connection.prepare_cached(pages.forget).map_err(wrong)?;
                forget.execute(params![&*of, from, to, before]).map_err(wrong)
            });
            forgotten += gone.await? as u64;
        }
        after = last;
    }
}
