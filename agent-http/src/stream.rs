//! A reply piece by piece.

mod live;

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use agent_core::model::{Delta, ModelError, Reply};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::BoxStream;
use tokio::time::Instant;

use self::live::Live;
use crate::client::{Client, Opened};
use crate::error::Answered;
use crate::read::{self, Reading};
use crate::retry::Attempts;

/// Sends a request for a stream; gives what comes.
pub(crate) fn run<'a, R: Reading + 'a>(
    client: &'a Client,
    body: Bytes,
    deadline: Option<Instant>,
    begin: impl Fn(Answered) -> R + Send + 'a,
) -> BoxStream<'a, Result<Delta, ModelError>> {
    let asked = Asked { client, body, deadline };
    let opening = Box::pin(open(asked.clone(), client.retries.begin(deadline), None));
    let at = At::Opening(opening);
    Box::pin(Run { asked, begin, at, attempts: None, ready: Vec::new(), given: false })
}

/// A request, as often as it is sent.
#[derive(Clone)]
struct Asked<'a> {
    client: &'a Client,
    body: Bytes,
    deadline: Option<Instant>,
}

struct Run<'a, R, B> {
    asked: Asked<'a>,
    begin: B,
    at: At<'a, R>,
    /// The attempts, but while one is opened.
    attempts: Option<Attempts<'a>>,
    /// Pieces that are to be given, the last one first.
    ready: Vec<Delta>,
    /// Whether the caller has seen a piece, so that nothing may be said again.
    given: bool,
}

enum At<'a, R> {
    Opening(Pin<Box<dyn Future<Output = Tried<'a>> + Send + 'a>>),
    Reading(Box<Live<R>>),
    End,
}

/// What came of sending, and how often that was done.
type Tried<'a> = (Attempts<'a>, Result<(Answered, Opened), ModelError>);

/// Sends until an answer begins, after what failed before.
async fn open<'a>(asked: Asked<'a>, mut attempts: Attempts<'a>, failed: Option<ModelError>) -> Tried<'a> {
    let mut failed = failed;
    loop {
        if let Some(error) = failed
            && let Err(error) = attempts.after(error).await
        {
            return (attempts, Err(error));
        }
        match asked.client.open(asked.body.clone(), asked.deadline).await {
            Ok(opened) => return (attempts, Ok(opened)),
            Err(error) => failed = Some(error),
        }
    }
}

// Nothing in it is pinned by itself.
impl<R, B> Unpin for Run<'_, R, B> {}

impl<R: Reading, B: Fn(Answered) -> R> Stream for Run<'_, R, B> {
    type Item = Result<Delta, ModelError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(delta) = this.ready.pop() {
                this.given = true;
                return Poll::Ready(Some(Ok(delta)));
            }
            let step = match &mut this.at {
                At::Opening(opening) => {
                    let (attempts, opened) = ready!(opening.as_mut().poll(context));
                    this.attempts = Some(attempts);
                    match opened {
                        Ok((answered, opened)) => this.begin(answered, opened),
                        // It was tried as often as it may be.
                        Err(error) => {
                            this.at = At::End;
                            return Poll::Ready(Some(Err(error)));
                        }
                    }
                }
                At::Reading(live) => ready!(live.poll_pieces(context, &mut this.ready)).and_then(|is_over| {
                    // While it is taken, the end stands in its place: after an error nothing follows.
                    if is_over && let At::Reading(live) = std::mem::replace(&mut this.at, At::End) {
                        this.done(live.end()?);
                    }
                    Ok(())
                }),
                At::End => return Poll::Ready(None),
            };
            if let Err(error) = step {
                let at = std::mem::replace(&mut this.at, At::End);
                drop(at);
                // There are some, but while one is opened.
                let Some(attempts) = this.attempts.take() else { return Poll::Ready(Some(Err(error))) };
                if this.given {
                    return Poll::Ready(Some(Err(error.attempts(attempts.sent))));
                }
                this.at = At::Opening(Box::pin(open(this.asked.clone(), attempts, Some(error))));
            }
        }
    }
}

impl<R: Reading, B: Fn(Answered) -> R> Run<'_, R, B> {
    fn begin(&mut self, answered: Answered, opened: Opened) -> Result<(), ModelError> {
        let reading = (self.begin)(answered.clone());
        match opened {
            Opened::Events(incoming, start) => {
                let live = Live::new(self.asked.client, self.asked.deadline, answered, reading, incoming, start);
                self.at = At::Reading(Box::new(live));
            }
            Opened::Whole(body) => {
                self.at = At::End;
                let (reply, deltas) = read::whole(&answered, body, reading)?;
                self.ready.extend(deltas.into_iter().rev());
                self.done(reply);
            }
        }
        Ok(())
    }

    /// The last piece; nothing but what is ready goes before it.
    fn done(&mut self, mut reply: Reply) {
        reply.attempts = self.attempts.as_ref().map_or(1, |attempts| attempts.sent);
        self.ready.insert(0, Delta::Done(reply));
    }
}
