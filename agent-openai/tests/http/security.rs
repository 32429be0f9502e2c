//! Where keys go, and where they do not.

use std::error::Error;

use agent_core::model::{Message, Model, ModelError, ModelErrorKind as Kind, Request};
use agent_openai::{ConfigError, OpenAi, reqwest};
use serde_json::json;

use crate::ask;
use crate::server::{Answer, Server};

const KEY: &str = "sk-very-secret";

#[tokio::test]
async fn a_redirect_is_an_error_and_is_not_followed() {
    let other = Server::new([Answer::json(200, &json!({}))]).await;
    for (status, stream) in [301, 302, 307, 308].into_iter().flat_map(|status| [(status, false), (status, true)]) {
        let away = Answer::text(status, "text/plain", "").header("location", format!("{}?k=v", other.base_url));
        let server = Server::new([away]).await;
        let model = server.builder().api_key(KEY).build().unwrap();
        let error = failed(&model, stream).await;
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

/// Why there is no reply, asked for plain or as a stream.
async fn failed(model: &OpenAi, stream: bool) -> ModelError {
    ask(model, Request::new(&[Message::user("my question")]), stream).await.unwrap_err()
}

#[tokio::test]
async fn what_another_host_answers_to_a_client_that_follows_redirects_is_refused_and_the_guide_says_what_it_was_sent() {
    for stream in [false, true] {
        let other = Server::new([Answer::json(200, &json!({}))]).await;
        let away = Answer::text(307, "text/plain", "").header("location", other.base_url.as_str());
        let server = Server::new([away]).await;
        let follows = reqwest::Client::builder().no_proxy().build().unwrap();
        let builder = server.builder().client(follows).api_key(KEY).header("api-key", KEY).header("x-team", "lamps");
        let error = failed(&builder.build().unwrap(), stream).await;
        assert_eq!((error.kind(), error.is_retryable(), error.get_attempts()), (Kind::NotFound, false, 1));
        assert!(error.message().contains("redirects to another host") && error.message().contains("`Policy::none()`"));
        // What `Builder::client` warns of.
        let [asked] = &other.asked()[..] else { panic!("it was not asked once") };
        assert_eq!(asked.header("authorization"), None);
        assert_eq!((asked.header("api-key"), asked.header("x-team")), (Some(KEY), Some("lamps")));
        assert_eq!(asked.body["messages"][0]["content"], "my question");
    }
}

#[tokio::test]
async fn nothing_reaches_another_host_whatever_the_client_builder_is_told_of_redirects() {
    for stream in [false, true] {
        let other = Server::new([Answer::json(200, &json!({}))]).await;
        let away = || Answer::text(307, "text/plain", "").header("location", other.base_url.as_str());
        let server = Server::new([away(), away()]).await;
        let builder = || server.builder().api_key(KEY).header("api-key", KEY);
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
async fn the_client_that_was_given_last_is_the_one_that_sends() {
    let answer = || Answer::json(200, &json!({"choices": [{"message": {}}]}));
    let server = Server::new([answer(), answer()]).await;
    let named = |name: &'static str| move |client: reqwest::ClientBuilder| client.user_agent(name);
    let own = || named("own")(reqwest::Client::builder().no_proxy()).build().unwrap();
    for builder in [
        server.builder().client_builder(named("changed")).client(own()),
        server.builder().client(own()).client_builder(named("changed")),
    ] {
        builder.build().unwrap().reply(Request::new(&[Message::user("?")])).await.unwrap();
    }
    let names: Vec<_> = server.asked().iter().map(|asked| asked.header("user-agent").unwrap().to_owned()).collect();
    assert_eq!(names, ["own", "changed"]);
}

#[tokio::test]
async fn a_request_goes_through_the_proxy_that_the_client_builder_was_given() {
    // It answers itself, for a host that is nowhere.
    let proxy = Server::new([Answer::json(200, &json!({"choices": [{"message": {"content": "by proxy"}}]}))]).await;
    let address = proxy.base_url.trim_end_matches("/v1").to_owned();
    let builder = OpenAi::builder().base_url("http://model.invalid/v1").allow_insecure_http(true).api_key(KEY);
    let model = builder.client_builder(move |client| client.proxy(reqwest::Proxy::all(address).unwrap()));
    let reply = model.build().unwrap().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(reply.text.as_deref(), Some("by proxy"));
    assert_eq!(proxy.asked()[0].line, "POST http://model.invalid/v1/chat/completions HTTP/1.1");
}

#[tokio::test]
async fn a_server_that_repeats_the_key_in_a_stream_does_not_get_it_into_an_error() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n";
    let fault = format!("data: {}\n\n", json!({"error": {"message": format!("what is Bearer {KEY}?"), "code": 400}}));
    let broken = format!("data: what is Bearer {KEY}?\n\n");
    let in_choice = json!({"choices": [{"error": {"message": format!("what is Bearer {KEY}?")}, "delta": {}}]});
    let in_choice = format!("data: {in_choice}\n\n");
    for before in ["", half] {
        for event in [&fault, &broken, &in_choice] {
            let server = Server::new([Answer::text(200, "text/event-stream", format!("{before}{event}"))]).await;
            let error = failed(&server.builder().api_key(KEY).max_retries(0).build().unwrap(), true).await;
            let told = format!("{error} {error:?}");
            assert!(!told.contains(KEY) && told.contains("what is Bearer [secret]?"), "{told}");
        }
    }
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
