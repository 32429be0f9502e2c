//! Trying again: exponential waits with full jitter, within the deadline.
//!
//! A loop of our own rather than `backon`: what a server asks for, the deadline and the count of
//! attempts would all have to go through its `adjust` hook, which leaves it the doubling alone.

use std::time::Duration;

use agent_core::model::ModelError;
use tokio::time::{Instant, sleep_until};

/// How failures that may pass are tried again.
///
/// ```
/// assert_eq!(agent_http::Retries::default().most, 2);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Retries {
    /// How many requests may follow the first.
    pub most: u32,
    /// The longest first wait; it doubles with every further one.
    pub base: Duration,
    /// The longest wait of our own.
    pub cap: Duration,
    /// The longest wait that a server may ask for; beyond it the error is given to the caller.
    pub asked: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        let second = Duration::from_secs(1);
        Self { most: 2, base: second / 2, cap: 8 * second, asked: 60 * second }
    }
}

/// The attempts of one request.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    retries: &'a Retries,
    deadline: Option<Instant>,
    /// How many requests were sent, the one under way included.
    pub(crate) sent: u32,
}

impl Attempts<'_> {
    /// Waits until the request may be sent again; gives the error back if that is never.
    pub(crate) async fn after(&mut self, error: ModelError) -> Result<(), ModelError> {
        let Some(at) = self.again(&error) else { return Err(error.attempts(self.sent)) };
        tracing::debug!(attempt = self.sent, kind = error.kind().as_str(), "a model call failed and is tried again");
        sleep_until(at).await;
        self.sent += 1;
        Ok(())
    }

    /// When to send again after this failure.
    fn again(&self, error: &ModelError) -> Option<Instant> {
        if self.sent > self.retries.most || !error.is_retryable() {
            return None;
        }
        let wait = match error.get_retry_after() {
            Some(asked) if asked > self.retries.asked => return None,
            Some(asked) => asked,
            None => self.retries.jitter(self.sent),
        };
        let at = Instant::now().checked_add(wait)?;
        self.deadline.is_none_or(|deadline| at < deadline).then_some(at)
    }
}

impl Retries {
    /// The attempts of one request, with the first under way.
    pub(crate) fn begin(&self, deadline: Option<Instant>) -> Attempts<'_> {
        Attempts { retries: self, deadline, sent: 1 }
    }

    /// Anything up to the doubled base, so that clients that failed together do not return together.
    fn jitter(&self, attempt: u32) -> Duration {
        let longest = self.base.saturating_mul(1 << (attempt - 1).min(16)).min(self.cap);
        // Without randomness the whole wait is as good.
        let share = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
        longest.mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use agent_core::model::ModelErrorKind::{Auth, Overloaded};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn overloaded() -> ModelError {
        ModelError::new(Overloaded, "busy")
    }

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_the_cap_and_end() {
        let retries = Retries { most: 6, ..Retries::default() };
        let mut attempts = retries.begin(None);
        for longest in [500, 1000, 2000, 4000, 8000, 8000] {
            let before = Instant::now();
            attempts.after(overloaded()).await.unwrap();
            assert!(before.elapsed() <= Duration::from_millis(longest + 1));
        }
        assert_eq!(attempts.after(overloaded()).await.unwrap_err().get_attempts(), 7);
    }

    #[test]
    fn each_wait_is_anything_up_to_its_longest() {
        let retries = Retries::default();
        for (attempt, longest) in [(1, 500), (2, 1000), (3, 2000), (4, 4000), (5, 8000), (6, 8000), (400, 8000)] {
            let longest = Duration::from_millis(longest);
            // That none of 500 is in the last tenth happens once in 10^22 runs.
            let waits: Vec<_> = (0..500).map(|_| retries.jitter(attempt)).collect();
            let (least, most) = (*waits.iter().min().unwrap(), *waits.iter().max().unwrap());
            assert!(most <= longest && most > longest.mul_f64(0.9), "{attempt}: at most {most:?} of {longest:?}");
            assert!(least < longest.mul_f64(0.1), "{attempt}: at least {least:?} of {longest:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_that_a_server_asks_for_is_kept() {
        let retries = Retries::default();
        let before = Instant::now();
        retries.begin(None).after(overloaded().retry_after(Some(30 * SECOND))).await.unwrap();
        assert!(before.elapsed() >= 30 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let retries = Retries::default();
        let before = Instant::now();
        let mut attempts = retries.begin(Some(before + 5 * SECOND));
        let error = attempts.after(overloaded().retry_after(Some(6 * SECOND))).await.unwrap_err();
        assert_eq!((error.get_attempts(), before.elapsed()), (1, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_of_hours_is_left_to_the_caller() {
        let asked = overloaded().retry_after(Some(3600 * SECOND));
        assert!(Retries::default().begin(None).after(asked).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_that_stays_is_not_tried_again() {
        assert!(Retries::default().begin(None).after(ModelError::new(Auth, "no")).await.is_err());
    }
}
