//! Another model where one cannot answer.

use std::fmt;

use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::time::{Instant, timeout_at};

use super::{Delta, FailedModel, Model, ModelError, ModelErrorKind, Reply, Request};
use crate::schema::Profile;

/// A model that asks others in turn until one answers.
///
/// The next one is asked where a server has too much to do, limits the rate, fails, cannot be reached or does not
/// answer in time; never where the request itself is at fault, as one that is invalid, too long or not allowed: the
/// next server would refuse it too, or worse, take it. A stream goes over only before its first piece.
///
/// It is never silent: each reply names the model that answered and, in [`Reply::fallbacks`], those that did not;
/// so does the run's record, and each change is a warning in the log.
///
/// With a deadline, a model that is not the last may take half of what is left of the time, so that one that hangs
/// leaves time for the next. Tools are checked against what every one of the models takes. Each speaks its own
/// format, so what only one provider understands of an earlier reply is left out for the others.
///
/// ```
/// use agent_core::model::{Fallback, Message, Model, ModelError, ModelErrorKind, Reply, Request};
/// use agent_core::testing::FunctionModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ModelError> {
/// let busy = FunctionModel::new(|_| Err(ModelError::new(ModelErrorKind::Overloaded, "too much to do")));
/// let idle = FunctionModel::new(|_| Ok(Reply::text("Hello.")));
/// let model = Fallback::new(busy).then(idle);
/// let reply = model.reply(Request::new(&[Message::user("Hi.")])).await?;
/// assert_eq!(reply.text.as_deref(), Some("Hello."));
/// assert_eq!(reply.fallbacks[0].kind, ModelErrorKind::Overloaded);
/// # Ok(())
/// # }
/// ```
///
/// A model that panics is a fault of the program and not of a server: the panic is passed on, and no other is asked.
///
/// To choose a model by what is asked, by its size or price, takes no more than a model of your own, which may
/// stand in a `Fallback`, or have some:
///
/// ```
/// use agent_core::model::{Delta, Model, ModelError, Reply, Request};
/// use agent_core::schema::Profile;
/// use async_trait::async_trait;
/// use futures_util::stream::BoxStream;
///
/// struct BySize<S, L> {
///     small: S,
///     large: L,
/// }
///
/// impl<S: Model, L: Model> BySize<S, L> {
///     fn choose(&self, request: &Request<'_>) -> &dyn Model {
///         if request.messages.len() < 20 { &self.small } else { &self.large }
///     }
/// }
///
/// #[async_trait]
/// impl<S: Model, L: Model> Model for BySize<S, L> {
///     // The two are of one provider here; else these are the profiles of both.
///     fn profiles(&self) -> &[&'static Profile] {
///         self.large.profiles()
///     }
///
///     fn name(&self) -> &str {
///         "small or large"
///     }
///
///     async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
///         self.choose(&request).reply(request).await
///     }
///
///     fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
///         self.choose(&request).stream(request)
///     }
/// }
/// # use agent_core::model::{Fallback, Message};
/// # use agent_core::testing::FunctionModel;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ModelError> {
/// # let says = |text: &'static str| FunctionModel::new(move |_| Ok(Reply::text(text)));
/// # let model = Fallback::new(BySize { small: says("small"), large: says("large") }).then(says("another"));
/// # for (messages, said) in [(1, "small"), (20, "large")] {
/// #     let reply = model.reply(Request::new(&vec![Message::user("Hi."); messages])).await?;
/// #     assert_eq!(reply.text.as_deref(), Some(said));
/// # }
/// # Ok(())
/// # }
/// ```
pub struct Fallback {
    models: Vec<Box<dyn Model>>,
    profiles: Vec<&'static Profile>,
    name: String,
}

impl Fallback {
    /// Asks this model first.
    pub fn new(first: impl Model + 'static) -> Self {
        let (profiles, name) = (first.profiles().to_vec(), first.name().to_owned());
        Self { models: vec![Box::new(first)], profiles, name }
    }

    /// Asks this one where those before it could not answer.
    #[must_use]
    pub fn then(mut self, next: impl Model + 'static) -> Self {
        for profile in next.profiles() {
            if self.profiles.iter().all(|known| known.name != profile.name) {
                self.profiles.push(profile);
            }
        }
        self.name = format!("{}, else {}", self.name, next.name());
        self.models.push(Box::new(next));
        self
    }

    /// Goes over to the next model, or gives the error back where there is none or it would not help.
    fn go_on(&self, at: usize, error: ModelError, failed: &mut Vec<FailedModel>) -> Result<(), ModelError> {
        let Some(next) = self.models.get(at + 1).filter(|_| may_pass_elsewhere(error.kind())) else {
            return Err(error.after(failed));
        };
        let (kind, model) = (error.kind(), self.models[at].name());
        tracing::warn!(model, kind = kind.as_str(), next = next.name(), "a model could not answer; the next is asked");
        failed.push(FailedModel { model: model.to_owned(), kind, attempts: error.get_attempts() });
        Ok(())
    }

    /// When the model at this place has to have begun its answer.
    fn patience(&self, at: usize, deadline: Option<Instant>) -> Option<Instant> {
        let deadline = deadline?;
        let now = Instant::now();
        match at + 1 < self.models.len() {
            true => Some(now + deadline.saturating_duration_since(now) / 2),
            false => Some(deadline),
        }
    }
}

/// Whether another server may answer what this one did not.
const fn may_pass_elsewhere(kind: ModelErrorKind) -> bool {
    use ModelErrorKind::{Connection, Overloaded, RateLimit, Server, StreamInterrupted, Timeout};
    matches!(kind, Overloaded | RateLimit | Server | Timeout | Connection | StreamInterrupted)
}

/// Waits no longer than this.
async fn within<T>(until: Option<Instant>, model: &dyn Model, what: impl Future<Output = T>) -> Result<T, ModelError> {
    let Some(until) = until else { return Ok(what.await) };
    timeout_at(until, what).await.map_err(|_| {
        let message = format!("{} did not answer in time; allow more time or ask for less", model.name());
        ModelError::new(ModelErrorKind::Timeout, message)
    })
}

/// Notes who answered, and who did not.
fn noted(mut reply: Reply, model: &dyn Model, mut failed: Vec<FailedModel>) -> Reply {
    let sent = failed.iter().fold(0_u32, |sent, model| sent.saturating_add(model.attempts));
    reply.attempts = reply.attempts.saturating_add(sent);
    reply.model.get_or_insert_with(|| model.name().to_owned());
    failed.append(&mut reply.fallbacks);
    reply.fallbacks = failed;
    reply
}

#[async_trait]
impl Model for Fallback {
    fn profiles(&self) -> &[&'static Profile] {
        &self.profiles
    }

    fn name(&self) -> &str {
        &self.name
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let mut failed = Vec::new();
        let mut at = 0;
        loop {
            // `go_on` ends the loop before the list does.
            let model = &*self.models[at];
            let until = self.patience(at, request.deadline);
            match within(until, model, model.reply(request.deadline(until))).await {
                Ok(Ok(reply)) => return Ok(noted(reply, model, failed)),
                Ok(Err(error)) | Err(error) => self.go_on(at, error, &mut failed)?,
            }
            at += 1;
        }
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let run = Streaming { all: self, request, at: 0, failed: Vec::new(), given: false, open: None, over: false };
        Box::pin(stream::try_unfold(run, |mut run| async move { Ok(run.next().await?.map(|delta| (delta, run))) }))
    }
}

struct Streaming<'a> {
    all: &'a Fallback,
    request: Request<'a>,
    at: usize,
    failed: Vec<FailedModel>,
    /// Whether the caller has seen a piece, so that nothing may be said again.
    given: bool,
    /// The stream under way.
    open: Option<Open<'a>>,
    over: bool,
}

struct Open<'a> {
    pieces: BoxStream<'a, Result<Delta, ModelError>>,
    /// When the first piece has to be there.
    until: Option<Instant>,
}

impl Streaming<'_> {
    async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        while !self.over {
            let model = &*self.all.models[self.at];
            let Open { pieces, until } = self.open.get_or_insert_with(|| Open {
                pieces: model.stream(self.request),
                until: self.all.patience(self.at, self.request.deadline),
            });
            let until = until.filter(|_| !self.given);
            match within(until, model, pieces.next()).await {
                Ok(Some(Ok(Delta::Done(reply)))) => {
                    self.over = true;
                    return Ok(Some(Delta::Done(noted(reply, model, std::mem::take(&mut self.failed)))));
                }
                Ok(Some(Ok(delta))) => {
                    self.given = true;
                    return Ok(Some(delta));
                }
                Ok(Some(Err(error))) | Err(error) => {
                    if self.given {
                        return Err(error.after(&self.failed));
                    }
                    self.all.go_on(self.at, error, &mut self.failed)?;
                    self.open = None;
                    self.at += 1;
                }
                Ok(None) => self.over = true,
            }
        }
        Ok(None)
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").field("models", &self.name).finish_non_exhaustive()
    }
}
