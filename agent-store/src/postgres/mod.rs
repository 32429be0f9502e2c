//! Claims and runs in PostgreSQL.

mod admin;
mod claims;
mod error;
mod forget;
mod patience;
mod runs;
mod schema;

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use agent_core::idempotency::{Cause, ClaimHandle, Settled, StoreError};
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use serde::Serialize;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls, Transaction};

use self::patience::ask;
use crate::retention::{Retention, Swept, TENANTS, sweep};

/// Keeps claims and runs in PostgreSQL, for any number of processes on any number of machines.
///
/// Its tables' names begin with `agent_`; they are made in the first schema of the connection's `search_path`. Leases are
/// measured by the server's clock. Clones are handles on the same pool of connections.
///
/// A tool whose effect is in the same database settles its claim with it:
///
/// ```
/// use agent_core::{CallContext, ToolError, OrFatal};
/// use agent_store::PostgresStore;
///
/// /// The body of a tool that is `mutating, keyed`.
/// async fn book(amount: i64, store: &PostgresStore, call: &CallContext) -> Result<i64, ToolError> {
///     let mut client = store.pool().get().await.fatal()?;
///     let tx = client.transaction().await.fatal()?;
///     let row = tx.query_one("INSERT INTO ledger (amount) VALUES ($1) RETURNING id", &[&amount]).await.fatal()?;
///     let id: i64 = row.get(0);
///     if let Some(claim) = call.claim() {
///         PostgresStore::settle_in(&tx, claim, &id).await.fatal()?;
///     }
///     tx.commit().await.fatal()?;
///     Ok(id)
/// }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    pool: Pool,
}

/// How a [`PostgresStore`] is opened.
#[derive(Clone)]
pub struct PostgresOptions {
    config: Result<Config, ParseError>,
    connections: usize,
}

/// Where nobody has said otherwise: a machine that is gone between settlement and commit keeps its locks for about a
/// minute, and not for the two hours that is the rule.
const ALIVE: &str = "
    SELECT set_config(name, seconds, false)
    FROM pg_settings JOIN (VALUES ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'),
        ('tcp_keepalives_count', '3')) wanted (name, seconds) USING (name)
    WHERE source = 'default'";

type ParseError = std::sync::Arc<tokio_postgres::Error>;

impl PostgresOptions {
    /// The database that this string names: a `postgres://` URL, or `key=value` pairs.
    pub fn new(connection: &str) -> Self {
        Self { config: connection.parse().map_err(std::sync::Arc::new), connections: 16 }
    }

    /// With at most this many connections; at least 1. Default: 16.
    #[must_use]
    pub fn connections(mut self, at_most: usize) -> Self {
        self.connections = at_most.max(1);
        self
    }

    /// Opens the store, and brings its tables up to this version.
    ///
    /// It speaks without TLS, so a server that is not on this machine is refused, unless the string says
    /// `sslmode=disable`. For TLS, make a pool with a connector and use [`PostgresStore::from_pool`].
    ///
    /// # Errors
    ///
    /// When the server cannot be reached, or its tables were written by a newer version.
    pub async fn open(self) -> Result<PostgresStore, StoreError> {
        let wrong = |error| StoreError::Failed(Cause::new("the connection string is not understood").because(error));
        let config = self.config.map_err(wrong)?;
        if config.get_ssl_mode() != SslMode::Disable && !is_local(&config) {
            let why = "the server is not on this machine and TLS is not in use; make a pool with TLS and use \
                `PostgresStore::from_pool`, or say `sslmode=disable`";
            return Err(StoreError::failed(why));
        }
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method });
        let seconds = |n| Some(Duration::from_secs(n));
        let pool = Pool::builder(manager)
            .max_size(self.connections)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts { wait: seconds(30), create: seconds(10), recycle: seconds(5) })
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    // What the store has answered must be there after a crash of the server.
                    let durable = "SELECT set_config('synchronous_commit', 'on', false)
                        WHERE current_setting('synchronous_commit') = 'off'";
                    client.batch_execute(durable).await.map_err(HookError::Backend)?;
                    client.batch_execute(ALIVE).await.map_err(HookError::Backend)
                })
            }))
            .build()
            .map_err(|error| StoreError::Failed(Cause::new("the pool cannot be made").because(error)))?;
        PostgresStore::from_pool(pool).await
    }
}

fn is_local(config: &Config) -> bool {
    let named = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    named && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

impl PostgresStore {
    /// Opens the database that the string names.
    ///
    /// # Errors
    ///
    /// As [`PostgresOptions::open`].
    pub async fn open(connection: &str) -> Result<Self, StoreError> {
        PostgresOptions::new(connection).open().await
    }

    /// Uses this pool, and brings the tables of its database up to this version.
    ///
    /// Its connections must not have `synchronous_commit` off, and must keep their prepared statements. Give them
    /// `tcp_keepalives_idle` as well: a client whose machine is gone between settlement and commit keeps its locks until the
    /// server finds that out, which takes two hours where nothing is set.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached, does not keep what it has answered (`synchronous_commit` is off), or its tables
    /// were written by a newer version.
    pub async fn from_pool(pool: Pool) -> Result<Self, StoreError> {
        let setting: Result<String, StoreError> = ask!(&pool, "a setting cannot be read", |client| {
            Ok(client.query_one("SELECT current_setting('synchronous_commit')", &[]).await?.try_get(0)?)
        });
        if setting? == "off" {
            let why = "its connections have `synchronous_commit` off, and what is answered would not outlive a crash of \
                the server; turn it on for them";
            return Err(StoreError::failed(why));
        }
        schema::migrate(&pool).await?;
        Ok(Self { pool })
    }

    /// The store's connections, for transactions that settle a claim.
    pub fn pool(&self) -> &Pool {
        &self.pool
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
        let tenants: Result<Vec<String>, StoreError> = ask!(&self.pool, "tenants cannot be listed", |client| {
            let rows = client.query(TENANTS, &[]).await?;
            Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
        });
        sweep(self, tenants?, keep).await
    }

    /// Settles a claim in a transaction on the store's database, so that the effect and its record commit together.
    ///
    /// The transaction may be on one of the store's connections or on one of your own, with the same `search_path`.
    /// `value` is what the tool returns.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`] when the claim is no longer the caller's, or is settled already: the effect of this
    /// transaction is not to happen. After any error, roll back.
    pub async fn settle_in<T: Serialize + ?Sized>(
        tx: &Transaction<'_>,
        claim: &ClaimHandle,
        value: &T,
    ) -> Result<(), StoreError> {
        let settled = Settled::value(value)
            .map_err(|error| StoreError::Failed(Cause::new("the value cannot be written as JSON").because(error)))?;
        claims::settle_in(tx, claim, &settled).await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("pool", &self.pool.status()).finish_non_exhaustive()
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions").field("connections", &self.connections).finish_non_exhaustive()
    }
}
