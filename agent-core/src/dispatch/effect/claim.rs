//! One effect from claim to settlement, on its own task.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::task::JoinError;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::lease;
use super::phase::Phase;
use crate::arguments::Digest;
use crate::dispatch::read::pause;
use crate::dispatch::running::Guard;
use crate::dispatch::toolbox::{Question, Repeat, after};
use crate::idempotency::{
    Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError,
};
use crate::tool::{BusinessError, CallContext, Outcome, Prepared};

/// How a claim ended.
pub(super) enum Ended {
    Value { data: Box<RawValue>, attempts: u32 },
    Unreadable { attempts: u32 },
    Replayed(Option<Box<RawValue>>),
    Business { error: BusinessError, attempts: u32 },
    NotDone { attempts: u32 },
    Unknown(&'static str),
    InFlight,
    Conflict,
    StoreUnavailable,
    Cancelled,
}

impl Ended {
    fn replayed(settled: Settled) -> Self {
        match settled {
            Settled::Value(data) => Self::Replayed(Some(data)),
            Settled::Unreadable => Self::Replayed(None),
        }
    }
}

/// Everything that one effect needs, owned, since nobody may be waiting when it ends.
pub(super) struct Supervisor<S> {
    pub(super) store: Arc<dyn IdempotencyStore>,
    pub(super) key: IdempotencyKey,
    pub(super) digest: Digest,
    pub(super) tool: &'static str,
    pub(super) keyed: bool,
    pub(super) state: Arc<S>,
    pub(super) repeat: Option<Repeat<S>>,
    pub(super) question: Option<Question<S>>,
    pub(super) context: CallContext,
    pub(super) phase: Arc<Phase>,
    pub(super) cancel: CancellationToken,
    pub(super) until: Instant,
    pub(super) grace: Duration,
    pub(super) running: Guard,
}

/// The claim's answer, as far as it decides what to do.
enum Claimed {
    Fresh(Fence),
    /// Ours, after an earlier call of which nobody knows whether it took effect.
    Doubtful(Fence),
    Ended(Ended),
}

impl<S: Send + Sync + 'static> Supervisor<S> {
    pub(super) async fn supervise(self, prepared: Prepared<S>) -> Ended {
        let (fence, doubtful) = match self.claim().await {
            Claimed::Fresh(fence) => (fence, false),
            Claimed::Doubtful(fence) => (fence, true),
            Claimed::Ended(ended) => return ended,
        };
        if !self.phase.start() {
            if doubtful {
                self.unknown(fence, "an earlier call").await;
            } else {
                // Nothing has happened; whoever asks next may have the key.
                self.give_up(fence).await;
            }
            return Ended::Cancelled;
        }
        if doubtful && let Some(ended) = self.reconcile(fence).await {
            return ended;
        }
        let mut attempts = 1;
        let mut outcome = self.run(fence, prepared, attempts).await;
        while let Some(again) = self.again(&outcome, attempts) {
            pause(retry_wait(attempts), self.until).await;
            attempts += 1;
            outcome = self.run(fence, again, attempts).await;
        }
        let ended = self.settle(fence, outcome, attempts).await;
        drop(self.running);
        ended
    }

    fn request(&self, repeat_unknown: bool) -> ClaimRequest<'_> {
        let mut request = ClaimRequest::new(&self.key, &self.digest, self.context.call_id());
        request.tool = self.tool;
        request.run_id = self.context.run_id();
        request.user = self.context.caller().user();
        request.lease = lease::LENGTH;
        request.repeat_unknown = repeat_unknown;
        request
    }

    /// Asks for the claim, and again while the same call is running elsewhere.
    async fn claim(&self) -> Claimed {
        let mut wait = Duration::from_millis(20);
        let mut doubtful = false;
        loop {
            let request = self.request(self.keyed || doubtful);
            // Waited for beyond the call's own time, since a claim that is cut off may have been made.
            let answer = timeout_at(after(self.until, self.grace), self.store.claim(&request)).await;
            return Claimed::Ended(match answer {
                Ok(Ok(Claim::Fresh(fence))) if doubtful => return Claimed::Doubtful(fence),
                Ok(Ok(Claim::Fresh(fence))) => return Claimed::Fresh(fence),
                Ok(Ok(Claim::Settled(settled))) => Ended::replayed(settled),
                Ok(Ok(Claim::Conflict)) => Ended::Conflict,
                Ok(Ok(Claim::Unknown)) if self.question.is_some() && !doubtful => {
                    // Claimed anew, so that only one asks whether it happened.
                    doubtful = true;
                    continue;
                }
                Ok(Ok(Claim::Unknown)) => Ended::Unknown("an earlier call"),
                Ok(Ok(Claim::InFlight)) => {
                    self.phase.wait();
                    if self.phase.is_abandoned() || Instant::now() >= self.until {
                        Ended::InFlight
                    } else {
                        pause(wait, self.until).await;
                        wait = (wait * 2).min(Duration::from_millis(500));
                        continue;
                    }
                }
                Ok(Err(error)) => {
                    tracing::error!(tool = self.tool, call = %self.context.call_id(), %error, "claim failed");
                    Ended::StoreUnavailable
                }
                Err(_) => {
                    tracing::error!(tool = self.tool, call = %self.context.call_id(), "the store did not answer");
                    Ended::StoreUnavailable
                }
            });
        }
    }

    /// Asks the tool whether the earlier call happened. None: it did not, so it may run now.
    async fn reconcile(&self, fence: Fence) -> Option<Ended> {
        let Some(asking) = self.question.as_ref().and_then(Question::ask) else {
            return Some(self.unknown(fence, "reconcile").await);
        };
        let task = tokio::spawn(asking(self.state.clone(), self.context.clone()));
        let asked = lease::keep(&*self.store, &self.key, fence, self.grace, &self.cancel, task).await;
        match asked {
            Ok(None) => None,
            Ok(Some(Outcome::Failed(error))) => {
                tracing::error!(tool = self.tool, ?error, "whether an earlier call happened could not be found out");
                Some(self.unknown(fence, "reconcile").await)
            }
            Ok(Some(happened)) => Some(match self.settle(fence, Ok(happened), 0).await {
                Ended::Value { data, .. } => Ended::Replayed(Some(data)),
                Ended::Unreadable { .. } => Ended::Replayed(None),
                other => other,
            }),
            Err(error) => {
                tracing::error!(tool = self.tool, %error, "whether an earlier call happened could not be found out");
                Some(self.unknown(fence, "reconcile").await)
            }
        }
    }

    /// Runs the function on a task of its own, so that one that blocks its thread does not keep the claim from being renewed.
    async fn run(&self, fence: Fence, prepared: Prepared<S>, attempt: u32) -> Result<Outcome, JoinError> {
        let context = self.context.with_attempt(attempt).with_claim(ClaimHandle::new(self.key.clone(), fence));
        let task = tokio::spawn(prepared(self.state.clone(), context));
        lease::keep(&*self.store, &self.key, fence, self.grace, &self.cancel, task).await
    }

    /// The call once more, where its outcome and its tool allow that.
    fn again(&self, outcome: &Result<Outcome, JoinError>, attempts: u32) -> Option<Prepared<S>> {
        let repeat = self.repeat.as_ref()?;
        let Ok(Outcome::Failed(error)) = outcome else { return None };
        let time_left = Instant::now() + retry_wait(attempts) < self.until;
        (error.is_transient() && time_left && !self.cancel.is_cancelled()).then(|| repeat.again(attempts)).flatten()
    }

    async fn settle(&self, fence: Fence, outcome: Result<Outcome, JoinError>, attempts: u32) -> Ended {
        let (settled, ended) = match outcome {
            Ok(Outcome::Value(data)) => (Settled::Value(data.clone()), Ended::Value { data, attempts }),
            Ok(Outcome::Unreadable(error)) => {
                tracing::error!(tool = self.tool, %error, "the result of a call that is done cannot be written as JSON");
                (Settled::Unreadable, Ended::Unreadable { attempts })
            }
            Ok(Outcome::Failed(error)) => {
                return match error.into_parts() {
                    Ok(error) => {
                        self.give_up(fence).await;
                        Ended::Business { error, attempts }
                    }
                    Err(fatal) if fatal.not_done => {
                        tracing::error!(tool = self.tool, error = %fatal.source, "the tool failed; nothing was done");
                        self.give_up(fence).await;
                        Ended::NotDone { attempts }
                    }
                    Err(fatal) => {
                        tracing::error!(tool = self.tool, error = %fatal.source, "the tool failed");
                        self.unknown(fence, "fault").await
                    }
                };
            }
            Err(error) => {
                tracing::error!(tool = self.tool, %error, "the tool did not end by itself");
                return self.unknown(fence, if error.is_panic() { "panic" } else { "lost" }).await;
            }
        };
        let recorded = self.within_grace(|| self.store.settle(&self.key, fence, &settled)).await;
        match recorded {
            Ok(()) => ended,
            Err(error) => {
                if matches!(error, StoreError::LostFence)
                    && let Some(settled) = self.look().await
                {
                    // The record stands: the tool's own, or an operator's.
                    return Ended::replayed(settled);
                }
                tracing::error!(tool = self.tool, call = %self.context.call_id(), %error, "a call is done and not recorded");
                Ended::Unknown("not recorded")
            }
        }
    }

    /// Gives the claim up. A failure leaves it to become unknown, which is safe: it is then not repeated.
    async fn give_up(&self, fence: Fence) {
        if let Err(error) = self.within_grace(|| self.store.release(&self.key, fence)).await {
            tracing::error!(tool = self.tool, call = %self.context.call_id(), %error, "a claim could not be released");
        }
    }

    async fn unknown(&self, fence: Fence, cause: &'static str) -> Ended {
        // Tried once: the claim becomes unknown by itself when its lease is over.
        match self.store.mark_unknown(&self.key, fence, cause).await {
            Ok(()) => {}
            Err(StoreError::LostFence) => {
                if let Some(settled) = self.look().await {
                    return Ended::replayed(settled);
                }
            }
            Err(error) => {
                tracing::error!(tool = self.tool, call = %self.context.call_id(), %error, "an unknown outcome is not recorded");
            }
        }
        Ended::Unknown(cause)
    }

    /// How a claim that is no longer held was settled: a tool that failed may have settled it with its effect before.
    async fn look(&self) -> Option<Settled> {
        let until = after(Instant::now(), self.grace);
        match timeout_at(until, self.store.claim(&self.request(false))).await {
            Ok(Ok(Claim::Settled(settled))) => Some(settled),
            Ok(Ok(Claim::Fresh(fence))) => {
                // An operator released it meanwhile. This was a look, not a call.
                self.give_up(fence).await;
                None
            }
            _ => None,
        }
    }

    /// Tries a change of the store until it succeeds, is refused, or the grace is over.
    async fn within_grace<F: Future<Output = Result<(), StoreError>>>(
        &self,
        change: impl Fn() -> F,
    ) -> Result<(), StoreError> {
        let until = after(Instant::now(), self.grace);
        let mut wait = Duration::from_millis(50);
        loop {
            let error = match timeout_at(until, change()).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(StoreError::LostFence)) => return Err(StoreError::LostFence),
                Ok(Err(error)) => error,
                Err(_) => StoreError::failed("the store did not answer within the grace"),
            };
            if Instant::now() + wait >= until {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(2));
        }
    }
}

/// 100 ms, 200 ms, 400 ms, .. at most 5 s.
pub(in crate::dispatch) fn retry_wait(attempts: u32) -> Duration {
    Duration::from_millis(100 << attempts.saturating_sub(1).min(10)).min(Duration::from_secs(5))
}
