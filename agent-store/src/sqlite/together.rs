//! Changes that wait at the same time share a transaction, for what takes long is its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agent_core::idempotency::StoreError;
use rusqlite::{Connection, Error, ErrorCode};
use tokio::sync::oneshot;

use super::error::failure;
use super::fences::Fences;

/// A change, whatever it answers.
pub(super) trait Joined: Send {
    /// Whether anybody waits for it.
    fn is_wanted(&self) -> bool;

    /// Whether a look answers it, without a transaction.
    fn look(&mut self, connection: &Connection) -> bool;

    /// Makes the change; false where it failed and is to be undone.
    fn make(&mut self, connection: &Connection) -> bool;

    /// Gives the answer, or what kept it from being committed.
    fn answer(self: Box<Self>, uncommitted: Option<StoreError>);
}

/// A look, a change, and who waits for the answer.
pub(super) struct Change<T, L, C> {
    look: L,
    change: C,
    waiting: oneshot::Sender<Result<T, StoreError>>,
    answer: Option<Result<T, StoreError>>,
}

impl<T, L, C> Change<T, L, C> {
    pub(super) fn new(look: L, change: C, waiting: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { look, change, waiting, answer: None }
    }
}

impl<T, L, C> Joined for Change<T, L, C>
where
    T: Send,
    L: FnMut(&Connection) -> Result<Option<T>, StoreError> + Send,
    C: FnMut(&Connection) -> Result<T, StoreError> + Send,
{
    fn is_wanted(&self) -> bool {
        !self.waiting.is_closed()
    }

    fn look(&mut self, connection: &Connection) -> bool {
        self.answer = (self.look)(connection).transpose();
        self.answer.is_some()
    }

    fn make(&mut self, connection: &Connection) -> bool {
        let answer = (self.change)(connection);
        let made = answer.is_ok();
        self.answer = Some(answer);
        made
    }

    fn answer(self: Box<Self>, uncommitted: Option<StoreError>) {
        let answer = match (self.answer, uncommitted) {
            (Some(Err(error)), _) | (_, Some(error)) => Err(error),
            (Some(answer), None) => answer,
            (None, None) => Err(StoreError::failed("a change of the store was not made")),
        };
        // Nobody waits: the change is done or not done, as the contract allows.
        let _ = self.waiting.send(answer);
    }
}

type Group = Vec<Box<dyn Joined>>;

/// Answers each of them: by a look, or when all of their changes are committed.
pub(super) fn together(connection: &Connection, group: Group, fences: &Fences) {
    let group: Group = group.into_iter().filter(|change| change.is_wanted()).collect();
    // Looks and changes share a transaction, so that it is begun once.
    let tx = match Tx::begin(connection, fences, "BEGIN") {
        Ok(tx) => tx,
        Err(error) => return fail(group, "a transaction cannot begin", &error),
    };
    let mut left = Vec::with_capacity(group.len());
    for mut change in group {
        match catch_unwind(AssertUnwindSafe(|| change.look(connection))) {
            Ok(true) => change.answer(None),
            Ok(false) => left.push(change),
            Err(_) => tracing::error!("a look of the store panicked"),
        }
    }
    if left.is_empty() {
        // All of them have their answers, and nothing was written.
        return drop(tx.commit());
    }
    let tx = match tx.writing() {
        Ok(tx) => tx,
        Err(error) => return fail(left, "a transaction cannot begin", &error),
    };
    // One that takes the whole transaction with it, as a full disk does, must not take its neighbours along.
    for change in commit(tx, left).into_iter().flatten() {
        match Tx::begin(connection, fences, "BEGIN IMMEDIATE") {
            Ok(tx) => drop(commit(tx, vec![change])),
            Err(error) => fail(vec![change], "a transaction cannot begin", &error),
        }
    }
}

/// A transaction; rolled back unless it is committed. That of `rusqlite` parses its statements each time.
struct Tx<'a> {
    connection: &'a Connection,
    fences: &'a Fences,
    committed: bool,
}

impl<'a> Tx<'a> {
    fn begin(connection: &'a Connection, fences: &'a Fences, how: &str) -> rusqlite::Result<Self> {
        run(connection, how)?;
        Ok(Self { connection, fences, committed: false })
    }

    /// Makes it one that writes: as it is, unless somebody has written since it began or does so now; else by another.
    fn writing(self) -> rusqlite::Result<Self> {
        match run(self.connection, "UPDATE agent_fence SET last = last WHERE false") {
            Ok(()) => Ok(self),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                let (connection, fences) = (self.connection, self.fences);
                drop(self);
                Self::begin(connection, fences, "BEGIN IMMEDIATE")
            }
            Err(error) => Err(error),
        }
    }

    /// Whether it still is there: SQLite rolls some failures back by itself.
    fn is_open(&self) -> bool {
        !self.connection.is_autocommit()
    }

    fn commit(mut self) -> rusqlite::Result<()> {
        run(self.connection, "COMMIT")?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Tx<'_> {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        self.fences.undone();
        if self.is_open()
            && let Err(error) = run(self.connection, "ROLLBACK")
        {
            tracing::error!(%error, "a transaction of the store cannot be rolled back");
        }
    }
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

/// Makes the changes in one transaction. Gives back those that are to be made one by one, since nothing of them is done.
fn commit(tx: Tx<'_>, mut group: Group) -> Option<Group> {
    let alone = group.len() == 1;
    let (mut whole, mut at) = (true, 0);
    while whole && at < group.len() {
        let change = &mut *group[at];
        // One that is alone has no neighbours to spare, and is undone with the whole.
        let make = || if alone { change.make(tx.connection) } else { save_point(&tx, change).is_ok() };
        match catch_unwind(AssertUnwindSafe(make)) {
            Ok(made) => {
                at += 1;
                whole = made && tx.is_open();
            }
            Err(_) => {
                tracing::error!("a change of the store panicked");
                // Whoever waits for it is told as it is dropped.
                drop(group.remove(at));
                whole = false;
            }
        }
    }
    if whole {
        match tx.commit() {
            Ok(()) => group.into_iter().for_each(|change| change.answer(None)),
            Err(error) => fail(group, "a commit failed", &error),
        }
        return None;
    }
    drop(tx);
    if alone {
        let why = || StoreError::failed("the transaction was rolled back");
        group.into_iter().for_each(|change| change.answer(Some(why())));
        return None;
    }
    Some(group)
}

/// Makes a change, and undoes it alone where it failed.
fn save_point(tx: &Tx<'_>, change: &mut dyn Joined) -> rusqlite::Result<()> {
    run(tx.connection, "SAVEPOINT agent_change")?;
    if !change.make(tx.connection) {
        tx.fences.undone();
        if !tx.is_open() {
            return Ok(());
        }
        run(tx.connection, "ROLLBACK TO agent_change")?;
    }
    run(tx.connection, "RELEASE agent_change")
}

/// Tells each of them the same error.
fn fail(group: Group, what: &str, error: &Error) {
    for change in group {
        let same = match error {
            Error::SqliteFailure(code, text) => Error::SqliteFailure(*code, text.clone()),
            other => Error::ToSqlConversionFailure(other.to_string().into()),
        };
        change.answer(Some(failure(what, same)));
    }
}
