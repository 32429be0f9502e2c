//! Where keys go, and where they do not.

use std::error::Error;

use agent_anthropic::{Anthropic, ConfigError, reqwest};
use agent_core::model::{Message, Model, ModelError, ModelErrorKind as Kind, Request};
use serde_json::json;

use crate::ask;
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
    let builder = Anthropic::builder().base_url("http://127.0.0.1:9/?key=sk-ant-very-secret");
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
async fn a_key_at_the_place_where_a_text_is_cut_is_not_shown_in_part() {
    for before in (0..700).chain(2380..2410).chain(8170..8200) {
        let told = format!("{}{KEY}", " x".repeat(before / 2));
        let blank = format!("{}{KEY}", " ".repeat(before));
        for (status, body) in [(400, told.clone()), (200, told), (400, blank.clone()), (200, blank)] {
            let server = Server::new([Answer::text(status, "text/plain", body)]).await;
            let model = server.builder().client(client()).api_key(KEY).max_retries(0).build().unwrap();
            let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
            let told = format!("{error} {error:?}");
            assert!(!told.contains("sk-ant-"), "{before}: {told}");
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
    let error = Anthropic::builder().base_url("https://me:sk-ant-very-secret@x.test").api_key(KEY).build().unwrap_err();
    assert!(error.to_string().contains("a user or a password") && !error.to_string().contains(KEY), "{error}");
}

/// Why there is no reply, asked for plain or as a stream.
async fn failed(model: &Anthropic, stream: bool) -> ModelError {
    ask(model, Request::new(&[Message::user("my question")]), stream).await.unwrap_err()
}

#[tokio::test]
async fn what_another_host_answers_to_a_client_that_follows_redirects_is_refused_and_the_guide_says_what_it_was_sent() {
    for stream in [false, true] {
        let other = Server::new([Answer::json(200, &json!({}))]).await;
        let away = Answer::text(307, "text/plain", "").header("location", other.base_url.as_str());
        let server = Server::new([away]).await;
        let follows = reqwest::Client::builder().no_proxy().build().unwrap();
        let builder = server.builder().client(follows).api_key(KEY).header("authorization", "Bearer t-1234");
        let error = failed(&builder.build().unwrap(), stream).await;
        assert_eq!((error.kind(), error.is_retryable(), error.get_attempts()), (Kind::NotFound, false, 1));
        assert!(error.message().contains("redirects to another host") && error.message().contains("`Policy::none()`"));
        // What `Builder::client` warns of.
        let [asked] = &other.asked()[..] else { panic!("it was not asked once") };
        assert_eq!((asked.header("authorization"), asked.header("x-api-key")), (None, Some(KEY)));
    }
}

#[tokio::test]
async fn nothing_reaches_another_host_whatever_the_client_builder_is_told_of_redirects() {
    for stream in [false, true] {
        let other = Server::new([Answer::json(200, &json!({}))]).await;
        let away = || Answer::text(307, "text/plain", "").header("location", other.base_url.as_str());
        let server = Server::new([away(), away()]).await;
        let builder = || server.builder().api_key(KEY);
        let follow = |client: reqwest::ClientBuilder| client.redirect(reqwest::redirect::Policy::limited(9));
        for model in [builder(), builder().client_builder(follow)].map(|builder| builder.build().unwrap()) {
            let error = failed(&model, stream).await;
            assert_eq!((error.kind(), error.is_retryable()), (Kind::NotFound, false));
            assert!(error.message().contains("which is not followed"), "{error}");
        }
        assert!(other.asked().is_empty());
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_in_a_stream_does_not_get_it_into_an_error() {
    let start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n";
    let fault = json!({"type": "error", "error": {"type": "api_error", "message": format!("what is {KEY}?")}});
    let fault = format!("event: error\ndata: {fault}\n\n");
    let broken = format!("event: message_start\ndata: what is {KEY}?\n\n");
    for before in ["", start] {
        for event in [&fault, &broken] {
            let server = Server::new([Answer::text(200, "text/event-stream", format!("{before}{event}"))]).await;
            let error = failed(&server.builder().api_key(KEY).max_retries(0).build().unwrap(), true).await;
            let told = format!("{error} {error:?}");
            assert!(!told.contains(KEY) && told.contains("what is [secret]?"), "{told}");
        }
    }
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
