//! The model.

use std::fmt;
use std::sync::Arc;

use agent_core::model::{Delta, Model, ModelError, Reply, Request};
use agent_core::schema::Profile;
use agent_http::{Client, ConfigError};
use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};

use crate::builder::Builder;
use crate::convert::{self, Assembler};
use crate::dialect::Dialect;
use crate::read::Reading;
use crate::settings::Settings;

/// A model behind OpenAI's chat-completions format. A [`Dialect`] sets one up for a server other than OpenAI's. Clones share one HTTP client and its connections.
///
/// ```no_run
/// use agent_openai::OpenAi;
///
/// # fn main() -> Result<(), agent_openai::ConfigError> {
/// let model = OpenAi::builder().model("gpt-4o-mini").api_key("sk-..").temperature(0.0).build()?;
/// # let _ = model;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAi {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    pub(crate) profiles: [&'static Profile; 1],
    /// The most bytes of one call's arguments.
    pub(crate) most_argument_bytes: usize,
}

impl Inner {
    pub(crate) fn assembler(&self) -> Assembler {
        Assembler::new(self.most_argument_bytes)
    }
}

impl OpenAi {
    /// A model from `OPENAI_API_KEY`, `OPENAI_BASE_URL` (OpenAI's own where it is not set) and
    /// `OPENAI_MODEL` (`gpt-4o-mini`).
    ///
    /// ```no_run
    /// let model = agent_openai::OpenAi::from_env()?;
    /// # Ok::<(), agent_openai::ConfigError>(())
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
    /// let model = agent_openai::OpenAi::builder().base_url("http://localhost:8080/v1").build()?;
    /// # let _ = model;
    /// # Ok::<(), agent_openai::ConfigError>(())
    /// ```
    pub fn builder() -> Builder {
        Dialect::OPENAI.builder()
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("model", &self.inner.settings.model)
            .field("server", &self.inner.client.server())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for OpenAi {
    fn profiles(&self) -> &[&'static Profile] {
        &self.inner.profiles
    }

    fn name(&self) -> &str {
        &self.inner.settings.model
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let Inner { client, settings, .. } = &*self.inner;
        let body = convert::body(&request, settings, false)?;
        client.reply(body, request.deadline, |answered| Reading::new(answered, self.inner.assembler())).await
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let Inner { client, settings, .. } = &*self.inner;
        match convert::body(&request, settings, true) {
            Ok(body) => client
                .stream(body, request.deadline, |answered| Reading::new(answered, self.inner.assembler().showing())),
            Err(error) => Box::pin(stream::iter([Err(error)])),
        }
    }
}
