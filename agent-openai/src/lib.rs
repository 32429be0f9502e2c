//! The OpenAI chat-completions wire format for [`agent_core`], as OpenAI and compatible servers speak it.
//!
//! [`OpenAi`] is a [`Model`](agent_core::model::Model): it writes requests, reads whatever servers
//! answer, and tries again what may pass.
//!
//! ```no_run
//! use agent_core::model::{Message, Model, Request};
//! use agent_openai::OpenAi;
//!
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! // Reads OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL.
//! let model = OpenAi::from_env()?;
//! let question = [Message::user("What is the capital of Bangladesh?")];
//! let reply = model.reply(Request::new(&question)).await?;
//! println!("{}", reply.text.unwrap_or_default());
//! # Ok(())
//! # }
//! ```
//!
//! The same piece by piece, as it is written:
//!
//! ```no_run
//! use agent_core::model::{Delta, Message, Model, ModelError, Request};
//! use agent_openai::OpenAi;
//! use futures_util::StreamExt;
//!
//! # async fn show(model: OpenAi) -> Result<(), ModelError> {
//! let question = [Message::user("What is the capital of Bangladesh?")];
//! let mut pieces = model.stream(Request::new(&question));
//! while let Some(piece) = pieces.next().await {
//!     match piece? {
//!         Delta::Text(text) => print!("{text}"),
//!         Delta::Done(reply) => println!(" ({:?})", reply.usage),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Servers that speak the format in their own way have a [`Dialect`]. One of your own needs no key, and may be reached
//! over plain HTTP where it is on this machine:
//!
//! ```
//! # fn main() -> Result<(), agent_openai::ConfigError> {
//! let model = agent_openai::Dialect::OLLAMA.builder().model("qwen3").build()?;
//! # let _ = model;
//! # Ok(())
//! # }
//! ```
//!
//! A test of one's own records its exchanges once and replays them from then on, without server and key; see
//! [`Cassette`].
//!
//! A stream ends with `[DONE]`. Where a server leaves that out and keeps the connection open, the reply is taken as whole
//! one second after its finish reason and usage, or three where no usage came.
//!
//! Keys are [`SecretString`]s, shown neither by `Debug` nor by errors. Redirects are not followed,
//! so that a key goes to no host but the one that was named; of a client that is given with
//! [`Builder::client`], that is for its own settings to say.

mod builder;
mod convert;
mod dialect;
#[cfg(fuzzing)]
pub mod fuzz;
mod model;
mod read;
mod settings;
#[cfg(feature = "tiktoken")]
mod tokens;
mod wire;

pub use agent_core::profile::OPENAI;
pub use agent_http::{Cassette, CassetteError, ConfigError};
pub use builder::Builder;
pub use dialect::{Dialect, Limit, Parallel};
pub use model::OpenAi;
pub use reqwest;
pub use secrecy::SecretString;
#[cfg(feature = "tiktoken")]
pub use tokens::{Tiktoken, UnknownModel};
