//! What answers become.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, timeout};

use super::cases::{answers, said};
use super::server::{Answer, Server};
use super::wire::ScriptedWire;
use crate::model::ModelErrorKind::{self as Kind, *};
use crate::model::{Delta, Finish, Message, Model, ModelError, Reply, Request};

/// What each rule needs.
pub(super) struct Desk<'a> {
    pub(super) wire: &'a dyn ScriptedWire,
    pub(super) make: &'a (dyn Fn(&str) -> Box<dyn Model + 'a> + Sync),
}

/// The longest that anything here may take on a slow machine.
const LONG: Duration = Duration::from_secs(10);

pub(super) fn question() -> [Message; 1] {
    [Message::user("What is it?")]
}

impl Desk<'_> {
    /// What comes of one question.
    async fn plain(&self, answers: impl IntoIterator<Item = Answer>) -> (Result<Reply, ModelError>, usize) {
        let server = Server::new(answers).await;
        let reply = (self.make)(&server.base_url).reply(Request::new(&question())).await;
        (reply, server.asked().len())
    }

    /// The pieces of one question, and what comes at the end.
    async fn streamed(
        &self,
        answers: impl IntoIterator<Item = Answer>,
    ) -> (Vec<Delta>, Result<Reply, ModelError>, usize) {
        let server = Server::new(answers).await;
        let model = (self.make)(&server.base_url);
        let messages = question();
        let mut stream = model.stream(Request::new(&messages));
        let mut pieces = Vec::new();
        let end = loop {
            match stream.next().await.expect("a stream ends with the reply or an error") {
                Ok(Delta::Done(reply)) => break Ok(reply),
                Ok(piece) => pieces.push(piece),
                Err(error) => break Err(error),
            }
        };
        assert!(stream.next().await.is_none(), "nothing comes after the end of a stream");
        (pieces, end, server.asked().len())
    }

    fn hello(&self) -> Answer {
        Answer::fine(self.wire.whole(&said("Hello.", Finish::Stop), None))
    }
}

pub(super) async fn one_question_is_one_request(desk: &Desk<'_>) {
    let (reply, asked) = desk.plain([desk.hello(), desk.hello()]).await;
    assert_eq!((reply.expect("an answer").attempts, asked), (1, 1), "one question is one request, and counts as one");
}

/// Two replies that say the same, apart from what only the server understands and how arguments are spaced.
fn assert_same(about: &str, got: &Reply, right: &Reply) {
    assert_eq!(got.text, right.text, "the text of {about}");
    assert_eq!(got.reasoning, right.reasoning, "the reasoning of {about}");
    assert_eq!(got.refusal, right.refusal, "the refusal of {about}");
    assert_eq!(got.finish, right.finish, "why {about} ended");
    assert_eq!(got.usage, right.usage, "the usage of {about}");
    assert_eq!((&got.id, &got.model), (&right.id, &right.model), "id and model of {about}");
    let calls = |reply: &Reply| -> Vec<_> {
        let call = |call: &crate::model::ToolCall| {
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
            (call.id.clone(), call.name.clone(), arguments)
        };
        reply.calls.iter().map(call).collect()
    };
    assert_eq!(calls(got), calls(right), "the calls of {about}, in their order, with their ids");
}

pub(super) async fn answers_are_read(desk: &Desk<'_>) {
    for (about, right) in answers(desk.wire) {
        let (reply, _) = desk.plain([Answer::fine(desk.wire.whole(&right, None))]).await;
        assert_same(about, &reply.unwrap_or_else(|error| panic!("{about} is no answer: {error}")), &right);
    }
}

pub(super) async fn a_stream_says_the_same_as_a_whole_answer(desk: &Desk<'_>) {
    for (about, right) in answers(desk.wire) {
        let (pieces, end, asked) = desk.streamed([Answer::Events(desk.wire.events(&right, None))]).await;
        let reply = end.unwrap_or_else(|error| panic!("{about} is no answer as a stream: {error}"));
        assert_same(about, &reply, &right);
        assert_eq!((reply.attempts, asked), (1, 1), "one stream is one request");
        let texts: Vec<_> = pieces.iter().filter_map(text_of).collect();
        assert_eq!(texts.concat(), right.text.clone().unwrap_or_default(), "the pieces of {about} are its text");
        assert!(right.text.is_none() || texts.len() > 1, "{about} comes in pieces");
        let refusal = |piece: &Delta| if let Delta::Refusal(text) = piece { Some(text.clone()) } else { None };
        let refusal: String = pieces.iter().filter_map(refusal).collect();
        assert_eq!(refusal, right.refusal.clone().unwrap_or_default(), "the pieces of {about} are its refusal");
        let begun = |piece: &&Delta| matches!(piece, Delta::Call { name: Some(_), .. });
        assert_eq!(pieces.iter().filter(begun).count(), right.calls.len(), "each call of {about} is shown once");
    }
}

fn text_of(piece: &Delta) -> Option<&str> {
    match piece {
        Delta::Text(text) => Some(text),
        _ => None,
    }
}

pub(super) async fn a_stream_that_breaks_is_interrupted(desk: &Desk<'_>) {
    let events = desk.wire.events(&said("One moment, please.", Finish::Stop), None);
    for end in 0..events.len() {
        let cut = || Answer::Events(events[..end].to_vec());
        let (pieces, end, asked) = desk.streamed([cut(), cut(), cut()]).await;
        let text: String = pieces.iter().filter_map(text_of).collect();
        match end {
            // Some formats are whole before their last event.
            Ok(reply) => assert_eq!(reply.text.as_deref(), Some("One moment, please."), "half a stream is no answer"),
            Err(error) => {
                assert!(error.is_retryable(), "a stream that broke off may be asked for again: {error}");
                let told = error.get_partial_text().unwrap_or_default();
                assert_eq!(told, text, "the error holds the text that had arrived");
                assert!(text.is_empty() || asked == 1, "nothing is said twice");
                assert!(text.is_empty() || error.kind() == StreamInterrupted, "{error} is no interruption");
            }
        }
    }
}

pub(super) async fn errors_have_their_kind(desk: &Desk<'_>) {
    for kind in [Auth, RateLimit, InvalidRequest, ContextLength, Server, Overloaded, ContentFilter, NotFound] {
        let Some((status, body)) = desk.wire.error(kind, "the reason") else { continue };
        let answer = Answer::Whole { status, retry_after: None, body };
        let (reply, asked) = desk.plain(vec![answer.clone(); 5]).await;
        check_error(kind, &reply.expect_err("an error is no answer"), asked);
        let (_, end, asked) = desk.streamed(vec![answer; 5]).await;
        check_error(kind, &end.expect_err("an error is no answer"), asked);
    }
}

fn check_error(kind: Kind, error: &ModelError, asked: usize) {
    assert_eq!(error.kind(), kind, "the kind of {error}");
    assert_eq!(error.is_retryable(), kind.is_transient(), "whether to try {error} again");
    assert!(error.message().contains("the reason"), "the server's own words are missing in: {error}");
    assert_eq!(error.get_attempts() as usize, asked, "each request counts");
    assert!(kind.is_transient() || asked == 1, "{error} was tried again, which does not help");
}

pub(super) async fn another_providers_errors_are_told(desk: &Desk<'_>) {
    for body in [
        r#"{"error":{"message":"the reason","type":"invalid_request_error","code":null}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"the reason"}}"#,
        r#"{"error":{"code":400,"message":"the reason","status":"INVALID_ARGUMENT"}}"#,
        r#"{"detail":"the reason"}"#,
        "the reason",
    ] {
        let answer = || Answer::Whole { status: 400, retry_after: None, body: body.to_owned() };
        let (reply, _) = desk.plain([answer()]).await;
        check_error(InvalidRequest, &reply.expect_err("an error is no answer"), 1);
    }
}

pub(super) async fn what_may_pass_is_tried_again(desk: &Desk<'_>) {
    let Some((status, body)) = desk.wire.error(Overloaded, "busy") else { return };
    let busy = || Answer::Whole { status, retry_after: None, body: body.clone() };
    let (reply, asked) = desk.plain([busy(), Answer::Close, desk.hello()]).await;
    let reply = reply.expect("an answer after two failures that may pass");
    assert_eq!((reply.attempts, asked), (3, 3), "each request counts");
    let events = Answer::Events(desk.wire.events(&said("Hello.", Finish::Stop), None));
    let (_, end, asked) = desk.streamed([busy(), Answer::Close, events]).await;
    let reply = end.expect("a stream after two failures that may pass");
    assert_eq!((reply.attempts, asked), (3, 3), "each request counts");
}

pub(super) async fn a_wait_beyond_the_deadline_is_not_begun(desk: &Desk<'_>) {
    let Some((status, body)) = desk.wire.error(RateLimit, "slow down") else { return };
    let server = Server::new([Answer::Whole { status, retry_after: Some(40), body }]).await;
    let messages = question();
    let request = Request::new(&messages).deadline(Some(Instant::now() + Duration::from_secs(30)));
    let model = (desk.make)(&server.base_url);
    let reply = timeout(LONG, model.reply(request)).await.expect("a wait that ends after the deadline is not begun");
    let error = reply.expect_err("no answer");
    assert_eq!(error.get_retry_after(), Some(Duration::from_secs(40)), "the wait that the server asks for is told");
}

pub(super) async fn a_deadline_ends_a_wait(desk: &Desk<'_>) {
    let begun = desk.wire.events(&said("One moment, please.", Finish::Stop), None);
    let begun = begun[..begun.len() / 2].to_vec();
    for (streamed, answer) in [(false, vec![]), (true, vec![]), (true, begun)] {
        let server = Server::new([Answer::Hang(answer)]).await;
        let model = (desk.make)(&server.base_url);
        let messages = question();
        let request = Request::new(&messages).deadline(Some(Instant::now() + Duration::from_millis(300)));
        let asked = async {
            match streamed {
                false => model.reply(request).await.expect_err("no answer"),
                true => match model.stream(request).collect::<Vec<_>>().await.pop() {
                    Some(Err(error)) => error,
                    end => panic!("a stream that hangs ended with {end:?}"),
                },
            }
        };
        let error = timeout(LONG, asked).await.expect("the deadline ends the wait");
        assert_eq!(error.kind(), Timeout, "{error} at the deadline");
    }
}

pub(super) async fn a_dropped_question_closes_its_connection(desk: &Desk<'_>) {
    let begun = desk.wire.events(&said("One moment, please.", Finish::Stop), None);
    let begun = begun[..begun.len() / 2].to_vec();
    for (streamed, answer) in [(false, vec![]), (true, vec![]), (true, begun)] {
        let server = Server::new([Answer::Hang(answer)]).await;
        let model = (desk.make)(&server.base_url);
        let messages = question();
        let asking = async {
            match streamed {
                false => drop(model.reply(Request::new(&messages)).await),
                true => drop(model.stream(Request::new(&messages)).collect::<Vec<_>>().await),
            }
        };
        tokio::select! {
            () = asking => panic!("a server that is silent was answered for"),
            () = server.hanging() => {}
        }
        timeout(LONG, server.gone()).await.expect("a question that is dropped closes its connection");
    }
}

pub(super) async fn nonsense_is_an_error(desk: &Desk<'_>) {
    let deep = "[".repeat(100_000);
    for body in ["", " ", "{", "[]", "7", "null", "{}", "\"text\"", "<!doctype html><p>Hi", "nonsense", &deep] {
        let answer = Answer::fine(body.to_owned());
        let (reply, _) = desk.plain(vec![answer.clone(); 3]).await;
        let error = reply.map(|_| ()).expect_err("nonsense is no answer");
        assert!(matches!(error.kind(), MalformedResponse | StreamInterrupted), "{error}");
        let (_, end, _) = desk.streamed(vec![answer; 3]).await;
        end.map(|_| ()).expect_err("nonsense is no answer");
        let events = Answer::Events(vec![format!("data: {body}\n\n")]);
        let (_, end, _) = desk.streamed(vec![events; 3]).await;
        end.map(|_| ()).expect_err("nonsense is no answer");
    }
}
