//! What a store of claims does.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::value::RawValue;

use super::error::StoreError;
use super::key::IdempotencyKey;
use crate::arguments::Digest;
use crate::model::CallId;

/// Keeps who claimed which effect, and how it ended.
///
/// **Before a call**: keys come from the framework, `settle`, `renew`, `release` and `mark_unknown`
/// only with a fence that `claim` gave.
///
/// **Atomicity**: of any number of claims of one key at once, exactly one gets [`Claim::Fresh`].
/// A fence that is no longer the claim's (the key was released and claimed anew, or resolved by an
/// operator) is refused with [`StoreError::LostFence`] and changes nothing.
///
/// **Leases**: a claim whose lease is over answers [`Claim::Unknown`] to whoever asks, and stays its owner's until
/// somebody claims it anew or resolves it: a late `settle`, `release` or `renew` of the true owner still counts. A
/// store measures leases by one clock for all its users (the server's, or the machine's monotonic one), never by the
/// wall clocks of its users: a user whose clock is set ends no lease. Where that one clock itself can be set, the store
/// documents what comes of it. Fences come from no clock.
///
/// **Replays write nothing**: a claim that is answered [`Claim::Settled`] leaves the store as it was.
///
/// **Retention**: settled claims may be forgotten, by age or number, as the store documents; a forgotten call that comes
/// again runs again. Claims that are running or unknown are never forgotten, nor, by a store that keeps runs as well and
/// is asked to forget by age, those of a run that has not finished: whoever takes it up still needs them.
///
/// **Cancellation**: a dropped future may leave its change done or not done, never half done.
///
/// **Panics**: none; a panic counts as a store that fails.
///
/// `agent_core::testing::claims` (feature `test-util`) holds a store against all of this.
///
/// **Tenants**: no call sees or changes a claim of another tenant than its key's.
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims the effect for the caller, or says why not.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot tell. The call is then not run. The claim may have been made all the same, where
    /// only its answer was lost: then it is in flight until its lease is over, and unknown from then on.
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError>;

    /// Keeps the claim for `lease` from now.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; the call runs on either way.
    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError>;

    /// Records that the effect has happened, for good.
    ///
    /// Saying the same again with the same fence succeeds, so that a settlement whose answer was lost can be repeated,
    /// and a tool may settle its own claim in the transaction of its effect. Another result is refused.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; it is tried again within `grace`.
    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError>;

    /// Gives the claim up: the effect has not happened, and the key may be claimed again.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; it is tried again within `grace`.
    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError>;

    /// Records that nobody can tell whether the effect has happened.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; the claim then becomes unknown when its lease is over.
    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError>;
}

/// A claim that is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ClaimRequest<'a> {
    /// The effect.
    pub key: &'a IdempotencyKey,
    /// The arguments; another digest under the same key is a conflict.
    pub digest: &'a Digest,
    /// The tool.
    pub tool: &'a str,
    /// The run.
    pub run_id: &'a str,
    /// The call.
    pub call_id: &'a CallId,
    /// The user on whose behalf it is made.
    pub user: &'a str,
    /// How long the claim holds without being renewed.
    pub lease: Duration,
    /// Whether an unknown effect may be claimed again, since its target takes it only once.
    pub repeat_unknown: bool,
}

impl<'a> ClaimRequest<'a> {
    /// A claim of the key for half a minute by nobody in particular.
    pub fn new(key: &'a IdempotencyKey, digest: &'a Digest, call_id: &'a CallId) -> Self {
        let lease = Duration::from_secs(30);
        Self { key, digest, tool: "", run_id: "", call_id, user: "", lease, repeat_unknown: false }
    }

    /// With this lease.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Whether an unknown effect may be claimed again.
    #[must_use]
    pub fn repeat_unknown(mut self, repeat: bool) -> Self {
        self.repeat_unknown = repeat;
        self
    }
}

/// What a store answers to a claim.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Claim {
    /// It is the caller's: run it.
    Fresh(Fence),
    /// It has happened, with this result.
    Settled(Settled),
    /// It is running elsewhere.
    InFlight,
    /// The key was used for a call with other arguments.
    Conflict,
    /// It was claimed and never settled: it may have happened.
    Unknown,
}

/// Tells a claim from an earlier claim of the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// A claim that is held: what a store asks for to settle it.
///
/// A tool gets its own from [`CallContext::claim`](crate::CallContext::claim).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimHandle {
    key: IdempotencyKey,
    fence: Fence,
}

impl ClaimHandle {
    /// The claim of this key with this fence.
    pub fn new(key: IdempotencyKey, fence: Fence) -> Self {
        Self { key, fence }
    }

    /// The effect.
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// Tells it from earlier claims of the same key.
    pub fn fence(&self) -> Fence {
        self.fence
    }
}

/// How an effect that has happened ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Settled {
    /// With this value.
    Value(Box<RawValue>),
    /// With a value that cannot be written as JSON.
    Unreadable,
}

impl Settled {
    /// A value, written as the framework writes the value of a tool.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON.
    pub fn value(value: &(impl serde::Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::Value)
    }

    /// Whether the other says the same, however it is spaced and ordered.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unreadable, Self::Unreadable) => true,
            (Self::Value(one), Self::Value(two)) => {
                let parse = |json: &RawValue| serde_json::from_str::<serde_json::Value>(json.get()).ok();
                one.get() == two.get() || parse(one).is_some_and(|one| Some(one) == parse(two))
            }
            _ => false,
        }
    }
}
