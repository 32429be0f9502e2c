//! How long what is over is kept.

use std::time::Duration;

use agent_core::idempotency::{ClaimAdmin, StoreError};
use agent_core::run_store::RunStore;

/// How long a store keeps what is over, for a sweep.
///
/// A forgotten call that comes again runs again, and a forgotten run id begins anew: keep both for longer than anything is
/// repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// How long a claim is kept after it was settled.
    pub claims: Duration,
    /// How long a run is kept after it finished.
    pub runs: Duration,
}

impl Retention {
    /// Keeps claims and runs for this long.
    pub fn new(keep: Duration) -> Self {
        Self { claims: keep, runs: keep }
    }

    /// Keeps runs for this long.
    #[must_use]
    pub fn runs(mut self, keep: Duration) -> Self {
        self.runs = keep;
        self
    }
}

/// What a sweep has forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Swept {
    /// Settled claims.
    pub claims: u64,
    /// Finished runs.
    pub runs: u64,
}

/// Every tenant of whom something is stored; the same for both databases. It goes from one to the next by the index.
pub(crate) const TENANTS: &str = "
    WITH RECURSIVE of_claims (tenant) AS (
        SELECT min(tenant) FROM agent_claim
        UNION ALL
        SELECT (SELECT min(c.tenant) FROM agent_claim c WHERE c.tenant > t.tenant) FROM of_claims t
        WHERE t.tenant IS NOT NULL
    ), of_runs (tenant) AS (
        SELECT min(tenant) FROM agent_run
        UNION ALL
        SELECT (SELECT min(r.tenant) FROM agent_run r WHERE r.tenant > t.tenant) FROM of_runs t
        WHERE t.tenant IS NOT NULL
    )
    SELECT tenant FROM of_claims WHERE tenant IS NOT NULL
    UNION
    SELECT tenant FROM of_runs WHERE tenant IS NOT NULL";

pub(crate) async fn sweep<S: ClaimAdmin + RunStore>(
    store: &S,
    tenants: Vec<String>,
    keep: &Retention,
) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    for tenant in &tenants {
        swept.runs += store.forget_runs(tenant, keep.runs).await?;
        swept.claims += store.forget_claims(tenant, keep.claims).await?;
    }
    Ok(swept)
}
