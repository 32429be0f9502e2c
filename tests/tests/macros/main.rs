//! What the macros make of functions and types: the data that the runtime reads.

mod defaults;
mod error;
mod parts;
mod schema;
mod spec;
mod state;
mod wire;
