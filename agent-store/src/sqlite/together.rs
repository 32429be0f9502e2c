//! Changes that wait at the same time share a transaction, for what takes long is its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agent_core::idempotency::StoreError;
use rusqlite::{Connection, Error, TransactionBehavior};
use tokio::sync::oneshot;

use super::error::failure;

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
pub(super) fn together(connection: &mut Connection, group: Group) {
    let mut left = Vec::with_capacity(group.len());
    for mut change in group.into_iter().filter(|change| change.is_wanted()) {
        match catch_unwind(AssertUnwindSafe(|| change.look(connection))) {
            Ok(true) => change.answer(None),
            Ok(false) => left.push(change),
            Err(_) => tracing::error!("a look of the store panicked"),
        }
    }
    if left.is_empty() {
        return;
    }
    // One that takes the whole transaction with it, as a full disk does, must not take its neighbours along.
    if let Some(again) = commit(connection, left) {
        for change in again {
            commit(connection, vec![change]);
        }
    }
}

/// Makes the changes in one transaction. Gives back those that are to be made one by one, since nothing of them is done.
fn commit(connection: &mut Connection, mut group: Group) -> Option<Group> {
    let tx = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(tx) => tx,
        Err(error) => {
            fail(group, "a transaction cannot begin", &error);
            return None;
        }
    };
    let alone = group.len() == 1;
    let (mut whole, mut at) = (true, 0);
    while whole && at < group.len() {
        match catch_unwind(AssertUnwindSafe(|| save_point(&tx, &mut *group[at]))) {
            Ok(saved) => {
                at += 1;
                whole = saved.is_ok() && !tx.is_autocommit();
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
    // Where it has not rolled back by itself, it does now.
    drop(tx);
    if alone {
        let why = || StoreError::failed("the transaction was rolled back");
        group.into_iter().for_each(|change| change.answer(Some(why())));
        return None;
    }
    Some(group)
}

/// Makes a change, and undoes it alone where it failed.
fn save_point(tx: &Connection, change: &mut dyn Joined) -> rusqlite::Result<()> {
    let run = |sql: &str| tx.prepare_cached(sql)?.execute([]).map(drop);
    run("SAVEPOINT agent_change")?;
    if !change.make(tx) {
        if tx.is_autocommit() {
            return Ok(());
        }
        run("ROLLBACK TO agent_change")?;
    }
    run("RELEASE agent_change")
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
