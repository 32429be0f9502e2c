//! Models without a server, for tests of your own.

mod every_tool;
mod function;
mod sample;
mod scripted;

pub use every_tool::EveryTool;
pub use function::FunctionModel;
pub use scripted::ScriptedModel;
