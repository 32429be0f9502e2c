//! What an operator does about claims of which nobody knows how they ended.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::error::StoreError;
use super::key::IdempotencyKey;
use super::store::{ClaimHandle, Fence, Settled};
use crate::model::CallId;

/// The operator's side of a store of claims.
///
/// A claim is *unknown* when it was marked so, or when its lease is over and nobody settled it. It never runs again by
/// itself: an operator finds out what happened at the target, and says so with [`resolve`](Self::resolve).
///
/// ```
/// use agent_core::idempotency::{ClaimAdmin, Operator, Resolution, StoreError};
///
/// /// Lets a call that certainly did not happen run again.
/// async fn allow_again(store: &impl ClaimAdmin, tenant: &str, run: &str) -> Result<(), StoreError> {
///     let operator = Operator::new("ada", "the bank shows no transfer")?;
///     for claim in store.unknown_claims(tenant, None, 100).await? {
///         if claim.run_id == run {
///             store.resolve(&claim.handle(), &Resolution::Release, &operator).await?;
///         }
///     }
///     Ok(())
/// }
/// ```
///
/// **Tenants**: no call sees or changes a claim of another tenant than the one that it names.
///
/// **Who may call it** is the host's to decide. Nothing of it is ever offered to a model.
#[async_trait]
pub trait ClaimAdmin: Send + Sync {
    /// The unknown claims of a tenant, in the order of their keys, beginning after `after`.
    ///
    /// # Errors
    ///
    /// The store fails.
    async fn unknown_claims(
        &self,
        tenant: &str,
        after: Option<&IdempotencyKey>,
        at_most: u32,
    ) -> Result<Vec<UnknownClaim>, StoreError>;

    /// Settles an unknown claim by hand or releases it, and writes down who did and why, in one step.
    ///
    /// The fence says which claim the operator has looked at. From then on its former owner's fence is refused, so a
    /// late end of the call changes nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`] when it is not, or no longer, unknown under this fence; or the store fails.
    async fn resolve(&self, claim: &ClaimHandle, how: &Resolution, by: &Operator) -> Result<Audit, StoreError>;

    /// What operators have resolved in a tenant's name, the latest first.
    ///
    /// # Errors
    ///
    /// The store fails.
    async fn audits(&self, tenant: &str, at_most: u32) -> Result<Vec<Audit>, StoreError>;

    /// Forgets a tenant's claims that were settled at least this long ago, and says how many they were.
    ///
    /// A forgotten call that comes again runs again. Claims that are running or unknown are never forgotten, nor are
    /// the audit records, nor those of a run that the same store keeps and that has not finished.
    ///
    /// # Errors
    ///
    /// The store fails.
    async fn forget_claims(&self, tenant: &str, settled_for: Duration) -> Result<u64, StoreError>;
}

/// A claim of which nobody knows whether its effect has happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UnknownClaim {
    /// The effect.
    pub key: IdempotencyKey,
    /// The claim's fence.
    pub fence: Fence,
    /// The tool.
    pub tool: String,
    /// The run.
    pub run_id: String,
    /// The call.
    pub call_id: CallId,
    /// The user on whose behalf it was made.
    pub user: String,
    /// When it was claimed.
    pub claimed_at: SystemTime,
    /// Why it is unknown; none when its lease ran out, as after a crash.
    pub cause: Option<String>,
}

impl UnknownClaim {
    /// A claim of this key and fence; the fields are the store's to fill.
    pub fn new(key: IdempotencyKey, fence: Fence, call_id: CallId, claimed_at: SystemTime) -> Self {
        let (tool, run_id, user) = (String::new(), String::new(), String::new());
        Self { key, fence, tool, run_id, call_id, user, claimed_at, cause: None }
    }

    /// Names this claim to [`ClaimAdmin::resolve`].
    pub fn handle(&self) -> ClaimHandle {
        ClaimHandle::new(self.key.clone(), self.fence)
    }
}

/// What an operator has found out.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// It has happened, with this result.
    Settle(Settled),
    /// It has not happened; it may run again.
    Release,
}

/// Who resolves a claim, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    who: String,
    why: String,
}

impl Operator {
    /// This person or system, for this reason.
    ///
    /// # Errors
    ///
    /// When either is blank: a record that says nothing is none.
    pub fn new(who: impl Into<String>, why: impl Into<String>) -> Result<Self, StoreError> {
        let (who, why) = (who.into(), why.into());
        if who.trim().is_empty() || why.trim().is_empty() {
            return Err(StoreError::failed("a claim is resolved by somebody and for a reason"));
        }
        Ok(Self { who, why })
    }

    /// Who.
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Why.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// The record of a claim that was resolved.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Audit {
    /// The claim as it was found.
    pub claim: UnknownClaim,
    /// What became of it.
    pub resolution: Resolution,
    /// Who did it, and why.
    pub operator: Operator,
    /// When.
    pub at: SystemTime,
}

impl Audit {
    /// A record of this.
    pub fn new(claim: UnknownClaim, resolution: Resolution, operator: Operator, at: SystemTime) -> Self {
        Self { claim, resolution, operator, at }
    }
}
