//! What the example programs share: a server that plays the model, the view of a run, options and exit codes.

pub mod exit;
mod interrupt;
mod options;
mod program;
pub mod server;
pub mod view;

pub use interrupt::Interrupt;
pub use options::{Common, Provider};
pub use program::{Model, conclude, main, when_free};
