//! What is kept however old it is.

use std::time::Duration;

use agent_core::idempotency::{Claim, ClaimAdmin, IdempotencyStore, StoreError};
use agent_core::run_store::RunStore;
use agent_store::{Retention, Swept};

use super::{begin, claim, fresh_of, run, settle};

/// Claims of a run are kept until it has finished; `sweep` is the store's own.
pub(crate) async fn claims_of_a_run<S>(store: &S, sweep: impl AsyncFn(&Retention) -> Result<Swept, StoreError>)
where
    S: IdempotencyStore + ClaimAdmin + RunStore,
{
    let unfinished = run("r");
    let owner = begin(store, &unfinished).await;
    let of_the_run = fresh_of(store, "r", 1).await;
    let of_none = fresh_of(store, "elsewhere", 2).await;
    for held in [&of_the_run, &of_none] {
        settle(store, held, "done").await.unwrap();
    }
    assert_eq!(store.forget_claims("t", Duration::ZERO).await.unwrap(), 1);
    let all = Retention::new(Duration::ZERO);
    assert_eq!(sweep(&all).await.unwrap(), Default::default());
    assert!(matches!(claim(store, 1).await, Ok(Claim::Settled(_))), "whoever takes the run up needs it");
    store.finish(&unfinished, owner).await.unwrap();
    let swept = sweep(&all).await.unwrap();
    assert_eq!((swept.claims, swept.runs), (1, 1));
}
