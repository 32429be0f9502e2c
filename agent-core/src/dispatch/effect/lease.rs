//! Keeps a claim while its call lives.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use super::guarded::Guarded;
use crate::idempotency::{Fence, IdempotencyKey};

/// How long a claim holds without being renewed: long enough for two renewals to fail.
pub(super) const LENGTH: Duration = Duration::from_secs(30);

/// Renews the claim for as long as it is polled. It never ends by itself: a call that runs is in
/// flight, however long it takes and whether or not anybody waits for it.
pub(super) async fn keep(store: &Guarded, key: &IdempotencyKey, fence: Fence) -> Infallible {
    loop {
        sleep_until(Instant::now() + LENGTH / 3).await;
        match timeout(LENGTH / 3, store.renew(key, fence, LENGTH)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a claim could not be renewed"),
            Err(_) => tracing::warn!("a claim could not be renewed: the store did not answer"),
        }
    }
}
