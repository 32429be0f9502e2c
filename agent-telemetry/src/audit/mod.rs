//! An audit in files whose records hang together, and the look at whether they still do.

mod chain;
mod file;
mod open;
mod queue;
mod verify;
mod writer;

pub use chain::Head;
pub use file::{FileAudit, Flush};
pub use open::{FileAuditBuilder, FileAuditError};
pub use verify::{Place, Tampering, Verified, Verify, verify};
