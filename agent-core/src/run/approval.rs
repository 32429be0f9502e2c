//! Calls that wait for a person, and what the person decides.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::state::Run;
use crate::arguments::Digest;
use crate::model::{CallId, ToolCall};
use crate::security::SecurityContext;

/// A call that waits for a person's decision.
///
/// ```
/// use agent_core::run::{Decision, Pending};
/// fn decide(pending: &Pending) -> Decision {
///     match pending.tool.as_str() {
///         "recordInvoice" => pending.approve("usr_boss"),
///         _ => pending.reject("usr_boss", "not this week"),
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pending {
    /// The call.
    pub call_id: CallId,
    /// Its tool.
    pub tool: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
    /// A digest of all of it: tenant, run, call, tool and arguments.
    pub digest: Digest,
}

impl Pending {
    pub(super) fn new(run: &Run, call: &ToolCall) -> Self {
        let parts = [run.tenant(), run.id(), call.id.as_str(), &call.name, &call.arguments];
        Self {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            digest: Digest::of(&parts.map(str::as_bytes)),
        }
    }

    /// The call may run.
    pub fn approve(&self, by: impl Into<String>) -> Decision {
        self.decision(by, Verdict::Approved)
    }

    /// The call may not run; the model is told the reason.
    pub fn reject(&self, by: impl Into<String>, reason: impl Into<String>) -> Decision {
        self.decision(by, Verdict::Rejected { reason: reason.into() })
    }

    /// The call may run with these arguments instead, JSON text that is validated like the model's.
    pub fn edit(&self, by: impl Into<String>, arguments: impl Into<String>) -> Decision {
        self.decision(by, Verdict::Edited { arguments: arguments.into() })
    }

    fn decision(&self, by: impl Into<String>, verdict: Verdict) -> Decision {
        Decision { call_id: self.call_id.clone(), digest: self.digest, by: by.into(), verdict }
    }
}

/// What a person decided on one call. It is bound to tenant, run, call, tool and arguments, and refused for anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The call.
    pub call_id: CallId,
    /// The digest of what the person saw.
    pub digest: Digest,
    /// Who decided.
    pub by: String,
    /// What was decided.
    pub verdict: Verdict,
}

/// What was decided on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It may run.
    Approved,
    /// It may not.
    Rejected {
        /// Why, for the model.
        reason: String,
    },
    /// It may run with other arguments.
    Edited {
        /// The arguments, as JSON text.
        arguments: String,
    },
}

/// Decides on calls of tools that ask for approval, or says that a person will.
///
/// It is asked once per call and run, after the call has passed every other gate and before anything
/// of it runs. It may be asked again for the same call when a saved run is taken up. Nothing the model
/// says reaches it but the call itself. An implementation that panics or is cut off approves nothing: the call waits.
#[async_trait]
pub trait Approver: Send + Sync {
    /// The decision, or none: then the run is suspended until there is one.
    async fn decide(&self, caller: &SecurityContext, pending: &Pending) -> Option<Decision>;
}
