//! What holds of dispatch and of the loop, whatever the model, the tools and the store do.

mod agent;
mod bounds;
mod claims;
mod codes;
mod random;
mod world;
