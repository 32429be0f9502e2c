//! What a store of claims does.

use std::error::Error as StdError;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::value::RawValue;

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
/// **Cancellation**: a dropped future may leave its change done or not done, never half done.
///
/// **Tenants**: no call sees or changes a claim of another tenant than its key's.
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Claims the effect for the caller, or says why not.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the store cannot tell. The call is then not run.
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError>;

    /// Keeps the claim for `lease` from now.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; the call runs on either way.
    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError>;

    /// Records that the effect has happened, for good.
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

/// How an effect that has happened ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Settled {
    /// With this value.
    Value(Box<RawValue>),
    /// With a value that cannot be written as JSON.
    Unreadable,
}

/// Why a store could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The claim is no longer the caller's.
    #[error("the claim is no longer held: its key was claimed or resolved by somebody else")]
    LostFence,
    /// The store holds as many claims as it may.
    #[error("the store is full: {0}")]
    Full(String),
    /// The store failed.
    #[error("the idempotency store failed: {message}")]
    Failed {
        /// What failed.
        message: String,
        /// Why.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
}

impl StoreError {
    /// A failure of the store itself.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }
}
