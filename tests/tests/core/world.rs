//! Tools that do what they are told, good or bad, and a store that fails when it is told to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::idempotency::{
    Claim, ClaimAdmin, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, MemoryStore, Operator, Resolution,
    Settled, StoreError,
};
use agent_core::{BusinessError, CallContext, SecurityContext, State, ToolError, tool};
use serde::{Serialize, Serializer};
use tokio::sync::{Notify, Semaphore};

/// What the tools touch.
#[derive(Debug)]
pub(crate) struct World {
    /// Effects that have happened.
    pub(crate) effects: AtomicU32,
    /// Effects of `act`, by their arguments.
    pub(crate) by_arguments: Mutex<BTreeMap<(String, i64), u32>>,
    /// Functions of mutating tools that were entered.
    pub(crate) entered: AtomicU32,
    /// The `n` of each effect of `act`, as they happened.
    order: Mutex<Vec<i64>>,
    /// Reads that are running.
    pub(crate) reading: AtomicI64,
    /// Tells that a function of `look` or `act` was entered, or that a read is over, also by its drop.
    pub(crate) entries: Notify,
    pub(crate) reads_over: Notify,
    /// The most reads that ran at once.
    pub(crate) most_reading: AtomicI64,
    /// Calls of `sign` that ran.
    pub(crate) signed: AtomicU32,
    /// Whether the question if a call has happened takes a long time.
    pub(crate) slow_questions: AtomicBool,
    /// Lets calls that hang go on.
    pub(crate) gate: Semaphore,
}

impl Default for World {
    fn default() -> Self {
        Self {
            effects: AtomicU32::new(0),
            by_arguments: Mutex::default(),
            entered: AtomicU32::new(0),
            order: Mutex::default(),
            reading: AtomicI64::new(0),
            entries: Notify::new(),
            reads_over: Notify::new(),
            most_reading: AtomicI64::new(0),
            signed: AtomicU32::new(0),
            slow_questions: AtomicBool::new(false),
            gate: Semaphore::new(0),
        }
    }
}

impl World {
    pub(crate) fn effects(&self) -> u32 {
        self.effects.load(Ordering::SeqCst)
    }

    pub(crate) fn entered(&self) -> u32 {
        self.entered.load(Ordering::SeqCst)
    }

    /// What the effects of `act` were, in their order.
    pub(crate) fn order(&self) -> Vec<i64> {
        self.order.lock().unwrap().clone()
    }

    /// The most often that one effect of `act` has happened.
    pub(crate) fn most_repeated(&self) -> u32 {
        self.by_arguments.lock().unwrap().values().copied().max().unwrap_or_default()
    }

    fn effect(&self) {
        self.effects.fetch_add(1, Ordering::SeqCst);
    }

    fn effect_of(&self, how: &str, n: i64) {
        *self.by_arguments.lock().unwrap().entry((how.to_owned(), n)).or_default() += 1;
        self.order.lock().unwrap().push(n);
        self.effect();
    }
}

#[derive(Debug, Default, State)]
pub(crate) struct App {
    pub(crate) world: Arc<World>,
}

/// A value, or one that cannot be written as JSON.
pub(crate) enum Said {
    Text(&'static str),
    Unwritable,
}

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Unwritable => Err(serde::ser::Error::custom("a value that cannot be written")),
        }
    }
}

struct Reading<'a>(&'a World);

impl<'a> Reading<'a> {
    fn enter(world: &'a World) -> Self {
        let now = world.reading.fetch_add(1, Ordering::SeqCst) + 1;
        world.most_reading.fetch_max(now, Ordering::SeqCst);
        world.entries.notify_one();
        Self(world)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Ordering::SeqCst);
        self.0.reads_over.notify_one();
    }
}

/// Reads in the way that it is told.
#[tool(retries = 2)]
pub(crate) async fn look(
    /// The way: ok, slow, business, fatal, transient, panic, hang, unwritable.
    how: String,
    /// Tells calls apart.
    #[arg(default = 0)]
    n: i64,
    world: &World,
    call: &CallContext,
) -> Result<Said, ToolError> {
    let _reading = Reading::enter(world);
    let _ = n;
    match how.as_str() {
        "ok" => Ok(Said::Text("seen")),
        "slow" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(Said::Text("seen"))
        }
        "business" => Err(BusinessError::new("NOT_FOUND", "there is nothing to see").into()),
        "fatal" => Err(ToolError::fatal("the disk said: secret-path")),
        "transient" if call.attempt() > 2 => Ok(Said::Text("seen")),
        "transient" => Err(ToolError::fatal("busy").transient()),
        "panic" => panic!("secret-panic"),
        "hang" => std::future::pending().await,
        "unwritable" => Ok(Said::Unwritable),
        other => Err(BusinessError::new("NO_SUCH_WAY", format!("the way `{other}` does not exist")).into()),
    }
}

/// Changes something in the way that it is told.
#[tool(mutating, permission = "world:write")]
pub(crate) async fn act(
    /// The way: ok, business, `not_done`, fatal, panic, hang, `panic_after`, unwritable.
    how: String,
    /// Tells calls apart.
    #[arg(default = 0)]
    n: i64,
    world: &World,
) -> Result<Said, ToolError> {
    world.entered.fetch_add(1, Ordering::SeqCst);
    world.entries.notify_one();
    match how.as_str() {
        "ok" => {
            world.effect_of(&how, n);
            Ok(Said::Text("done"))
        }
        "slow" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            world.effect_of(&how, n);
            Ok(Said::Text("done"))
        }
        "business" => Err(BusinessError::new("CLOSED", "the books are closed").into()),
        "not_done" => Err(ToolError::fatal("refused at the door").not_done()),
        "fatal" => Err(ToolError::fatal("the line went dead")),
        "panic" => panic!("secret-panic"),
        "fatal_second" if world.entered() == 2 => Err(ToolError::fatal("the line went dead")),
        "fatal_second" => {
            world.effect_of(&how, n);
            Ok(Said::Text("done"))
        }
        "panic_after" => {
            world.effect_of(&how, n);
            panic!("after the effect")
        }
        "hang" => {
            world.gate.acquire().await.unwrap().forget();
            world.effect_of(&how, n);
            Ok(Said::Text("done late"))
        }
        "hang_then_fail" => {
            world.gate.acquire().await.unwrap().forget();
            Err(BusinessError::new("CLOSED", "the books are closed").into())
        }
        "unwritable" => {
            world.effect_of(&how, n);
            Ok(Said::Unwritable)
        }
        other => Err(BusinessError::new("NO_SUCH_WAY", format!("the way `{other}` does not exist")).into()),
    }
}

/// Changes something, each time that it is called.
#[tool(mutating, permission = "world:write", duplicates = "allow")]
pub(crate) async fn add(
    /// How much.
    n: i64,
    world: &World,
) -> i64 {
    world.entered.fetch_add(1, Ordering::SeqCst);
    world.effect();
    n
}

/// Changes something, once a person has said so.
#[tool(mutating, permission = "world:write", approval)]
pub(crate) async fn sign(
    /// The way: ok.
    how: String,
    /// Tells calls apart.
    #[arg(default = 0)]
    n: i64,
    world: &World,
) -> Said {
    world.signed.fetch_add(1, Ordering::SeqCst);
    world.entered.fetch_add(1, Ordering::SeqCst);
    world.effect_of(&format!("sign {how}"), n);
    Said::Text("signed")
}

/// Changes something, and can tell afterwards whether it did.
#[tool(mutating, permission = "world:write", reconcile = did_send)]
pub(crate) async fn send(
    /// The way: ok, `panic`, `panic_after`.
    how: String,
    world: &World,
) -> Result<Said, ToolError> {
    world.entered.fetch_add(1, Ordering::SeqCst);
    match how.as_str() {
        "panic" if world.entered() == 1 => panic!("secret-panic"),
        "panic_after" => {
            world.effect_of(&format!("send {how}"), 0);
            panic!("after the effect")
        }
        _ => {
            world.effect_of(&format!("send {how}"), 0);
            Ok(Said::Text("sent"))
        }
    }
}

async fn did_send(how: String, world: &World) -> Result<Option<Said>, ToolError> {
    if world.slow_questions.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_secs(15)).await;
    }
    if how == "panic" && world.entered() > 1 {
        return Err(ToolError::fatal("nobody answers"));
    }
    let sent = world.by_arguments.lock().unwrap().contains_key(&(format!("send {how}"), 0));
    Ok(sent.then_some(Said::Text("sent before")))
}

/// Changes something at a target that takes each key once.
#[tool(mutating, permission = "world:write", keyed, retries = 3)]
pub(crate) async fn transfer(
    /// The way: ok, fatal, `fatal_then_refused`, `fatal_then_not_done`, transient.
    how: String,
    world: &World,
    call: &CallContext,
) -> Result<Said, ToolError> {
    let entered = world.entered.fetch_add(1, Ordering::SeqCst) + 1;
    assert!(call.idempotency_key().is_some());
    match how.as_str() {
        "fatal" if entered == 1 => Err(ToolError::fatal("the line went dead")),
        "fatal_then_refused" | "fatal_then_not_done" if entered == 1 => Err(ToolError::fatal("the line went dead")),
        "fatal_then_refused" => Err(BusinessError::new("CLOSED", "the books are closed").into()),
        "fatal_then_not_done" => Err(ToolError::fatal("refused at the door").not_done()),
        "transient" if call.attempt() < 3 => Err(ToolError::fatal("busy").transient()),
        "transient_then_refused" if entered == 1 => Err(ToolError::fatal("busy").transient()),
        "transient_then_refused" => Err(BusinessError::new("CLOSED", "the books are closed").into()),
        _ => {
            world.effect_of(&format!("transfer {how}"), 0);
            Ok(Said::Text("sent"))
        }
    }
}

/// Changes something at a target that takes each key once, and can tell afterwards whether it did.
#[tool(mutating, permission = "world:write", keyed, reconcile = did_wire)]
pub(crate) async fn wire(
    /// The way: ok, `fatal`, `fatal_after`.
    how: String,
    world: &World,
) -> Result<Said, ToolError> {
    let entered = world.entered.fetch_add(1, Ordering::SeqCst) + 1;
    if entered > 1 || how == "fatal_after" {
        world.effect_of(&format!("wire {how}"), 0);
    }
    if entered == 1 { Err(ToolError::fatal("the line went dead")) } else { Ok(Said::Text("wired")) }
}

async fn did_wire(how: String, world: &World) -> Result<Option<Said>, ToolError> {
    if how == "unanswered" {
        return Err(ToolError::fatal("nobody answers"));
    }
    let wired = world.by_arguments.lock().unwrap().contains_key(&(format!("wire {how}"), 0));
    Ok(wired.then_some(Said::Text("wired before")))
}

/// Who may do everything.
pub(crate) fn writer() -> SecurityContext {
    SecurityContext::new("usr_1", "tenant_1").role("world:write")
}

/// A memory store that fails and hangs on demand.
#[derive(Debug, Default)]
pub(crate) struct Faulty {
    inner: MemoryStore,
    /// Claims that fail from now on.
    pub(crate) claims: AtomicU32,
    /// Settlements and releases that fail from now on.
    pub(crate) settlements: AtomicU32,
    /// Whether claims never answer.
    pub(crate) silent: AtomicBool,
    /// Renewals that never answer, before others do.
    pub(crate) hanging_renewals: AtomicU32,
    /// Claims that were asked for.
    asked: AtomicU32,
    /// What somebody else settles a claim as, just before it is released.
    pub(crate) settled_by_others: Mutex<Option<Settled>>,
    /// What else goes wrong: `settle panics`, `renew hangs`, ..
    pub(crate) fault: Mutex<&'static str>,
}

/// What a store's future may hold.
struct BreaksWhenDropped;

impl Drop for BreaksWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("secret-panic");
        }
    }
}

impl Faulty {
    async fn suffer(&self, what: &str) {
        let fault = *self.fault.lock().unwrap();
        if fault == format!("{what} panics") {
            panic!("secret-panic");
        }
        if fault == format!("{what} slows") {
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
        if fault == format!("{what} stands still") {
            tokio::time::sleep(Duration::from_secs(40)).await;
        }
        if fault == format!("{what} breaks") {
            let _breaks = BreaksWhenDropped;
            std::future::pending::<()>().await;
        }
        if fault == format!("{what} hangs") {
            std::future::pending::<()>().await;
        }
    }

    /// The keys of a tenant's claims of which nobody knows how they ended.
    pub(crate) async fn unknown(&self, tenant: &str) -> Vec<String> {
        let claims = self.inner.unknown_claims(tenant, None, 100).await.unwrap();
        claims.iter().map(|claim| claim.key.as_str().to_owned()).collect()
    }

    /// Says of all those claims what became of them.
    pub(crate) async fn resolve_all(&self, tenant: &str, how: &Resolution, by: &Operator) {
        for claim in self.inner.unknown_claims(tenant, None, 100).await.unwrap() {
            self.inner.resolve(&claim.handle(), how, by).await.unwrap();
        }
    }

    fn fails(counter: &AtomicU32) -> Result<(), StoreError> {
        let left = counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() { Err(StoreError::failed("the disk is full")) } else { Ok(()) }
    }
}

/// A handle that tests keep while the agent has the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared(pub(crate) Arc<Faulty>);

impl Shared {
    /// Claims that were asked for.
    pub(crate) fn claimed(&self) -> u32 {
        self.0.asked.load(Ordering::SeqCst)
    }
}

#[async_trait::async_trait]
impl IdempotencyStore for Shared {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        if self.0.silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        self.0.suffer("claim").await;
        Faulty::fails(&self.0.claims)?;
        let claim = self.0.inner.claim(request).await;
        self.0.suffer("answer to a claim").await;
        claim
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.0.suffer("renew").await;
        if Faulty::fails(&self.0.hanging_renewals).is_err() {
            std::future::pending::<()>().await;
        }
        self.0.inner.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        self.0.suffer("settle").await;
        Faulty::fails(&self.0.settlements)?;
        self.0.inner.settle(key, fence, settled).await
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        Faulty::fails(&self.0.settlements)?;
        let by_others = self.0.settled_by_others.lock().unwrap().take();
        if let Some(settled) = by_others {
            self.0.inner.settle(key, fence, &settled).await?;
            return Err(StoreError::LostFence);
        }
        self.0.inner.release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.0.suffer("mark").await;
        self.0.inner.mark_unknown(key, fence, cause).await
    }
}

/// Keeps the panics that the tools above are told to make out of the test's output; others are shown.
pub(crate) fn hush_expected_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let shown = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // `payload_as_str` is newer than the oldest Rust that must do.
            let text = panic.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            if text != "secret-panic" && text != "after the effect" {
                shown(panic);
            }
        }));
    });
}
