//! A model that says what it is told to say.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::model::{Message, Model, ModelError, ModelErrorKind, Reply, Request};
use crate::schema::{Profile, profile};

/// A model that gives prepared replies in order. Clones are handles on the same script.
///
/// A request beyond the script, or one that its step does not expect, is an error that says so;
/// [`finish`](Self::finish) fails for steps that nobody asked for. A script has a reply for every turn: after
/// the results of its calls a model is asked again, so that a script of one call has two replies, and a run
/// that ends with closing words, such as a denied one, takes one more.
///
/// ```
/// use agent_core::model::Reply;
/// use agent_core::testing::ScriptedModel;
/// use agent_core::Agent;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([]).expect(|messages| messages.len() == 1, Reply::text("Hi."));
/// let agent = Agent::builder(model.clone()).build()?;
/// assert_eq!(agent.run("Hello.").await?.text(), "Hi.");
/// model.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    script: Arc<Mutex<Script>>,
    profile: &'static Profile,
}

#[derive(Default)]
struct Script {
    steps: VecDeque<Step>,
    asked: Vec<Vec<Message>>,
    wrong: Vec<String>,
}

type Expects = Box<dyn Fn(&[Message]) -> bool + Send>;

struct Step {
    expects: Option<Expects>,
    reply: Result<Reply, ModelError>,
}

impl ScriptedModel {
    /// A model that gives these replies.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_errors(replies.into_iter().map(Ok))
    }

    /// A model that gives these replies and errors.
    pub fn with_errors(replies: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        let steps = replies.into_iter().map(|reply| Step { expects: None, reply }).collect();
        let script = Script { steps, ..Script::default() };
        Self { script: Arc::new(Mutex::new(script)), profile: &profile::OPENAI }
    }

    /// Then gives this reply, if the conversation is as expected.
    #[must_use]
    pub fn expect(self, expects: impl Fn(&[Message]) -> bool + Send + 'static, reply: Reply) -> Self {
        self.lock().steps.push_back(Step { expects: Some(Box::new(expects)), reply: Ok(reply) });
        self
    }

    /// Speaks to this profile, in place of [`profile::OPENAI`].
    #[must_use]
    pub fn profile(mut self, profile: &'static Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The conversations that it was asked with, in order.
    pub fn seen(&self) -> Vec<Vec<Message>> {
        self.lock().asked.clone()
    }

    /// Says whether the script was followed to its end.
    ///
    /// # Errors
    ///
    /// The requests that were not expected, and the steps that were not asked for.
    pub fn finish(&self) -> Result<(), String> {
        let script = self.lock();
        let mut wrong = script.wrong.clone();
        if !script.steps.is_empty() {
            wrong.push(format!("{} scripted replies were not asked for", script.steps.len()));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Model for ScriptedModel {
    fn profiles(&self) -> &[&'static Profile] {
        std::slice::from_ref(&self.profile)
    }

    fn name(&self) -> &str {
        "scripted"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let mut script = self.lock();
        script.asked.push(request.messages.to_vec());
        let number = script.asked.len();
        let wrong = match script.steps.pop_front() {
            None => format!("request {number} is one more than the script has replies for"),
            Some(Step { expects: Some(expects), .. }) if !expects(request.messages) => {
                format!("request {number} is not as its step expects: {:?}", request.messages)
            }
            Some(step) => return step.reply,
        };
        script.wrong.push(wrong.clone());
        Err(ModelError::new(ModelErrorKind::InvalidRequest, wrong))
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel").field("steps_left", &self.lock().steps.len()).finish_non_exhaustive()
    }
}
