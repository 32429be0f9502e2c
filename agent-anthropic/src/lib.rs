//! The Anthropic Messages wire format for [`agent_core`].
//!
//! [`Anthropic`] is a [`Model`](agent_core::model::Model): it writes requests, reads whatever servers
//! answer, and tries again what may pass.
//!
//! ```no_run
//! use agent_anthropic::Anthropic;
//! use agent_core::model::{Message, Model, Request};
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! // Reads ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL and ANTHROPIC_MODEL.
//! let model = Anthropic::from_env()?;
//! let question = [Message::user("What is the capital of Bangladesh?")];
//! let reply = model.reply(Request::new(&question)).await?;
//! println!("{}", reply.text.unwrap_or_default());
//! # Ok(())
//! # }
//! ```
//!
//! # What is done for the format's sake
//!
//! - Thinking, its signatures, and the blocks of tools that run at the server are kept with the message and go
//!   back as they came, in their order.
//! - A turn that the server pauses (`pause_turn`) is sent back to go on, up to
//!   [`max_continuations`](Builder::max_continuations) times. The reply has the text of all, the usage of all
//!   and counts each as an attempt.
//! - Results of one turn go in one user message, with what the person says after them.
//! - The format takes arguments only as an object. Those of an earlier call that are none go as
//!   `{"INVALID_JSON": ".."}` with the model's own text, so that it sees what it wrote; blank ones as `{}`.
//! - Ids and names that the format does not take, as other providers have them, are changed alike in the call
//!   and in its result.
//! - Texts that are blank are left out: the server would refuse the whole conversation for one.
//! - While thinking is on, a call cannot be forced; the model is then left to choose.
//!
//! Keys are [`SecretString`]s, shown neither by `Debug` nor by errors. Redirects are not followed,
//! so that a key goes to no host but the one that was named; of a client that is given with
//! [`Builder::client`], that is for its own settings to say.

mod builder;
mod convert;
#[cfg(fuzzing)]
pub mod fuzz;
mod model;
mod read;
mod settings;
mod stream;
mod wire;

pub use agent_core::profile::ANTHROPIC;
pub use agent_http::{Cassette, CassetteError, ConfigError};
pub use builder::Builder;
pub use model::Anthropic;
pub use reqwest;
pub use secrecy::SecretString;
pub use settings::Caching;
