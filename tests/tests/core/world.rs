//! Tools that do what they are told, good or bad, and a store that fails when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use agent_core::idempotency::{
    Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, MemoryStore, Settled, StoreError,
};
use agent_core::{BusinessError, CallContext, SecurityContext, State, ToolError, tool};
use serde::{Serialize, Serializer};
use tokio::sync::Semaphore;

/// What the tools touch.
#[derive(Debug)]
pub struct World {
    /// Effects that have happened.
    pub effects: AtomicU32,
    /// Functions of mutating tools that were entered.
    pub entered: AtomicU32,
    /// Reads that are running.
    pub reading: AtomicI64,
    /// The most reads that ran at once.
    pub most_reading: AtomicI64,
    /// Lets calls that hang go on.
    pub gate: Semaphore,
}

impl Default for World {
    fn default() -> Self {
        Self {
            effects: AtomicU32::new(0),
            entered: AtomicU32::new(0),
            reading: AtomicI64::new(0),
            most_reading: AtomicI64::new(0),
            gate: Semaphore::new(0),
        }
    }
}

impl World {
    pub fn effects(&self) -> u32 {
        self.effects.load(Ordering::SeqCst)
    }

    pub fn entered(&self) -> u32 {
        self.entered.load(Ordering::SeqCst)
    }

    fn effect(&self) {
        self.effects.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Default, State)]
pub struct App {
    pub world: Arc<World>,
}

/// A value, or one that cannot be written as JSON.
pub enum Said {
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
        Self(world)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Reads in the way that it is told.
#[tool]
pub async fn look(
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
pub async fn act(
    /// The way: ok, business, `not_done`, fatal, panic, hang, `panic_after`, unwritable.
    how: String,
    /// Tells calls apart.
    #[arg(default = 0)]
    n: i64,
    world: &World,
) -> Result<Said, ToolError> {
    let _ = n;
    world.entered.fetch_add(1, Ordering::SeqCst);
    match how.as_str() {
        "ok" => {
            world.effect();
            Ok(Said::Text("done"))
        }
        "slow" => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            world.effect();
            Ok(Said::Text("done"))
        }
        "business" => Err(BusinessError::new("CLOSED", "the books are closed").into()),
        "not_done" => Err(ToolError::fatal("refused at the door").not_done()),
        "fatal" => Err(ToolError::fatal("the line went dead")),
        "panic" => panic!("secret-panic"),
        "panic_after" => {
            world.effect();
            panic!("after the effect")
        }
        "hang" => {
            world.gate.acquire().await.unwrap().forget();
            world.effect();
            Ok(Said::Text("done late"))
        }
        "hang_then_fail" => {
            world.gate.acquire().await.unwrap().forget();
            Err(BusinessError::new("CLOSED", "the books are closed").into())
        }
        "unwritable" => {
            world.effect();
            Ok(Said::Unwritable)
        }
        other => Err(BusinessError::new("NO_SUCH_WAY", format!("the way `{other}` does not exist")).into()),
    }
}

/// Changes something, each time that it is called.
#[tool(mutating, permission = "world:write", duplicates = "allow")]
pub async fn add(
    /// How much.
    n: i64,
    world: &World,
) -> i64 {
    world.entered.fetch_add(1, Ordering::SeqCst);
    world.effect();
    n
}

/// Who may do everything.
pub fn writer() -> SecurityContext {
    SecurityContext::new("usr_1", "tenant_1").role("world:write")
}

/// A memory store that fails and hangs on demand.
#[derive(Debug, Default)]
pub struct Faulty {
    inner: MemoryStore,
    /// Claims that fail from now on.
    pub claims: AtomicU32,
    /// Settlements and releases that fail from now on.
    pub settlements: AtomicU32,
    /// Whether claims never answer.
    pub silent: std::sync::atomic::AtomicBool,
}

impl Faulty {
    fn fails(counter: &AtomicU32) -> Result<(), StoreError> {
        let left = counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() { Err(StoreError::failed("the disk is full")) } else { Ok(()) }
    }
}

/// A handle that tests keep while the agent has the store.
#[derive(Debug, Clone, Default)]
pub struct Shared(pub Arc<Faulty>);

#[async_trait::async_trait]
impl IdempotencyStore for Shared {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        if self.0.silent.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Faulty::fails(&self.0.claims)?;
        self.0.inner.claim(request).await
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.0.inner.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        Faulty::fails(&self.0.settlements)?;
        self.0.inner.settle(key, fence, settled).await
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        Faulty::fails(&self.0.settlements)?;
        self.0.inner.release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.0.inner.mark_unknown(key, fence, cause).await
    }
}
