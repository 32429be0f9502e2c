//! Who calls, and whether they may.

use std::collections::BTreeSet;

use async_trait::async_trait;

/// The person or system on whose behalf a run acts, as the host has authenticated them.
///
/// Nothing in it ever comes from the model.
///
/// ```
/// use agent_core::SecurityContext;
/// let caller = SecurityContext::new("usr_9918", "tenant_uk_01").role("billing:write");
/// assert!(caller.has_role("billing:write"));
/// assert!(!SecurityContext::anonymous().has_role("billing:write"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityContext {
    user: String,
    tenant: String,
    roles: BTreeSet<String>,
}

impl SecurityContext {
    /// A caller with no roles yet.
    pub fn new(user: impl Into<String>, tenant: impl Into<String>) -> Self {
        Self { user: user.into(), tenant: tenant.into(), roles: BTreeSet::new() }
    }

    /// Nobody: the user and the tenant are empty, and there are no roles.
    pub fn anonymous() -> Self {
        Self::new("", "")
    }

    /// Adds a role, for example `billing:write`.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.roles.insert(role.into());
        self
    }

    /// The user's id.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The tenant's id. It is part of every idempotency key.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Whether the caller has the role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.contains(role)
    }
}

/// Decides whether a caller may use a tool.
///
/// It is asked for every call before anything of the call runs, also for tools without a
/// permission. It may be asked several times for one call (a resumed run asks again), so it must
/// have no side effects that matter. A call whose check fails with an error, panics or is
/// cancelled does not run.
#[async_trait]
pub trait Authorizer: Send + Sync {
    /// Says whether `caller` may use the tool.
    ///
    /// # Errors
    ///
    /// [`Denied`] with a reason. The reason goes to the log, never to the model.
    async fn authorize(&self, caller: &SecurityContext, asked: &Access<'_>) -> Result<(), Denied>;
}

/// The use of a tool that is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Access<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The permission that its author asks for.
    pub permission: Option<&'a str>,
    /// Whether the tool changes anything.
    pub mutating: bool,
}

/// A refused [`Access`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("access denied: {reason}")]
pub struct Denied {
    reason: String,
}

impl Denied {
    /// A refusal for this reason, which goes to the log.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// The reason.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The default: the tool's permission must be among the caller's roles; a tool without one is open to all.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoleAuthorizer;

#[async_trait]
impl Authorizer for RoleAuthorizer {
    async fn authorize(&self, caller: &SecurityContext, asked: &Access<'_>) -> Result<(), Denied> {
        by_roles(caller, asked)
    }
}

/// What [`RoleAuthorizer`] says.
pub(crate) fn by_roles(caller: &SecurityContext, asked: &Access<'_>) -> Result<(), Denied> {
    match asked.permission {
        Some(permission) if !caller.has_role(permission) => {
            Err(Denied::new(format!("the caller lacks the role `{permission}`")))
        }
        _ => Ok(()),
    }
}
