//! Effects happen once: keys, claims, and the store that keeps them.

mod admin;
mod error;
mod key;
mod memory;
mod store;

pub use admin::{Audit, ClaimAdmin, Operator, Resolution, UnknownClaim};
pub use error::{Cause, StoreError};
pub use key::{IdempotencyKey, Position};
pub use memory::MemoryStore;
pub use store::{Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyStore, Settled};
