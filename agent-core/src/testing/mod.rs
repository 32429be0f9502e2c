//! Models without a server, for tests of your own.

mod every_tool;
mod function;
mod lock;
mod sample;
mod scripted;

pub use every_tool::EveryTool;
pub use function::FunctionModel;
#[doc(hidden)]
pub use lock::assert_locked;
pub use lock::{Change, tools_lock, tools_lock_changes};
pub use scripted::ScriptedModel;
