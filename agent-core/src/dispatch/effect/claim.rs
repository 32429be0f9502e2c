//! One effect from claim to settlement. Nobody may be waiting when it ends: once it waits, it is on a task of its own.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use super::audit::Audit;
use super::guarded::Guarded;
use super::phase::Phase;
use crate::arguments::Digest;
use crate::dispatch::ran::{Fault, Ran};
use crate::dispatch::read::pause;
use crate::dispatch::running::Guard;
use crate::dispatch::toolbox::{Question, Repeat, after};
use crate::guest::Theirs;
use crate::idempotency::{Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyKey, Settled, StoreError};
use crate::lease::Lease;
use crate::tool::{BusinessError, CallContext, Prepared};
use crate::waits::{Begun, in_time};

/// How a claim ended.
pub(super) enum Ended {
    Value(Box<RawValue>),
    Unreadable,
    Replayed(Option<Box<RawValue>>),
    Business(BusinessError),
    NotDone,
    Unknown(&'static str),
    InFlight,
    Conflict,
    StoreUnavailable,
    AuditUnavailable,
    TooLate,
    Cancelled,
    /// Like this, with nothing done; its claim is held until it becomes unknown.
    NotReleased(Box<Ended>),
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
    pub(super) audit: Option<Arc<Audit>>,
    pub(super) store: Guarded,
    pub(super) key: IdempotencyKey,
    pub(super) digest: Digest,
    pub(super) tool: Cow<'static, str>,
    pub(super) keyed: bool,
    pub(super) state: Arc<S>,
    pub(super) repeat: Option<Repeat<S>>,
    pub(super) question: Option<Question<S>>,
    pub(super) context: CallContext,
    pub(super) phase: Arc<Phase>,
    /// When the call's own time is over.
    pub(super) until: Instant,
    /// After this the effect is not begun any more.
    pub(super) begin_by: Instant,
    pub(super) grace: Duration,
    pub(super) lease: Lease,
    /// Counts the call as running for as long as the supervisor lives.
    pub(super) _running: Guard,
}

/// The claim's answer, as far as it decides what to do.
enum Claimed {
    Fresh(Fence),
    /// Ours, after an earlier call of which nobody knows whether it took effect.
    Doubtful(Fence),
    Ended(Ended),
}

/// What became of a claim that is no longer held.
enum Looked {
    Settled(Settled),
    Released,
    /// By somebody else, or until it becomes unknown; or nobody can tell.
    Held,
}

/// What a tool says of an earlier call.
enum Reconciled {
    /// It happened, and this is settled now.
    Happened(Ended),
    /// It did not, so it may run now.
    DidNot,
    /// Nobody can tell, for this cause.
    Unknown(&'static str),
}

/// The cause of an outcome that was unknown before this call.
pub(super) const EARLIER_CALL: &str = "an earlier call";

impl<S: Send + Sync + 'static> Supervisor<S> {
    pub(super) async fn supervise(self, prepared: Theirs<Prepared<S>>) -> Ended {
        let ended = self.end(prepared).await;
        match &self.audit {
            None => self.phase.end(),
            Some(audit) => {
                let mut turn = audit.turn().await;
                // Whoever still waits waits on for the records, whatever its time is.
                self.phase.end();
                turn.ended(&ended, self.phase.attempts()).await;
            }
        }
        ended
    }

    /// Claims, runs, and settles.
    async fn end(&self, prepared: Theirs<Prepared<S>>) -> Ended {
        let (fence, doubtful) = match self.claim().await {
            Claimed::Fresh(fence) => (fence, false),
            Claimed::Doubtful(fence) => (fence, true),
            Claimed::Ended(ended) => return ended,
        };
        // In flight, however long it takes and whether or not anybody waits for it. One renewal for all that is done under
        // the claim: questions, tries, waits between them, settlement.
        let renew = || self.store.renew(&self.key, fence, self.lease.length());
        tokio::select! {
            biased;
            ended = self.work(fence, doubtful, prepared) => ended,
            never = self.lease.keep("a claim", renew) => match never {},
        }
    }

    /// What is done under the claim.
    async fn work(&self, fence: Fence, doubtful: bool, prepared: Theirs<Prepared<S>>) -> Ended {
        let doubtful = match doubtful {
            true => match self.reconcile(fence).await {
                Reconciled::Happened(ended) => return ended,
                Reconciled::DidNot => false,
                // The target takes each key once, whatever came of the earlier call.
                Reconciled::Unknown(_) if self.keyed => true,
                Reconciled::Unknown(cause) => return self.unknown(fence, cause).await,
            },
            false => false,
        };
        if let Some(audit) = &self.audit
            && !self.phase.is_abandoned()
            && !audit.claimed(self.until).await
        {
            return self.not_begun(fence, doubtful, Ended::AuditUnavailable).await;
        }
        if self.is_too_late() {
            return self.not_begun(fence, doubtful, Ended::TooLate).await;
        }
        if let Err(error) = self.still_held(fence).await {
            if matches!(error, StoreError::LostFence) {
                return self.lost().await;
            }
            let call = self.context.call_id();
            tracing::error!(tool = &*self.tool, %call, %error, "whether a claim still holds cannot be told");
            return self.not_begun(fence, doubtful, Ended::StoreUnavailable).await;
        }
        if !self.phase.start() {
            return self.not_begun(fence, doubtful, Ended::Cancelled).await;
        }
        let mut ran = self.run(fence, prepared).await;
        let mut may_have_happened = false;
        while let Some(again) = self.again(&ran).await {
            may_have_happened |= !ran.vouches();
            ran = self.run(fence, again).await;
        }
        // The last try vouches for itself alone.
        if doubtful && ran.vouches() {
            return self.unknown(fence, EARLIER_CALL).await;
        }
        if may_have_happened && ran.vouches() {
            return self.unknown(fence, "an earlier try").await;
        }
        self.settle(fence, ran).await
    }

    fn is_too_late(&self) -> bool {
        Instant::now() > self.begin_by
    }

    /// Whether the claim still holds, as far as that can be known before the effect begins: this process, or its store, may
    /// have stood still for so long that somebody else has taken the claim, found nothing done, and done it.
    async fn still_held(&self, fence: Fence) -> Result<(), StoreError> {
        if !self.lease.is_old() {
            return Ok(());
        }
        let renewed = self.lease.renew(self.store.renew(&self.key, fence, self.lease.length()));
        let late = || Err(StoreError::failed("the store did not answer in time"));
        timeout_at(self.begin_by, renewed).await.unwrap_or_else(|_| late())
    }

    /// What became of a claim that somebody else has taken before anything was begun under it.
    async fn lost(&self) -> Ended {
        let call = self.context.call_id();
        tracing::warn!(tool = &*self.tool, %call, "somebody else took a claim; nothing was begun under it");
        match timeout_at(after(self.until, self.grace), self.store.claim(&self.request(false))).await {
            Ok(Ok(Claim::Settled(settled))) => Ended::replayed(settled),
            Ok(Ok(Claim::InFlight)) => Ended::InFlight,
            Ok(Ok(Claim::Unknown)) => Ended::Unknown(EARLIER_CALL),
            Ok(Ok(Claim::Conflict)) => Ended::Conflict,
            Ok(Ok(Claim::Fresh(fence))) => {
                // An operator released it. This was a look, not a call; a failure was logged.
                let _ = self.release(fence).await;
                Ended::StoreUnavailable
            }
            Ok(Err(_)) | Err(_) => Ended::StoreUnavailable,
        }
    }

    /// Gives a claim up under which nothing was begun: whoever asks next may have the key, unless an earlier call may have
    /// taken effect.
    async fn not_begun(&self, fence: Fence, doubtful: bool, ended: Ended) -> Ended {
        match doubtful {
            true => self.unknown(fence, EARLIER_CALL).await,
            false => self.give_up(fence, ended).await,
        }
    }

    fn request(&self, repeat_unknown: bool) -> ClaimRequest<'_> {
        let mut request = ClaimRequest::new(&self.key, &self.digest, self.context.call_id());
        request.tool = &self.tool;
        request.run_id = self.context.run_id();
        request.user = self.context.caller().user();
        request.lease = self.lease.length();
        request.repeat_unknown = repeat_unknown;
        request
    }

    /// Asks for the claim, and again while the same call is running elsewhere.
    async fn claim(&self) -> Claimed {
        let mut wait = Duration::from_millis(20);
        let mut doubtful = false;
        loop {
            let request = self.request(doubtful);
            self.lease.begins();
            // Waited for beyond the call's own time, since a claim that is cut off may have been made.
            let answer = in_time(after(self.until, self.grace), self.store.claim(&request)).await;
            return Claimed::Ended(match answer {
                Some(Ok(Claim::Fresh(fence))) if doubtful => return Claimed::Doubtful(fence),
                Some(Ok(Claim::Fresh(fence))) => return Claimed::Fresh(fence),
                Some(Ok(Claim::Settled(settled))) => Ended::replayed(settled),
                Some(Ok(Claim::Conflict)) => Ended::Conflict,
                Some(Ok(Claim::Unknown)) if (self.keyed || self.question.is_some()) && !doubtful => {
                    // Claimed anew, so that only one asks whether it happened, or repeats it.
                    doubtful = true;
                    self.phase.doubt();
                    continue;
                }
                Some(Ok(Claim::Unknown)) => Ended::Unknown(EARLIER_CALL),
                Some(Ok(Claim::InFlight)) => {
                    // Whoever has the claim now finds out what came of the call before.
                    doubtful = false;
                    self.phase.wait();
                    if self.phase.is_abandoned() || Instant::now() >= self.until {
                        Ended::InFlight
                    } else {
                        pause(wait, self.until).await;
                        wait = (wait * 2).min(Duration::from_millis(500));
                        continue;
                    }
                }
                Some(Err(error)) => {
                    tracing::error!(tool = &*self.tool, call = %self.context.call_id(), %error, "claim failed");
                    Ended::StoreUnavailable
                }
                None => {
                    tracing::error!(tool = &*self.tool, call = %self.context.call_id(), "the store did not answer");
                    Ended::StoreUnavailable
                }
            });
        }
    }

    /// Asks the tool whether the earlier call happened, where it can tell.
    async fn reconcile(&self, fence: Fence) -> Reconciled {
        let Some(question) = &self.question else { return Reconciled::Unknown(EARLIER_CALL) };
        let Some(asking) = question.ask() else { return Reconciled::Unknown("reconcile") };
        let context = self.context.clone().with_claim(ClaimHandle::new(self.key.clone(), fence));
        let state = self.state.clone();
        let mut task = tokio::spawn(Ran::asked(move || asking(state, context)).in_current_span());
        let asked = timeout_at(after(self.until, self.grace), &mut task).await;
        let why = match asked {
            Ok(Ok(None)) => return Reconciled::DidNot,
            Ok(Ok(Some(happened @ (Ran::Value(_) | Ran::Unreadable(_))))) => {
                return Reconciled::Happened(match self.settle(fence, happened).await {
                    Ended::Value(data) => Ended::Replayed(Some(data)),
                    Ended::Unreadable => Ended::Replayed(None),
                    other => other,
                });
            }
            Ok(Ok(Some(Ran::Business(error)))) => error.to_string(),
            Ok(Ok(Some(Ran::Fatal(fault)))) => fault.why,
            Ok(Ok(Some(Ran::Panicked | Ran::Lost))) => "it panicked".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => {
                task.abort();
                "it did not answer".to_owned()
            }
        };
        tracing::error!(tool = &*self.tool, why, "whether an earlier call happened could not be found out");
        Reconciled::Unknown("reconcile")
    }

    /// Runs the function as work of its own, so that one that blocks its thread does not keep the claim from being renewed by
    /// another.
    async fn run(&self, fence: Fence, prepared: Theirs<Prepared<S>>) -> Ran {
        let claim = ClaimHandle::new(self.key.clone(), fence);
        let context = self.context.with_attempt(self.phase.tried()).with_claim(claim);
        match Ran::begin(prepared, self.state.clone(), context, true).await {
            Begun::Ended(ran) => ran.unwrap_or(Ran::Panicked),
            Begun::GoesOn(task) => Ran::joined(task.await),
        }
    }

    /// The call once more, after a wait, where its outcome and its tool allow that and somebody still waits for it.
    async fn again(&self, ran: &Ran) -> Option<Theirs<Prepared<S>>> {
        let repeat = self.repeat.as_ref()?;
        let wait = retry_wait(self.phase.attempts());
        if !ran.is_transient() || Instant::now() + wait >= self.until {
            return None;
        }
        tokio::select! {
            biased;
            () = self.context.cancelled() => return None,
            () = pause(wait, self.until) => {}
        }
        repeat.again(self.phase.attempts()).filter(|_| !self.is_too_late())
    }

    async fn settle(&self, fence: Fence, ran: Ran) -> Ended {
        let (settled, ended) = match ran {
            Ran::Value(data) => (Settled::Value(data.clone()), Ended::Value(data)),
            Ran::Unreadable(error) => {
                tracing::error!(
                    tool = &*self.tool,
                    error,
                    "the result of a call that is done cannot be written as JSON"
                );
                (Settled::Unreadable, Ended::Unreadable)
            }
            Ran::Business(error) => {
                return self.give_up(fence, Ended::Business(error)).await;
            }
            Ran::Fatal(Fault { why, not_done: true, .. }) => {
                tracing::error!(tool = &*self.tool, error = why, "the tool failed; nothing was done");
                return self.give_up(fence, Ended::NotDone).await;
            }
            Ran::Fatal(Fault { why, .. }) => {
                tracing::error!(tool = &*self.tool, error = why, "the tool failed");
                return self.unknown(fence, "fault").await;
            }
            Ran::Panicked => {
                tracing::error!(tool = &*self.tool, "the tool panicked");
                return self.unknown(fence, "panic").await;
            }
            Ran::Lost => {
                tracing::error!(tool = &*self.tool, "the tool did not end by itself");
                return self.unknown(fence, "lost").await;
            }
        };
        let recorded = self.within_grace(|| self.store.settle(&self.key, fence, &settled)).await;
        match recorded {
            Ok(()) => ended,
            Err(error) => {
                if matches!(error, StoreError::LostFence)
                    && let Looked::Settled(settled) = self.look().await
                {
                    // The record stands: the tool's own, or an operator's.
                    return Ended::replayed(settled);
                }
                tracing::error!(tool = &*self.tool, call = %self.context.call_id(), %error, "a call is done and not recorded");
                Ended::Unknown("not recorded")
            }
        }
    }

    /// Gives up a claim under which nothing was done; where somebody settled it before, that stands.
    async fn give_up(&self, fence: Fence, ended: Ended) -> Ended {
        match self.release(fence).await {
            Ok(()) => ended,
            Err(StoreError::LostFence) => match self.look().await {
                Looked::Settled(settled) => Ended::replayed(settled),
                Looked::Released => ended,
                Looked::Held => Ended::NotReleased(Box::new(ended)),
            },
            Err(_) => Ended::NotReleased(Box::new(ended)),
        }
    }

    /// Releases the claim. A failure leaves it to become unknown, which is safe: it is then not repeated.
    async fn release(&self, fence: Fence) -> Result<(), StoreError> {
        let released = self.within_grace(|| self.store.release(&self.key, fence)).await;
        if let Err(error) = &released {
            tracing::error!(tool = &*self.tool, call = %self.context.call_id(), %error, "a claim could not be released");
        }
        released
    }

    async fn unknown(&self, fence: Fence, cause: &'static str) -> Ended {
        // A claim that cannot be marked becomes unknown by itself when its lease is over.
        match self.within_grace(|| self.store.mark_unknown(&self.key, fence, cause)).await {
            Ok(()) => {}
            Err(StoreError::LostFence) => {
                if let Looked::Settled(settled) = self.look().await {
                    return Ended::replayed(settled);
                }
            }
            Err(error) => {
                tracing::error!(tool = &*self.tool, call = %self.context.call_id(), %error, "an unknown outcome is not recorded");
            }
        }
        Ended::Unknown(cause)
    }

    /// What became of a claim that is no longer held: a tool that failed may have settled it with its effect before.
    async fn look(&self) -> Looked {
        let until = after(Instant::now(), self.grace);
        match timeout_at(until, self.store.claim(&self.request(false))).await {
            Ok(Ok(Claim::Settled(settled))) => Looked::Settled(settled),
            // An operator released it meanwhile. This was a look, not a call; a failure was logged.
            Ok(Ok(Claim::Fresh(fence))) if self.release(fence).await.is_ok() => Looked::Released,
            _ => Looked::Held,
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
            let error = match in_time(until, change()).await {
                Some(Ok(())) => return Ok(()),
                Some(Err(StoreError::LostFence)) => return Err(StoreError::LostFence),
                Some(Err(error)) => error,
                None => StoreError::failed("the store did not answer within the grace"),
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
