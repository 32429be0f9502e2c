//! Claims and runs in a file.

mod admin;
mod claims;
mod clock;
mod error;
mod forget;
mod runs;
mod schema;
mod thread;
mod together;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_core::idempotency::{Cause, ClaimHandle, Settled, StoreError};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use serde::Serialize;

use self::clock::Clock;
use self::error::failure;
use self::thread::Thread;
use crate::retention::{Retention, Swept, TENANTS, sweep};

/// Keeps claims and runs in a SQLite file, for the processes of one machine.
///
/// One thread of the store writes and one reads, so that nothing here blocks a task. The file is put into WAL mode;
/// tables of your own may stand beside the store's, whose names begin with `agent_`. Clones are handles on the same
/// store.
///
/// A tool whose effect is in the same file settles its claim with it:
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use agent_core::{CallContext, ToolError};
/// use agent_core::idempotency::StoreError;
/// use agent_store::SqliteStore;
///
/// /// The body of a tool that is `mutating, keyed`.
/// async fn book(amount: i64, store: &SqliteStore, call: &CallContext) -> Result<i64, ToolError> {
///     let claim = call.claim().cloned();
///     let booked = store.transaction(move |tx| -> Result<i64, Box<dyn std::error::Error + Send + Sync>> {
///         tx.execute("INSERT INTO ledger (amount) VALUES (?1)", [amount])?;
///         let id = tx.last_insert_rowid();
///         if let Some(claim) = &claim {
///             SqliteStore::settle_in(tx, claim, &id)?;
///         }
///         Ok(id)
///     });
///     booked.await.map_err(ToolError::fatal)
/// }
/// # let folder = tempfile::tempdir()?;
/// # let store = SqliteStore::open(folder.path().join("a.db")).await?;
/// # store.transaction(|tx| -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// #     Ok(tx.execute_batch("CREATE TABLE ledger (id INTEGER PRIMARY KEY, amount INTEGER)")?)
/// # }).await?;
/// # let call = CallContext::detached(agent_core::SecurityContext::anonymous());
/// # assert_eq!(book(7, &store, &call).await.ok(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    writer: Thread,
    reader: Thread,
    clock: Clock,
}

/// How a [`SqliteStore`] is opened.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    path: PathBuf,
    busy_timeout: Duration,
}

impl SqliteOptions {
    /// The file at this path, made where there is none; or a `file:` URI, as SQLite knows them.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), busy_timeout: Duration::from_secs(5) }
    }

    /// How long to wait for another process or connection that writes. Default: five seconds.
    #[must_use]
    pub fn busy_timeout(mut self, at_most: Duration) -> Self {
        self.busy_timeout = at_most;
        self
    }

    /// Opens the store, and brings its tables up to this version.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is no database, is damaged, or was written by a newer version.
    pub async fn open(self) -> Result<SqliteStore, StoreError> {
        let clock = Clock::of_this_machine()?;
        let options = self.clone();
        let writer = Thread::start("agent-store-writer", move || {
            let mut connection = options.connect()?;
            schema::migrate(&mut connection)?;
            Ok(connection)
        })
        .await?;
        let reader = Thread::start("agent-store-reader", move || self.connect()).await?;
        Ok(SqliteStore { inner: Arc::new(Inner { writer, reader, clock }) })
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let what = || format!("`{}` cannot be opened", self.path.display());
        let opened = Connection::open_with_flags(&self.path, OpenFlags::default());
        let connection = opened.map_err(|error| failure(&what(), error))?;
        self.prepare(&connection).map_err(|error| failure(&what(), error))?;
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "wal" => Ok(connection),
            Ok(mode) => {
                let why = format!("{}: its journal is `{mode}`, and only `wal` is safe here", what());
                Err(StoreError::Failed(Cause::new(why)))
            }
            Err(error) => Err(failure(&what(), error)),
        }
    }

    fn prepare(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.busy_timeout(self.busy_timeout)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(())
    }
}

impl SqliteStore {
    /// Opens the file at this path, made where there is none.
    ///
    /// # Errors
    ///
    /// As [`SqliteOptions::open`].
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        SqliteOptions::new(path).open().await
    }

    /// Runs `work` in a transaction on the store's own writing connection, and commits it if it succeeds.
    ///
    /// Other writes of the store wait meanwhile. A panic in `work` rolls back, and is an error here.
    ///
    /// # Errors
    ///
    /// What `work` gives, or the store's own.
    pub async fn transaction<T, E>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let worked = self.inner.writer.run(move |connection| {
            let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
            let tx = begun.map_err(|error| failure("a transaction cannot begin", error))?;
            // What the work gives is kept apart from what the store gives, since either may fail.
            match work(&tx) {
                Ok(done) => tx.commit().map(|()| Ok(done)).map_err(|error| failure("a commit failed", error)),
                Err(error) => Ok(Err(error)),
            }
        });
        worked.await.map_err(E::from)?
    }

    /// Settles a claim in a transaction on the store's file, so that the effect and its record commit together.
    ///
    /// The transaction may be the store's ([`transaction`](Self::transaction)) or one of a connection of your own to the
    /// same file, with `synchronous = FULL`, SQLite's default. `value` is what the tool returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`] when the claim is no longer the caller's, or is settled already: the effect of this
    /// transaction is not to happen. After any error, roll back.
    pub fn settle_in<T: Serialize + ?Sized>(
        tx: &Transaction<'_>,
        claim: &ClaimHandle,
        value: &T,
    ) -> Result<(), StoreError> {
        let settled = Settled::value(value)
            .map_err(|error| StoreError::Failed(Cause::new("the value cannot be written as JSON").because(error)))?;
        if claims::settle(tx, claim.key(), claim.fence(), &settled)? { Ok(()) } else { Err(StoreError::LostFence) }
    }

    /// Forgets, for every tenant, the claims that were settled and the runs that finished longer ago than they are kept.
    ///
    /// Call it now and then, from one process. It goes through the tables a page at a time, each in a transaction of its
    /// own, so that others wait for no more than a page. What is running or unknown is never forgotten, nor are
    /// unfinished runs, their claims, and audit records. Where it fails, what was forgotten until then is.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn sweep(&self, keep: &Retention) -> Result<Swept, StoreError> {
        let tenants = self.read(|connection| {
            let tenants = connection.prepare_cached(TENANTS).and_then(|mut statement| {
                statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
            });
            tenants.map_err(|error| failure("tenants cannot be listed", error))
        });
        sweep(self, tenants.await?, keep).await
    }

    /// Changes something, in a transaction that others may share. It may be asked again, where that failed as a whole.
    async fn write<T: Send + 'static>(
        &self,
        change: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.inner.writer.join(|_| Ok(None), change).await
    }

    async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.inner.reader.run(job).await
    }
}
