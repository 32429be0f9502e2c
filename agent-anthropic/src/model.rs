//! The model.

use std::fmt;
use std::sync::Arc;

use agent_core::model::{Delta, Model, ModelError, Reply, Request};
use agent_core::schema::Profile;
use agent_http::{Client, ConfigError};
use async_trait::async_trait;
use futures_util::stream::BoxStream;

use crate::builder::Builder;
use crate::convert::{self, Assembler, Paused};
use crate::read::Reading;
use crate::settings::Settings;

/// A model behind Anthropic's Messages format. Clones share one HTTP client and its connections.
///
/// ```no_run
/// use agent_anthropic::Anthropic;
///
/// # fn main() -> Result<(), agent_anthropic::ConfigError> {
/// let model = Anthropic::builder().api_key("sk-ant-..").thinking_budget(2048).build()?;
/// # let _ = model;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Anthropic {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    /// The most bytes of one call's arguments.
    pub(crate) most_argument_bytes: usize,
}

impl Inner {
    pub(crate) fn assembler(&self) -> Assembler {
        Assembler::new(self.most_argument_bytes)
    }
}

impl Anthropic {
    /// A model from `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` (Anthropic's own where it is not set) and
    /// `ANTHROPIC_MODEL` (`claude-sonnet-4-5`).
    ///
    /// ```no_run
    /// let model = agent_anthropic::Anthropic::from_env()?;
    /// # Ok::<(), agent_anthropic::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the variable.
    pub fn from_env() -> Result<Self, ConfigError> {
        Builder::from_env()?.build()
    }

    /// A model to be set up in code. Nothing is read from the environment.
    ///
    /// ```
    /// let model = agent_anthropic::Anthropic::builder().base_url("http://localhost:8080").build()?;
    /// # let _ = model;
    /// # Ok::<(), agent_anthropic::ConfigError>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anthropic")
            .field("model", &self.inner.settings.model)
            .field("server", &self.inner.client.server())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for Anthropic {
    fn profiles(&self) -> &[&'static Profile] {
        &[&crate::ANTHROPIC]
    }

    fn name(&self) -> &str {
        &self.inner.settings.model
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let Inner { client, settings, .. } = &*self.inner;
        let mut paused = Paused::new(settings.max_continuations);
        loop {
            let body = convert::body(&request, settings, false, paused.so_far())?;
            let begin = |answered| Reading::new(answered, self.inner.assembler());
            match client.reply(body, request.deadline, begin).await {
                Ok(reply) => {
                    if let Some(whole) = paused.take(reply) {
                        return Ok(whole);
                    }
                }
                Err(error) => return Err(paused.failed(error)),
            }
        }
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        crate::stream::run(&self.inner, request)
    }
}
