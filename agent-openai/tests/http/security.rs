//! Where keys go, and where they do not.

use std::error::Error;

use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use agent_openai::{ConfigError, OpenAi, reqwest};
use serde_json::json;

use crate::server::{Answer, Server};

const KEY: &str = "sk-very-secret";

#[tokio::test]
async fn a_redirect_is_an_error_and_is_not_followed() {
    let other = Server::new([Answer::json(200, &json!({}))]).await;
    for status in [301, 302, 307, 308] {
        let away = Answer::text(status, "text/plain", "").header("location", format!("{}?k=v", other.base_url));
        let server = Server::new([away]).await;
        let model = server.builder().api_key(KEY).build().unwrap();
        let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (Kind::NotFound, false));
        assert!(error.message().contains(&format!("redirects to {}, which", other.base_url)), "{error}");
    }
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn no_key_is_in_debug_or_in_errors() {
    let builder = OpenAi::builder().base_url("http://127.0.0.1:9/v1?key=sk-very-secret");
    let builder = builder.api_key(KEY).header("api-key", KEY).max_retries(0);
    assert!(!format!("{builder:?}").contains(KEY));
    let model = builder.build().unwrap();
    assert!(!format!("{model:?}").contains(KEY));
    // Nothing listens on the discard port.
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Connection);
    let mut told = format!("{error} {error:?}");
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        told += &format!(" {error} {error:?}");
        cause = error.source();
    }
    assert!(!told.contains(KEY) && told.contains("http://127.0.0.1:9/v1;"), "{told}");
}

#[tokio::test]
async fn a_key_at_the_place_where_a_text_is_cut_is_not_shown_in_part() {
    for before in (0..700).chain(2380..2410).chain(8170..8200) {
        let told = format!("{}{KEY}", " x".repeat(before / 2));
        let blank = format!("{}{KEY}", " ".repeat(before));
        for (status, body) in [(400, told.clone()), (200, told), (400, blank.clone()), (200, blank)] {
            let server = Server::new([Answer::text(status, "text/plain", body)]).await;
            let model = server.builder().client(client()).api_key(KEY).max_retries(0).build().unwrap();
            let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
            let told = format!("{error} {error:?}");
            assert!(!told.contains("sk-very"), "{before}: {told}");
        }
    }
}

/// One for many models: each client of its own would be set up again.
fn client() -> reqwest::Client {
    static CLIENT: std::sync::LazyLock<reqwest::Client> =
        std::sync::LazyLock::new(|| reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap());
    CLIENT.clone()
}

#[tokio::test]
async fn short_keys_and_the_values_of_the_address_are_not_shown() {
    let words = "no access with k-12 nor with AIza/query";
    let server = Server::new([Answer::json(400, &json!({"error": {"message": words}}))]).await;
    let address = format!("{}?api-version=1&key=AIza%2Fquery", server.base_url);
    let model = server.builder().base_url(address).api_key("k-12").max_retries(0).build().unwrap();
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert!(error.message().contains("no access with [secret] nor with [secret];"), "{error}");
}

#[test]
fn a_user_in_the_base_url_is_refused_without_being_shown() {
    let error = OpenAi::builder().base_url("https://me:sk-very-secret@x.test").api_key(KEY).build().unwrap_err();
    assert!(error.to_string().contains("a user or a password") && !error.to_string().contains(KEY), "{error}");
}

#[tokio::test]
async fn what_another_host_answers_to_a_client_that_follows_redirects_is_refused() {
    let other = Server::new([Answer::json(200, &json!({}))]).await;
    let away = Answer::text(307, "text/plain", "").header("location", other.base_url.as_str());
    let server = Server::new([away]).await;
    let follows = reqwest::Client::builder().no_proxy().build().unwrap();
    let model = server.builder().client(follows).build().unwrap();
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable(), error.get_attempts()), (Kind::NotFound, false, 1));
    assert!(error.message().contains("redirects to another host") && error.message().contains("`Policy::none()`"));
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_into_an_error() {
    let words = format!("what is Bearer {KEY}?");
    let answers = [
        Answer::json(400, &json!({"error": {"message": words}})),
        Answer::text(200, "application/json", words).header("x-request-id", KEY),
    ];
    let server = Server::new(answers).await;
    let model = server.builder().api_key(KEY).max_retries(0).build().unwrap();
    for _ in 0..2 {
        let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains(KEY) && told.contains("what is Bearer [secret]?"), "{told}");
    }
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_without_a_key() {
    let server = Server::new([Answer::json(200, &json!({"choices": [{"message": {}}]}))]).await;
    server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(server.asked()[0].header("authorization"), None);
}

#[test]
fn openais_own_servers_need_a_key() {
    assert!(matches!(OpenAi::builder().build(), Err(ConfigError::MissingKey { .. })));
    assert!(matches!(OpenAi::builder().api_key("  ").build(), Err(ConfigError::MissingKey { .. })));
    assert!(OpenAi::builder().api_key(KEY).build().is_ok());
}

#[test]
fn a_key_that_no_header_can_hold_is_refused_without_showing_it() {
    let error = OpenAi::builder().api_key("sk-very\nsecret").build().unwrap_err();
    assert!(matches!(error, ConfigError::InvalidKey { .. }) && !error.to_string().contains("secret"));
}

#[test]
fn settings_that_would_break_every_request_are_refused() {
    let local = || OpenAi::builder().base_url("http://localhost:1");
    for (builder, name) in [
        (local().extra("messages", json!([])), "messages"),
        (local().extra("stream", true), "stream"),
        (local().temperature(f64::NAN), "temperature"),
        (local().max_tokens(1).max_completion_tokens(1), "max_tokens"),
    ] {
        let error = builder.build().unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
    }
    assert!(matches!(local().header("a b", "c").build(), Err(ConfigError::Header { .. })));
}
