//! Claims and runs that outlive their process, in SQLite or PostgreSQL.
//!
//! Each store is an [`IdempotencyStore`](agent_core::idempotency::IdempotencyStore), a
//! [`ClaimAdmin`](agent_core::idempotency::ClaimAdmin) and a [`RunStore`](agent_core::run_store::RunStore).
//!
//! ```
//! # #[cfg(feature = "sqlite")]
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use agent_core::Agent;
//! use agent_core::idempotency::ClaimAdmin;
//! use agent_core::model::Reply;
//! use agent_core::testing::ScriptedModel;
//! use agent_store::SqliteStore;
//!
//! let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(folder.path().join("effects.db")).await?;
//! // The claims of mutating calls and the runs, in one place.
//! let model = ScriptedModel::new([Reply::text("Done.")]);
//! let agent = Agent::builder(model).store(store.clone()).run_store(store.clone()).build()?;
//! assert_eq!(agent.run("Do it.").id("order-4711").await?.text(), "Done.");
//! assert!(store.unknown_claims("tenant_uk_01", None, 100).await?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # What survives what
//!
//! A claim, a settlement and a saved run are on disk before the store answers: SQLite runs in WAL mode with
//! `synchronous = FULL`, and PostgreSQL's connections have `synchronous_commit` turned on where the server has it off.
//! A process that is killed loses nothing that was answered. Whether a loss of power loses nothing either is up to the
//! disk and, with PostgreSQL, to the server's `fsync`.
//!
//! What does lose claims, so that their calls could happen a second time:
//!
//! - *Failover to a replica that is behind.* An asynchronous replica lacks the last moments. Wait for one with
//!   `synchronous_standby_names`, or treat every call of those moments as unknown.
//! - *A file without its log.* What SQLite has committed last is in the file that ends in `-wal`, until it is written back.
//!   Copying the database alone, or deleting that file, loses it. Copy with `VACUUM INTO`, `.backup`, or all files of a
//!   store that nobody has open.
//! - *An older copy.* A copy that is restored knows nothing of what was claimed since it was made. Treat all of that as
//!   unknown: look at the target before runs of that time are taken up or repeated.
//!
//! # Whose clock
//!
//! Leases are measured by one clock for all who share a store. PostgreSQL: the server's clock. SQLite: on Linux the time
//! since the machine was booted, together with the id of the boot, since all users of a file in WAL mode are on one
//! machine; elsewhere the machine's wall clock. Setting the clock that counts forward, the PostgreSQL server's or that
//! of a machine with SQLite and no Linux, makes claims look unknown that still run, so that a `keyed` call may run
//! beside itself. Set back, it makes what a dead process has left stay owned for as long as the jump; nothing happens twice.
//! Keep such a clock slewed.
//!
//! Fences are counted in the database, so no clock, however it is set, gives one a second time.
//!
//! # Many at once
//!
//! What takes long about a claim is its commit. SQLite's changes that wait at the same time share one; a
//! server of PostgreSQL does the like by itself.
//!
//! # What a claim costs
//!
//! A claim and its settlement are two commits, and a bare INSERT of the same durability is one, so one task that waits for
//! each cannot come above one half of its pace. `cargo run --release -p agent-store-tests --bin bench` measures it, with
//! `AGENT_TEST_POSTGRES` set for PostgreSQL. Seen on two cores that others used as well, at real-time priority, so that
//! waiting for a core is not part of it:
//!
//! | | to a bare INSERT | the same of an INSERT and an UPDATE, two commits |
//! | --- | ---: | ---: |
//! | SQLite, one task: claim and settlement | 0.24 | 0.51 |
//! | SQLite, one task: to a bare INSERT through the store's thread | 0.48 | |
//! | SQLite, 16 tasks: claim and settlement | 1.26 | |
//! | SQLite: effect and settlement in one transaction | 0.80 | |
//! | PostgreSQL, one connection: claim and settlement | 0.41 | 0.48 |
//! | PostgreSQL, 16 connections: claim and settlement | 0.36 | 0.47 |
//!
//! A commit of SQLite took 0.14 ms there. The slower it is, the less all else counts: where it took 4 ms, the first row was
//! at 0.47 and the one transaction at 0.98.
//!
//! *SQLite.* A claim and a settlement write one page each, as a bare INSERT does, but where a page is full or a block of
//! fences is used up. What is left is the way to the store's thread and back, 50 µs on that machine, measured by a claim
//! that is answered without a change, of which SQLite takes the smallest part. A bare INSERT that goes the same way pays it too. To save it, a task would have to wait for the disk on
//! the runtime's own thread, or the store's thread would have to use a core while it waits for work. An effect that commits
//! with its settlement writes two pages instead of one.
//!
//! *PostgreSQL.* A claim is one statement and one round trip, and so is a settlement. Sixteen connections wait for the
//! processor and not for the disk, since the server shares commits by itself: of a claim and its settlement it takes 182 µs
//! of processor time, of the INSERT and UPDATE 124, of the INSERT 58, and the client takes 40, 29 and 15. The difference is
//! a row of nine values, an index on two texts, and the look beforehand that keeps a replay from writing. Sharing one
//! transaction among the claims that wait was tried: it takes some of the server's work away and adds as much to the
//! client's, and a claim then waits for its neighbours' locks.
//!
//! # Effect and record in one transaction
//!
//! A tool whose effect is in the same database as the store settles its claim in the transaction of the effect, with
//! `settle_in`: both are there, or neither. Such a tool may be declared `keyed`, since its target honours the claim: a
//! transaction whose claim was lost cannot commit, so a repetition never doubles the effect. It happens exactly once.
//!
//! # Retention
//!
//! A durable store keeps what it has until it is told to forget: `sweep` forgets, for all tenants, claims that were settled
//! and runs that finished longer ago than a `Retention` says, by wall clock.
//! [`forget_claims`](agent_core::idempotency::ClaimAdmin::forget_claims) and
//! [`forget_runs`](agent_core::run_store::RunStore::forget_runs) do so for one tenant. All of them go through the tables in
//! pages of a thousand rows, each in a transaction of its own. Claims that are running or unknown, those of a run that has
//! not finished, unfinished runs and audit records are never forgotten. A forgotten call that comes again runs again, so
//! keep claims for longer than any run may be repeated.
//!
//! ```
//! # #[cfg(feature = "sqlite")]
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use std::time::Duration;
//!
//! use agent_store::{Retention, SqliteStore};
//!
//! # let folder = tempfile::tempdir()?;
//! # let store = SqliteStore::open(folder.path().join("effects.db")).await?;
//! let day = Duration::from_secs(24 * 60 * 60);
//! let swept = store.sweep(&Retention::new(90 * day).runs(30 * day)).await?;
//! println!("{} claims and {} runs are forgotten", swept.claims, swept.runs);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod convert;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod retention;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "postgres")]
pub use deadpool_postgres;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresOptions, PostgresStore};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use retention::{Retention, Swept};
#[cfg(feature = "sqlite")]
pub use rusqlite;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteOptions, SqliteStore};
