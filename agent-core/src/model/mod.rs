//! Models: what an adapter implements, and what is said between it and the loop.

mod delta;
mod error;
mod fallback;
mod message;
mod reply;
mod request;
mod session;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, TryStreamExt};

pub use delta::Delta;
pub use error::{ModelError, ModelErrorKind};
pub use fallback::Fallback;
pub use message::{Body, CallId, Echo, Message, MessageId, Part, ToolCall};
pub use reply::{FailedModel, Finish, Reply, Usage};
pub use request::{Request, ToolChoice, ToolDefinition};
pub use session::Session;

use crate::schema::Profile;

/// A language model behind some wire format.
///
/// **Before a call**: every call in `request.messages` has its result, ids are unique, and each tool
/// has a published text for every profile that [`profiles`](Self::profiles) names.
///
/// **Cancellation**: the returned future may be dropped at any await. Nothing may go on after that
/// on the model's behalf.
///
/// **Panics**: an implementation must not panic on anything a server sends. One that does fails its run with
/// [`ModelErrorKind::Panicked`].
#[async_trait]
pub trait Model: Send + Sync {
    /// What the provider takes; never empty. Tools are checked against each at `build()`, and requests use the first that fits.
    fn profiles(&self) -> &[&'static Profile];

    /// The model's name for logs and records, such as `gpt-4o-mini`.
    fn name(&self) -> &str;

    /// The provider's name for logs and spans, as the conventions of OpenTelemetry have it: `openai`. By default that of
    /// the first profile.
    fn provider(&self) -> &str {
        match self.profiles().first().map(|profile| profile.name) {
            Some("OpenAI") => "openai",
            Some("Anthropic") => "anthropic",
            Some("Azure OpenAI") => "azure.ai.openai",
            Some("Gemini") => "gcp.gemini",
            _ => "_OTHER",
        }
    }

    /// Asks for one reply.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] after the implementation's own retries, which stay within `request.deadline`.
    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError>;

    /// Asks for one reply and gives it piece by piece.
    ///
    /// The stream ends with [`Delta::Done`] or with an error, which holds the text that had arrived. An
    /// implementation tries again only as long as it has given no piece. Without one of its own, a
    /// model gives each part of its reply, text or call, in one piece.
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let pieces = stream::once(self.reply(request)).map_ok(|reply| stream::iter(Delta::parts(reply).map(Ok)));
        Box::pin(pieces.try_flatten())
    }
}

#[async_trait]
impl<M: Model + ?Sized> Model for std::sync::Arc<M> {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn profiles(&self) -> &[&'static Profile] {
        (**self).profiles()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        (**self).reply(request).await
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        (**self).stream(request)
    }
}

#[async_trait]
impl<M: Model + ?Sized> Model for Box<M> {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn profiles(&self) -> &[&'static Profile] {
        (**self).profiles()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        (**self).reply(request).await
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        (**self).stream(request)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::StreamExt;

    use super::*;
    use crate::profile;

    struct Parrot;

    #[async_trait]
    impl Model for Parrot {
        fn profiles(&self) -> &[&'static Profile] {
            &[&profile::OPENAI]
        }

        fn name(&self) -> &str {
            "parrot"
        }

        async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
            Ok(Reply::text(request.system.unwrap_or_default()))
        }
    }

    #[tokio::test]
    async fn a_model_without_a_stream_of_its_own_gives_its_reply_part_by_part() {
        let shared: Arc<dyn Model> = Arc::new(Parrot);
        let boxed: Box<dyn Model> = Box::new(shared);
        let pieces: Vec<_> = boxed.stream(Request::new(&[]).system(Some("Hi."))).map(Result::unwrap).collect().await;
        assert_eq!(pieces, [Delta::Text("Hi.".to_owned()), Delta::Done(Reply::text("Hi."))]);
    }
}
