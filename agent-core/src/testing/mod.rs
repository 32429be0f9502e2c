//! Models without a server, and suites that hold a store against its contract, for tests of your own.

mod claims;
mod function;
mod scripted;

pub use claims::claims;
pub use function::FunctionModel;
pub use scripted::ScriptedModel;
