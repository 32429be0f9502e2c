//! What the adapters of [`agent_core`] do alike over HTTP: sending, waiting, trying again, reading streams, naming
//! errors.
//!
//! For those who write an adapter; an application has no use for it. An adapter says where its provider's servers
//! are ([`Provider`]), writes the body of a request, and reads answers ([`Reading`]). This crate does the rest:
//! a [`Client`] keeps to the deadline, tries again what may pass, limits what is read, sends no key over plain
//! HTTP to another machine or to where a redirect points, and turns what servers say went wrong into a
//! [`ModelError`](agent_core::model::ModelError) that says what to do about it.
//!
//! ```
//! use agent_http::{KeyHeader, Provider, Setup};
//!
//! const PROVIDER: Provider = Provider {
//!     name: "Parrot",
//!     api: "the Parrot API",
//!     base_url: "https://api.parrot.example/v1",
//!     path: &["say"],
//!     own_host: "api.parrot.example",
//!     key_header: KeyHeader::Bearer,
//!     headers: &[],
//!     key_variable: "PARROT_API_KEY",
//!     url_variable: "PARROT_BASE_URL",
//!     user_agent: "parrot/1",
//! };
//!
//! # fn main() -> Result<(), agent_http::ConfigError> {
//! let mut setup = Setup::new(&PROVIDER);
//! setup.set_base_url("http://localhost:8080");
//! let client = setup.build()?;
//! assert_eq!(client.server(), "http://localhost:8080");
//! # Ok(())
//! # }
//! ```
//!
//! `docs/writing-an-adapter.md` in the repository writes a whole adapter with it.

pub mod arguments;
pub mod body;
mod cassette;
mod client;
mod config;
mod endpoint;
mod error;
mod event_stream;
#[cfg(fuzzing)]
pub mod fuzz;
mod growing;
pub mod json;
pub mod lenient;
mod object;
pub mod opaque;
mod provider;
mod read;
mod retry;
mod secrets;
mod setup;
#[cfg(feature = "test-util")]
pub mod story;
mod stream;

pub use cassette::{Cassette, CassetteError};
pub use client::Client;
pub use config::{ConfigError, variable};
pub use error::{Answered, Fault};
pub use growing::Growing;
pub use provider::{KeyHeader, Provider};
pub use read::Reading;
pub use reqwest;
pub use retry::Retries;
pub use secrecy::SecretString;
#[doc(hidden)]
pub use serde;
pub use setup::Setup;
