//! What holds of dispatch and of the loop, whatever the model, the tools and the store do.

mod agent;
mod claims;
mod codes;
mod world;
