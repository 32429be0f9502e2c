//! Exchanges that are recorded once and replayed without a server.

use std::path::PathBuf;
use std::{env, fs, process};

use agent_core::model::{Delta, Message, Model, ModelError, ModelErrorKind as Kind, Reply, Request};
use agent_openai::{Builder, Cassette, CassetteError};
use futures_util::StreamExt;
use serde_json::json;

use crate::server::{Answer, Server};

const KEY: &str = "sk-very-secret";
const STREAM: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"One \"}}]}\n\ndata: {\"choices\":[{\"delta\":\
    {\"content\":\"two.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A file that is gone when the test is over.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(env::temp_dir().join(format!("agent-openai-{}-{name}.json", process::id())))
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn builder(base_url: &str, cassette: &Cassette) -> Builder {
    let builder = agent_openai::OpenAi::builder().base_url(base_url).cassette(cassette.clone());
    builder.retry_waits(Default::default(), Default::default())
}

async fn ask(builder: Builder, question: &str) -> Result<Reply, ModelError> {
    builder.build().unwrap().reply(Request::new(&[Message::user(question)])).await
}

async fn stream(builder: Builder, question: &str) -> (String, Result<Reply, ModelError>) {
    let model = builder.build().unwrap();
    let messages = [Message::user(question)];
    let mut items = model.stream(Request::new(&messages));
    let mut text = String::new();
    while let Some(item) = items.next().await {
        match item {
            Ok(Delta::Text(piece)) => text += &piece,
            Ok(Delta::Done(reply)) => return (text, Ok(reply)),
            Ok(_) => {}
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("no end")
}

/// One of each: a failure that is tried again and its answer, a stream, a stream that breaks off.
async fn all(base_url: &str, cassette: &Cassette) -> Vec<String> {
    let plain = ask(builder(base_url, cassette).api_key(KEY), "Capital?").await.unwrap();
    let whole = stream(builder(base_url, cassette), "Count.").await;
    let (part, broken) = stream(builder(base_url, cassette), "Count.").await;
    vec![format!("{plain:?}"), format!("{whole:?}"), part, format!("{:?}", broken.unwrap_err())]
}

#[tokio::test]
async fn what_was_recorded_is_replayed_without_a_server_errors_and_streams_included() {
    let file = File::new("replayed");
    let said = json!({"choices": [{"message": {"content": "Dhaka."}, "finish_reason": "stop"}]});
    let server = Server::new([
        Answer::json(503, &json!({"error": {"message": "busy"}})),
        Answer::json(200, &said),
        Answer::text(200, "text/event-stream", STREAM),
        Answer::text(200, "text/event-stream", &STREAM[..60]),
    ])
    .await;
    let cassette = Cassette::open(&file.0).unwrap();
    let recorded = all(&server.base_url, &cassette).await;
    cassette.save().unwrap();
    assert!(recorded[0].contains("attempts: 2") && recorded[1].contains("One two."), "{recorded:?}");
    assert_eq!((recorded[2].as_str(), server.asked().len()), ("One ", 4));

    let cassette = Cassette::open(&file.0).unwrap();
    assert_eq!(cassette.unused(), 4);
    // The server gives no further answer, so that any request to it would wait for ever.
    assert_eq!(all(&server.base_url, &cassette).await, recorded);
    assert_eq!((cassette.unused(), server.asked().len()), (0, 0));
}

#[tokio::test]
async fn a_request_that_was_not_recorded_is_an_error_that_shows_the_difference() {
    let file = File::new("difference");
    let said = json!({"choices": [{"message": {"content": "Dhaka."}}]});
    let server = Server::new([Answer::json(200, &said)]).await;
    let cassette = Cassette::record(&file.0);
    ask(builder(&server.base_url, &cassette), "Capital?").await.unwrap();
    cassette.save().unwrap();

    let cassette = Cassette::replay(&file.0).unwrap();
    let other = builder(&server.base_url, &cassette).temperature(0.5);
    let error = ask(other, "Capitol?").await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (Kind::InvalidRequest, false));
    let difference = r#"request 1 of it differs: /messages/0/content is recorded as "Capital?" and sent as "Capitol?"; /temperature is not recorded and sent as 0.5;"#;
    assert!(error.message().contains(difference), "{error}");
    ask(builder(&server.base_url, &cassette), "Capital?").await.unwrap();
    let error = ask(builder(&server.base_url, &cassette), "Capital?").await.unwrap_err();
    assert!(error.message().contains("holds 1 requests, and each was asked for already"), "{error}");
}

#[tokio::test]
async fn no_key_and_no_chosen_header_is_written() {
    let file = File::new("scrubbed");
    let said = json!({"choices": [{"message": {"content": format!("Is {KEY} yours, and 4111-1111?")}}]});
    let answer = Answer::json(200, &said).header("set-cookie", "session=abc").header("x-organization", "org-77");
    let server = Server::new([answer.header("x-told", KEY)]).await;
    let cassette = Cassette::record(&file.0).scrub_header("X-Organization").scrub("4111-1111");
    let address = format!("{}?key=AIza-query", server.base_url);
    let builder = builder(&address, &cassette).api_key(KEY).header("x-team", "team-secret");
    let reply = ask(builder, &format!("I am {KEY}, card 4111-1111")).await.unwrap();
    assert!(reply.text.unwrap().contains(KEY), "what the caller gets is not changed");
    cassette.save().unwrap();
    let text = file.text();
    for secret in [KEY, "team-secret", "AIza-query", "session=abc", "org-77", "4111-1111"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    assert!(text.contains("I am [secret], card [secret]") && text.contains("Is [secret] yours"), "{text}");

    // Another key, or none, finds the same answer.
    let cassette = Cassette::replay(&file.0).unwrap().scrub("4111-1111");
    let again = agent_openai::OpenAi::builder().base_url(&address).cassette(cassette).api_key(KEY);
    assert_eq!(
        ask(again, &format!("I am {KEY}, card 4111-1111")).await.unwrap().text.unwrap(),
        "Is [secret] yours, and [secret]?"
    );
}

#[test]
fn a_file_that_is_no_cassette_is_named() {
    let file = File::new("none");
    assert!(matches!(Cassette::replay(&file.0), Err(CassetteError::File { .. })));
    for text in ["", "{}", r#"{"version":2,"exchanges":[]}"#] {
        fs::write(&file.0, text).unwrap();
        let error = Cassette::replay(&file.0).unwrap_err();
        assert!(matches!(error, CassetteError::Format { .. }) && error.to_string().contains("none.json"), "{error}");
    }
}
