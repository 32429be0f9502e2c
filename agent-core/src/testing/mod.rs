//! Models without a server, and suites that hold a store or an adapter against its contract, for tests of your own.

mod adapter;
mod claims;
mod every_tool;
mod function;
mod runs;
mod sample;
mod scripted;

pub use adapter::{Asked, Said, ScriptedWire, adapter};
pub use claims::claims;
pub use every_tool::EveryTool;
pub use function::FunctionModel;
pub use runs::runs;
pub use scripted::ScriptedModel;
