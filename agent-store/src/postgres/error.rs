//! What PostgreSQL's errors mean to the caller.

use std::error::Error as _;

use agent_core::idempotency::{Cause, StoreError};
use deadpool_postgres::{HookError, PoolError};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// The store's error for one of PostgreSQL's.
pub(super) fn failure(what: &str, error: Error) -> StoreError {
    let code = error.code().cloned();
    let gone = error.is_closed() || is_io(&error);
    let cause = Cause::new(what).because(error);
    let Some(code) = code else {
        return if gone { StoreError::Unreachable(cause) } else { StoreError::Failed(cause) };
    };
    match code {
        SqlState::DISK_FULL => StoreError::Full(cause),
        SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => StoreError::ReadOnly(cause),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::Damaged(cause),
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::QUERY_CANCELED
        | SqlState::OUT_OF_MEMORY
        | SqlState::TOO_MANY_CONNECTIONS => StoreError::Busy(cause),
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            StoreError::Unreachable(cause)
        }
        // Class 08: the connection.
        code if code.code().starts_with("08") => StoreError::Unreachable(cause),
        _ => StoreError::Failed(cause),
    }
}

fn is_io(error: &Error) -> bool {
    let mut source = error.source();
    while let Some(error) = source {
        if error.is::<std::io::Error>() {
            return true;
        }
        source = error.source();
    }
    false
}

/// The store's error where no connection is to be had.
pub(super) fn unavailable(error: PoolError) -> StoreError {
    const WHAT: &str = "no connection to the server";
    match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => failure(WHAT, error),
        PoolError::Timeout(_) => StoreError::Busy(Cause::new("no connection became free in time").because(error)),
        other => StoreError::Failed(Cause::new(WHAT).because(other)),
    }
}
