//! What a tool may know of the call that it answers.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::idempotency::{ClaimHandle, IdempotencyKey};
use crate::model::CallId;
use crate::security::SecurityContext;

/// The call that a tool answers: who calls, under which key, and how long it may take.
///
/// Clones are handles on the same call. A tool takes it as `&CallContext`.
///
/// ```
/// use agent_core::{CallContext, SecurityContext};
///
/// async fn greet(name: String, call: &CallContext) -> String {
///     format!("{name} was greeted by {}", call.caller().user())
/// }
///
/// # tokio_test(async {
/// let call = CallContext::detached(SecurityContext::new("usr_1", "tenant_1"));
/// assert_eq!(greet("Ada".into(), &call).await, "Ada was greeted by usr_1");
/// # });
/// # fn tokio_test(f: impl Future<Output = ()>) {
/// #     tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(f)
/// # }
/// ```
#[derive(Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
    claim: Option<Arc<ClaimHandle>>,
    attempt: u32,
}

pub(crate) struct Inner {
    pub(crate) caller: Arc<SecurityContext>,
    pub(crate) call_id: CallId,
    pub(crate) run_id: Arc<str>,
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) end: CallEnd,
    pub(crate) progress: Option<ProgressSink>,
}

/// The end of a call. Most tools never ask for it, so that there is a token only for those that do.
#[derive(Debug, Default)]
pub(crate) struct CallEnd {
    /// Whose end ends the call as well.
    of: Option<CancellationToken>,
    state: Mutex<EndState>,
}

#[derive(Debug, Default)]
struct EndState {
    over: bool,
    token: Option<CancellationToken>,
}

impl CallEnd {
    /// The end of a call that ends with this at the latest.
    pub(crate) fn under(of: &CancellationToken) -> Self {
        Self { of: Some(of.clone()), state: Mutex::default() }
    }

    fn end(&self) {
        let mut state = self.lock();
        state.over = true;
        let token = state.token.take();
        drop(state);
        // Whoever waits is woken, which is code of others.
        token.iter().for_each(CancellationToken::cancel);
    }

    fn is_over(&self) -> bool {
        self.lock().over || self.of.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    fn token(&self) -> CancellationToken {
        let mut state = self.lock();
        let new = || self.of.as_ref().map_or_else(CancellationToken::new, CancellationToken::child_token);
        let (token, over) = (state.token.get_or_insert_with(new).clone(), state.over);
        drop(state);
        if over {
            token.cancel();
        }
        token
    }

    fn lock(&self) -> MutexGuard<'_, EndState> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a call when it is dropped.
pub(crate) struct EndOnDrop(CallContext);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.inner.end.end();
    }
}

/// Where a tool's progress reports go.
pub(crate) type ProgressSink = Arc<dyn Fn(&CallId, Value) + Send + Sync>;

impl CallContext {
    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), claim: None, attempt: 1 }
    }

    pub(crate) fn with_attempt(&self, attempt: u32) -> Self {
        Self { attempt, ..self.clone() }
    }

    /// Tells the tool that the call is over once this is dropped.
    pub(crate) fn end_on_drop(&self) -> EndOnDrop {
        EndOnDrop(self.clone())
    }

    /// A call outside any run, for calling a tool's function directly: no key, no deadline, never cancelled.
    pub fn detached(caller: SecurityContext) -> Self {
        Self::new(Inner {
            caller: Arc::new(caller),
            call_id: CallId::new("detached"),
            run_id: Arc::from("detached"),
            key: None,
            deadline: None,
            end: CallEnd::default(),
            progress: None,
        })
    }

    /// The same call as part of the run with this id, for calling the function of a tool directly.
    #[must_use]
    pub fn with_run_id(mut self, run_id: impl Into<Arc<str>>) -> Self {
        let Inner { caller, call_id, key, deadline, progress, .. } = &*self.inner;
        self.inner = Arc::new(Inner {
            caller: caller.clone(),
            call_id: call_id.clone(),
            run_id: run_id.into(),
            key: key.clone(),
            deadline: *deadline,
            end: CallEnd::under(&self.inner.end.token()),
            progress: progress.clone(),
        });
        self
    }

    /// The same call with this claim, for calling the function of a tool that settles its own claim directly.
    #[must_use]
    pub fn with_claim(mut self, claim: ClaimHandle) -> Self {
        self.claim = Some(Arc::new(claim));
        self
    }

    /// On whose behalf the call is made.
    pub fn caller(&self) -> &SecurityContext {
        &self.inner.caller
    }

    /// The call's id, unique within its run.
    pub fn call_id(&self) -> &CallId {
        &self.inner.call_id
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.inner.run_id
    }

    /// 1 for the first try, one more for each repetition by the framework.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The key under which this effect happens once; hand it to a target that honours such keys.
    /// None for tools that only read. It is opaque and the same for each repetition.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.inner.key.as_ref().map(IdempotencyKey::as_str)
    }

    /// The claim that the framework holds for this call while it runs. None for tools that only read.
    ///
    /// A tool whose effect is in the same database as the store settles it in the transaction of the effect, with the
    /// store's `settle_in`, so that both are recorded or neither. The framework's own settlement of the same value then
    /// succeeds without changing anything.
    pub fn claim(&self) -> Option<&ClaimHandle> {
        self.claim.as_deref()
    }

    /// The time left for this call; [`Duration::MAX`] where there is no limit.
    pub fn remaining(&self) -> Duration {
        match self.inner.deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }

    /// Ends when the run is cancelled or the call's time is over. Dropping it has no effect.
    pub async fn cancelled(&self) {
        self.inner.end.token().cancelled().await;
    }

    /// Whether the run is cancelled or the call's time is over.
    pub fn is_cancelled(&self) -> bool {
        self.inner.end.is_over()
    }

    /// Reports progress to whoever listens to the run's events; without a listener it does nothing.
    pub fn progress(&self, report: impl Into<Value>) {
        if let Some(sink) = &self.inner.progress {
            sink(&self.inner.call_id, report.into());
        }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("caller", &self.inner.caller)
            .field("call_id", &self.inner.call_id)
            .field("run_id", &self.inner.run_id)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
