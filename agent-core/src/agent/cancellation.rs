//! How a host ends a run, and why.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Ends runs for a reason. Clones are handles on the same one.
///
/// A plain [`CancellationToken`] will do where the reason does not matter.
///
/// ```
/// use agent_core::Cancellation;
/// let shutdown = Cancellation::new();
/// # let agent = agent_core::Agent::builder(agent_core::testing::ScriptedModel::new([])).build().unwrap();
/// let run = agent.run("Hello.").cancel(shutdown.clone());
/// shutdown.cancel("the server is going down");
/// # drop(run);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    token: CancellationToken,
    reason: Arc<OnceLock<String>>,
}

impl Cancellation {
    /// Nothing is cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends every run that was given it. The first reason stays.
    pub fn cancel(&self, reason: impl Into<String>) {
        // A second reason changes nothing.
        let _ = self.reason.set(reason.into());
        self.token.cancel();
    }

    /// The token behind it.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    pub(super) fn reason(&self) -> &str {
        self.reason.get().map_or("the host's token was cancelled", String::as_str)
    }
}

impl From<CancellationToken> for Cancellation {
    fn from(token: CancellationToken) -> Self {
        Self { token, reason: Arc::default() }
    }
}
