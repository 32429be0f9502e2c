//! Adapters that are broken in one way each: the suite finds each of them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use agent_core::model::{
    Body, CallId, Delta, Echo, Finish, Message, Model, ModelError, ModelErrorKind as Kind, Reply, Request,
};
use agent_core::schema::Profile;
use agent_core::testing;
use async_trait::async_trait;
use futures_util::future::{FutureExt, join_all};
use futures_util::stream::{self, BoxStream, StreamExt};

use crate::contract::Squawk;
use crate::parrot::Parrot;

/// What is wrong with an adapter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Asks,
    Attempts,
    TurnsCalls,
    LosesIds,
    LosesUsage,
    LosesReason,
    LosesSystem,
    LosesEcho,
    KeepsForeignEcho,
    StreamDiffers,
    StreamIsOnePiece,
    StreamGoesOn,
    HalfIsWhole,
    LosesPartialText,
    WrongKind,
    LosesWords,
    NoDeadline,
    NoDeadlineInStreams,
    GoesOnAlone,
    TakesNonsense,
}

struct Broken {
    parrot: Arc<Parrot>,
    way: Way,
}

impl Broken {
    fn request<'a>(&self, request: Request<'a>) -> Request<'a> {
        match self.way {
            Way::NoDeadline => request.deadline(None),
            Way::LosesSystem => request.system(None),
            _ => request,
        }
    }

    fn end(&self, end: Result<Reply, ModelError>) -> Result<Reply, ModelError> {
        match end {
            Ok(reply) => Ok(self.reply(reply)),
            Err(error) => match (self.way, error.kind()) {
                (Way::HalfIsWhole, Kind::StreamInterrupted) | (Way::TakesNonsense, Kind::MalformedResponse) => {
                    Ok(Reply::text(error.get_partial_text().unwrap_or_default()))
                }
                (Way::LosesPartialText, _) => Err(error.partial_text(None)),
                (Way::WrongKind, Kind::RateLimit) => Err(ModelError::new(Kind::Server, error.message())),
                (Way::LosesWords, kind) => {
                    let text = error.get_partial_text().map(str::to_owned);
                    Err(ModelError::new(kind, "failed").attempts(error.get_attempts()).partial_text(text))
                }
                _ => Err(error),
            },
        }
    }

    fn reply(&self, mut reply: Reply) -> Reply {
        match self.way {
            Way::Attempts => reply.attempts = 1,
            Way::TurnsCalls => reply.calls.reverse(),
            Way::LosesIds => reply.calls.iter_mut().for_each(|call| call.id = CallId::new("")),
            Way::LosesUsage => reply.usage = None,
            Way::LosesReason => reply.finish = Some(Finish::Stop),
            Way::LosesEcho => reply.echo = None,
            _ => {}
        }
        reply
    }
}

/// A message whose echo is taken for one of Parrot's.
fn taken_for_ours(message: &Message) -> Message {
    let Body::Assistant { text, refusal, calls, echo: Some(echo) } = message.body() else { return message.clone() };
    let echo = Echo { format: "parrot".to_owned(), fields: echo.fields.clone() };
    Message::reply(text.clone(), refusal.clone(), calls.clone(), Some(echo))
}

#[async_trait]
impl Model for Broken {
    fn profiles(&self) -> &[&'static Profile] {
        self.parrot.profiles()
    }

    fn name(&self) -> &str {
        self.parrot.name()
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let mut request = self.request(request);
        let ours: Vec<_>;
        match self.way {
            Way::Asks => drop(self.parrot.reply(request).await),
            Way::KeepsForeignEcho => {
                ours = request.messages.iter().map(taken_for_ours).collect();
                request.messages = &ours;
            }
            Way::GoesOnAlone if request.tools.is_empty() => {
                let (parrot, messages) = (Arc::clone(&self.parrot), request.messages.to_vec());
                let deadline = request.deadline;
                let asking =
                    tokio::spawn(async move { parrot.reply(Request::new(&messages).deadline(deadline)).await });
                return asking.await.unwrap();
            }
            _ => {}
        }
        self.end(self.parrot.reply(request).await)
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let request = match self.way {
            Way::NoDeadlineInStreams => request.deadline(None),
            _ => self.request(request),
        };
        let pieces = self.parrot.stream(request).filter_map(move |piece| async move {
            Some(match piece {
                Ok(Delta::Done(mut reply)) => {
                    if self.way == Way::StreamDiffers {
                        reply.text = reply.text.map(|text| text + "!");
                    }
                    self.end(Ok(reply)).map(Delta::Done)
                }
                Ok(_) if self.way == Way::StreamIsOnePiece => return None,
                Ok(piece) => Ok(piece),
                Err(error) => self.end(Err(error)).map(Delta::Done),
            })
        });
        match self.way {
            Way::StreamGoesOn => Box::pin(pieces.chain(stream::iter([Ok(Delta::Text("And so on.".to_owned()))]))),
            _ => Box::pin(pieces),
        }
    }
}

/// What the suite says of an adapter that is broken so.
async fn verdict(way: Way) -> String {
    let make = |base_url: &str| Broken { parrot: Arc::new(Parrot::new(base_url).unwrap()), way };
    let suite = AssertUnwindSafe(testing::adapter(&Squawk, make)).catch_unwind();
    let Err(panic) = suite.await else { return "nothing".to_owned() };
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[tokio::test]
async fn the_suite_finds_what_is_wrong_with_an_adapter() {
    let ways = [
        (Way::Asks, "one question is one request"),
        (Way::Attempts, "each request counts"),
        (Way::TurnsCalls, "the calls of text and calls, in their order"),
        (Way::LosesIds, "the calls of text and calls, in their order, with their ids"),
        (Way::LosesUsage, "the usage of text"),
        (Way::LosesReason, "why text that was cut ended"),
        (Way::LosesSystem, "what is written of a conversation"),
        (Way::LosesEcho, "what the server wants to see again went missing"),
        (Way::KeepsForeignEcho, "what another format kept is not for this server"),
        (Way::StreamDiffers, "the text of text"),
        (Way::StreamIsOnePiece, "the pieces of text are its text"),
        (Way::StreamGoesOn, "nothing comes after the end of a stream"),
        (Way::HalfIsWhole, "half a stream is no answer"),
        (Way::LosesPartialText, "the error holds the text that had arrived"),
        (Way::WrongKind, "the kind of"),
        (Way::LosesWords, "the server's own words are missing"),
        (Way::NoDeadline, "a wait that ends after the deadline is not begun"),
        (Way::NoDeadlineInStreams, "the deadline ends the wait"),
        (Way::GoesOnAlone, "a question that is dropped closes its connection"),
        (Way::TakesNonsense, "nonsense is no answer"),
    ];
    // At once: some are only found by waiting.
    let verdicts = join_all(ways.map(|(way, _)| verdict(way))).await;
    let found = |((way, expected), verdict): ((Way, &str), String)| {
        (!verdict.contains(expected)).then(|| format!("of `{way:?}` it says {verdict}, and not {expected}"))
    };
    let wrong: Vec<_> = ways.into_iter().zip(verdicts).filter_map(found).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
