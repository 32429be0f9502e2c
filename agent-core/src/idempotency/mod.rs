//! Effects happen once: keys, claims, and the store that keeps them.

mod key;
mod memory;
mod store;

pub use key::{IdempotencyKey, Position};
pub use memory::MemoryStore;
pub use store::{Claim, ClaimRequest, Fence, IdempotencyStore, Settled, StoreError};
