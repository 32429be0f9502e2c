//! Models without a server, and suites that hold a store against its contract, for tests of your own.

mod claims;
mod function;
mod runs;
mod scripted;

pub use claims::claims;
pub use function::FunctionModel;
pub use runs::runs;
pub use scripted::ScriptedModel;
