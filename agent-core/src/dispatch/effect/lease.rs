//! Keeps a claim while its call runs.

use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::dispatch::toolbox::after;
use crate::idempotency::{Fence, IdempotencyKey, IdempotencyStore};

/// How long a claim holds without being renewed: long enough for two renewals to fail.
pub(super) const LENGTH: Duration = Duration::from_secs(30);

/// Waits for the call, renewing its claim, until `grace` after `left` is cancelled.
///
/// The call is waited for in any case; a claim that is no longer renewed becomes unknown, and a late
/// end still settles it.
pub(super) async fn keep<T>(
    store: &dyn IdempotencyStore,
    key: &IdempotencyKey,
    fence: Fence,
    grace: Duration,
    left: &CancellationToken,
    mut task: JoinHandle<T>,
) -> Result<T, JoinError> {
    let mut renew_at = Instant::now() + LENGTH / 3;
    let mut keep_until: Option<Instant> = None;
    loop {
        tokio::select! {
            biased;
            joined = &mut task => return joined,
            () = left.cancelled(), if keep_until.is_none() => keep_until = Some(after(Instant::now(), grace)),
            () = sleep_until(renew_at) => {
                renew_at = Instant::now() + LENGTH / 3;
                if keep_until.is_some_and(|end| end <= Instant::now()) {
                    return task.await;
                }
                // The store's answer is waited for beside the call, which may end first.
                let renewal = store.renew(key, fence, LENGTH);
                tokio::select! {
                    biased;
                    joined = &mut task => return joined,
                    renewed = renewal => if let Err(error) = renewed {
                        tracing::warn!(%error, "a claim could not be renewed");
                    },
                }
            }
        }
    }
}
