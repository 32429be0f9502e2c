//! Models without a server, and suites that hold a store or an adapter against its contract, for tests of your own.

mod adapter;
mod audit;
mod claims;
mod every_tool;
mod function;
mod lock;
mod runs;
mod sample;
mod scripted;

pub use adapter::{Asked, Said, ScriptedWire, adapter};
pub use audit::MemoryAudit;
pub use claims::claims;
pub use every_tool::EveryTool;
pub use function::FunctionModel;
#[doc(hidden)]
pub use lock::assert_locked;
pub use lock::{Change, tools_lock, tools_lock_changes};
pub use runs::runs;
pub use scripted::ScriptedModel;
