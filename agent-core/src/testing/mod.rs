//! Models without a server, for tests of your own.

mod function;
mod scripted;

pub use function::FunctionModel;
pub use scripted::ScriptedModel;
