//! A model that is a function.

use async_trait::async_trait;

use crate::model::{Message, Model, ModelError, Reply, Request};
use crate::schema::{Profile, profile};

/// A model that is a function of the conversation.
///
/// ```
/// use agent_core::model::Reply;
/// use agent_core::testing::FunctionModel;
/// let echo = FunctionModel::new(|messages| Ok(Reply::text(format!("{} messages", messages.len()))));
/// # let _: &dyn agent_core::model::Model = &echo;
/// ```
pub struct FunctionModel {
    #[expect(clippy::type_complexity, reason = "the one place where it is written")]
    answer: Box<dyn Fn(&[Message]) -> Result<Reply, ModelError> + Send + Sync>,
}

impl FunctionModel {
    /// A model that answers with what `answer` gives.
    pub fn new(answer: impl Fn(&[Message]) -> Result<Reply, ModelError> + Send + Sync + 'static) -> Self {
        Self { answer: Box::new(answer) }
    }
}

#[async_trait]
impl Model for FunctionModel {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "function"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        (self.answer)(request.messages)
    }
}

impl std::fmt::Debug for FunctionModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FunctionModel")
    }
}
