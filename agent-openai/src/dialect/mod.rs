//! How servers that speak the format differ.

mod table;

use std::env;

use agent_core::schema::Profile;
use agent_http::{ConfigError, Provider};

use crate::builder::Builder;

/// How one server's way of speaking the format differs from the others': where it is, what it takes, what it refuses.
///
/// What a server does not take is not sent, whatever the builder was told. `docs/dialects.md` in the repository has the
/// table. A server that is not in it is set up by hand, or as the one that
/// it is most like with another [`base_url`](Builder::base_url).
///
/// ```
/// use agent_openai::Dialect;
///
/// # fn main() -> Result<(), agent_openai::ConfigError> {
/// let local = Dialect::OLLAMA.builder().model("qwen3").build()?;
/// let groq = Dialect::GROQ.builder().api_key("gsk_..").model("llama-3.3-70b-versatile").build()?;
/// # let _ = (local, groq);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Dialect {
    /// Where its servers are, and how a key goes there.
    pub provider: Provider,
    /// The environment variable with the model's name.
    pub model_variable: &'static str,
    /// The model where none is named.
    pub model: Option<&'static str>,
    /// What tool schemas it takes.
    pub profile: &'static Profile,
    /// Whether `strict` goes with a tool.
    pub strict: bool,
    /// What becomes of `parallel_tool_calls`.
    pub parallel: Parallel,
    /// Whether a stream may be asked for its usage.
    pub stream_usage: bool,
    /// Whether it knows the role `developer`.
    pub developer_role: bool,
    /// Whether a call can be forced; where not, `tool_choice` is left out, and the model is left to choose.
    pub required: bool,
    /// The name under which it takes the most tokens of a reply.
    pub limit: Limit,
}

/// What becomes of `parallel_tool_calls`.
///
/// ```
/// assert_eq!(agent_openai::Dialect::AZURE.parallel, agent_openai::Parallel::Never);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallel {
    /// It is sent where it was set.
    AsSet,
    /// False is sent with tools, since strict tools do not go with several calls at once.
    Never,
    /// It is never sent: the server does not know it.
    Unknown,
}

/// The name under which a server takes the most tokens of a reply.
///
/// ```
/// assert_eq!(agent_openai::Dialect::MISTRAL.limit, agent_openai::Limit::MaxTokens);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Either, as it was set.
    AsSet,
    /// `max_tokens`, under whichever name it was set.
    MaxTokens,
}

impl Dialect {
    /// A model to be set up in code. Nothing is read from the environment.
    pub fn builder(&'static self) -> Builder {
        Builder::speaking(self)
    }

    /// The same with key, base URL and model from the environment, as far as they are set there.
    ///
    /// ```no_run
    /// let model = agent_openai::Dialect::MISTRAL.from_env()?.model("mistral-large-latest").build()?;
    /// # Ok::<(), agent_openai::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::NotUnicode`] names the variable.
    #[allow(clippy::wrong_self_convention, reason = "it reads as what it does: this dialect, from the environment")]
    pub fn from_env(&'static self) -> Result<Builder, ConfigError> {
        self.from_variables(env::var)
    }

    #[allow(clippy::wrong_self_convention, reason = "as above")]
    pub(crate) fn from_variables(
        &'static self,
        read: impl Fn(&'static str) -> Result<String, env::VarError>,
    ) -> Result<Builder, ConfigError> {
        Builder::from_variables(self, read)
    }
}
