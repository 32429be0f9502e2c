//! Where keys go, and where they do not.

use std::error::Error;

use agent_anthropic::{Anthropic, ConfigError};
use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use serde_json::json;

use crate::server::{Answer, Server};

const KEY: &str = "sk-ant-very-secret";

#[tokio::test]
async fn a_redirect_is_an_error_and_is_not_followed() {
    let other = Server::new([Answer::json(200, &json!({}))]).await;
    let away = Answer::text(307, "text/plain", "").header("location", format!("{}?k=v", other.base_url));
    let server = Server::new([away]).await;
    let model = server.builder().api_key(KEY).build().unwrap();
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (Kind::NotFound, false));
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn no_key_is_in_debug_or_in_errors() {
    let builder = Anthropic::builder().base_url("http://me:sk-ant-very-secret@127.0.0.1:9/?key=sk-ant-very-secret");
    let builder = builder.api_key(KEY).max_retries(0);
    assert!(!format!("{builder:?}").contains(KEY));
    let model = builder.build().unwrap();
    assert!(!format!("{model:?}").contains(KEY));
    // Nothing listens on the discard port.
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    let mut told = format!("{error} {error:?}");
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        told += &format!(" {error} {error:?}");
        cause = error.source();
    }
    assert!(!told.contains(KEY), "{told}");
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_into_an_error() {
    let words = format!("what is {KEY}?");
    let server = Server::new([Answer::json(400, &json!({"error": {"message": words}}))]).await;
    let model = server.builder().api_key(KEY).max_retries(0).build().unwrap();
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
}

#[test]
fn anthropics_own_servers_need_a_key_or_a_token() {
    assert!(matches!(Anthropic::builder().build(), Err(ConfigError::MissingKey { .. })));
    assert!(Anthropic::builder().api_key(KEY).build().is_ok());
    assert!(Anthropic::builder().header("authorization", "Bearer token-1234").build().is_ok());
}

#[test]
fn plain_http_to_another_machine_is_refused() {
    let builder = || Anthropic::builder().base_url("http://10.0.0.1");
    assert!(matches!(builder().build(), Err(ConfigError::InsecureUrl { .. })));
    assert!(builder().allow_insecure_http(true).build().is_ok());
}

#[test]
fn settings_that_would_break_every_request_are_refused() {
    let local = || Anthropic::builder().base_url("http://localhost:1");
    for (builder, name) in [
        (local().extra("messages", json!([])), "messages"),
        (local().extra("system", "x"), "system"),
        (local().temperature(f64::NAN), "temperature"),
        (local().max_tokens(0), "max_tokens"),
        (local().max_tokens(1000).thinking_budget(1000), "thinking_budget"),
    ] {
        let error = builder.build().unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
    }
}
