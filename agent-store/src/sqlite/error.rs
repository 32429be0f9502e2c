//! What SQLite's errors mean to the caller.

use agent_core::idempotency::{Cause, StoreError};
use rusqlite::{Error, ErrorCode};

/// The store's error for one of SQLite's.
pub(super) fn failure(what: &str, error: Error) -> StoreError {
    let code = error.sqlite_error_code();
    let cause = Cause::new(what).because(error);
    match code {
        Some(ErrorCode::DiskFull) => StoreError::Full(cause),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly(cause),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(cause),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(cause),
        _ => StoreError::Failed(cause),
    }
}
