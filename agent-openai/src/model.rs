//! The model.

use std::fmt;
use std::sync::Arc;

use agent_core::model::{Model, ModelError, Reply, Request};
use agent_core::schema::Profile;
use async_trait::async_trait;
use bytes::Bytes;

use crate::builder::Builder;
use crate::client::Client;
use crate::config::ConfigError;
use crate::convert::{self, Assembler};
use crate::error::{Answered, Fault};
use crate::retry::Retries;
use crate::settings::Settings;
use crate::wire::completion::Completion;
use crate::wire::json;

/// A model behind OpenAI's chat-completions format. Clones share one HTTP client and its connections.
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
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    pub(crate) retries: Retries,
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
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("model", &self.inner.settings.model)
            .field("server", &self.inner.client.endpoint.shown)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for OpenAi {
    fn profiles(&self) -> &[&'static Profile] {
        &[&crate::OPENAI]
    }

    fn name(&self) -> &str {
        &self.inner.settings.model
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let Inner { client, settings, retries } = &*self.inner;
        let body = Bytes::from(convert::body(&request, settings, false)?);
        let mut attempts = retries.begin(request.deadline);
        loop {
            let answer = client.send(body.clone(), request.deadline).await;
            match answer.and_then(|(answered, body)| read(&answered, &body)) {
                Ok(mut reply) => {
                    reply.attempts = attempts.sent;
                    return Ok(reply);
                }
                Err(error) => attempts.after(error).await?,
            }
        }
    }
}

/// Reads a body that came with a status of success.
fn read(answered: &Answered, body: &[u8]) -> Result<Reply, ModelError> {
    if body.trim_ascii().is_empty() {
        return Err(answered.malformed("is empty", body));
    }
    let completion: Completion =
        json::read(body).map_err(|error| answered.malformed("is no JSON", body).caused_by(error))?;
    let mut assembler = Assembler::default();
    if assembler.push(completion).is_err() || !assembler.has_choice() {
        let fault = Fault::read(body);
        return Err(match fault.is_some() {
            true => answered.fault(&fault),
            false => answered.malformed("is no chat completion", body).retryable(false),
        });
    }
    Ok(assembler.finish())
}
