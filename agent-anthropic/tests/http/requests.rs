//! What is sent.

use agent_anthropic::{Builder, Caching};
use agent_core::model::{CallId, Message, Model, Part, Request, ToolCall, ToolChoice, ToolDefinition};
use agent_core::profile;
use agent_core::schema::Published;
use serde_json::{Value, json};

use crate::server::{Answer, Asked, Server};

fn tool(name: &'static str) -> ToolDefinition {
    let parameters = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    let published = Published { description: "Tells \"now\".".to_owned(), parameters: parameters.to_owned() };
    ToolDefinition::new(name, true, [(&profile::ANTHROPIC, published)])
}

async fn asked(set: impl FnOnce(Builder) -> Builder, request: Request<'_>) -> Asked {
    let answer = Answer::json(200, &json!({"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}));
    let server = Server::new([answer]).await;
    set(server.builder()).build().unwrap().reply(request).await.unwrap();
    server.asked().remove(0)
}

async fn sent(set: impl FnOnce(Builder) -> Builder, request: Request<'_>) -> Value {
    asked(set, request).await.body
}

fn plain(builder: Builder) -> Builder {
    builder.caching(Caching::Off)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[tokio::test]
async fn a_plain_question_is_model_limit_and_messages_alone() {
    let messages = [Message::user("Say \"hi\"\n")];
    let set = |builder| plain(builder).api_key(" k-1 ").beta("one").beta("two");
    let asked = asked(set, Request::new(&messages)).await;
    assert_eq!(asked.line, "POST /v1/messages HTTP/1.1");
    assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (Some("k-1"), None));
    assert_eq!(
        (asked.header("anthropic-version"), asked.header("anthropic-beta")),
        (Some("2023-06-01"), Some("one,two"))
    );
    let expected = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 8192,
        "messages": [{"role": "user", "content": [text("Say \"hi\"\n")]}],
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn neighbours_of_one_role_are_one_message() {
    let calls = vec![ToolCall::new("c1", "now", "{}"), ToolCall::new("c2", "now", r#"{"at": 1.50}"#)];
    let messages = [
        Message::user_parts(vec![
            Part::Text { text: "What is it?".to_owned() },
            Part::Image { url: "data:image/png;base64,AA==".to_owned(), detail: Some("low".to_owned()) },
            Part::Image { url: "https://x.test/a.png".to_owned(), detail: None },
        ]),
        Message::assistant_calls(Some("Hm.".to_owned()), calls),
        Message::tool(CallId::new("c1"), "now", "noon"),
        Message::tool(CallId::new("c2"), "now", "late"),
        Message::user("Well?"),
        Message::reply(None, Some("No.".to_owned()), Vec::new(), None),
        Message::assistant("  \n"),
        Message::user(""),
        Message::user("Why?"),
    ];
    let body = sent(plain, Request::new(&messages).system(Some("Be kind."))).await;
    let result = |id: &str, content: &str| json!({"type": "tool_result", "tool_use_id": id, "content": content});
    let expected = json!([
        {"role": "user", "content": [
            text("What is it?"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
        ]},
        {"role": "assistant", "content": [
            text("Hm."),
            {"type": "tool_use", "id": "c1", "name": "now", "input": {}},
            {"type": "tool_use", "id": "c2", "name": "now", "input": {"at": 1.50}},
        ]},
        {"role": "user", "content": [result("c1", "noon"), result("c2", "late"), text("Well?")]},
        {"role": "assistant", "content": [text("No.")]},
        {"role": "user", "content": [text("Why?")]},
    ]);
    assert_eq!((&body["messages"], &body["system"]), (&expected, &json!([text("Be kind.")])));
}

#[tokio::test]
async fn arguments_that_are_no_object_are_shown_to_the_model_inside_one() {
    for (arguments, input) in [
        ("{\"a\": \"b", json!({"INVALID_JSON": "{\"a\": \"b"})),
        ("[1]", json!({"INVALID_JSON": "[1]"})),
        (" ", json!({})),
        ("null", json!({})),
    ] {
        let calls = vec![ToolCall::new("c1", "now", arguments)];
        let messages = [
            Message::user("?"),
            Message::assistant_calls(None, calls),
            Message::tool(CallId::new("c1"), "now", "That was no JSON."),
        ];
        let body = sent(plain, Request::new(&messages).tools(&[tool("now")])).await;
        assert_eq!(body["messages"][1]["content"][0]["input"], input, "{arguments}");
    }
}

#[tokio::test]
async fn ids_and_names_that_the_format_refuses_are_changed_alike_in_call_and_result() {
    let messages = [
        Message::user("?"),
        Message::assistant_calls(None, vec![ToolCall::new("grep:7", "my.grep", "{}")]),
        Message::tool(CallId::new("grep:7"), "my.grep", "nothing"),
    ];
    let body = sent(plain, Request::new(&messages)).await;
    let call = &body["messages"][1]["content"][0];
    let fits = |value: &Value| value.as_str().unwrap().chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    assert!(fits(&call["id"]) && fits(&call["name"]), "{call}");
    assert_eq!(call["id"], body["messages"][2]["content"][0]["tool_use_id"]);
    // Without any tool on the list, the server would refuse a history that has calls.
    assert_eq!((&body["tools"][0]["name"], &body["tool_choice"]), (&call["name"], &json!({"type": "none"})));
}

#[tokio::test]
async fn tools_keep_their_order_and_choice_and_parallel_come_only_with_them() {
    let messages = [Message::user("?")];
    let set = |builder| plain(builder).parallel_tool_calls(false);
    let without = sent(set, Request::new(&messages).tool_choice(ToolChoice::Required)).await;
    assert_eq!((without.get("tools"), without.get("tool_choice")), (None, None));

    let tools = [tool("zulu"), tool("alfa")];
    let request = Request::new(&messages).tools(&tools);
    let body = sent(set, request.tool_choice(ToolChoice::Tool("alfa"))).await;
    assert_eq!(body["tools"][0]["name"], "zulu");
    let expected = json!({
        "name": "alfa", "description": "Tells \"now\".", "strict": true,
        "input_schema": {"type": "object", "properties": {}, "additionalProperties": false},
    });
    assert_eq!(body["tools"][1], expected);
    for (choice, expected) in [
        (ToolChoice::Tool("alfa"), json!({"type": "tool", "name": "alfa", "disable_parallel_tool_use": true})),
        (ToolChoice::Required, json!({"type": "any", "disable_parallel_tool_use": true})),
        (ToolChoice::Auto, json!({"type": "auto", "disable_parallel_tool_use": true})),
        (ToolChoice::None, json!({"type": "none"})),
    ] {
        assert_eq!(sent(set, request.tool_choice(choice)).await["tool_choice"], expected);
    }
    assert_eq!(sent(plain, request).await.get("tool_choice"), None);
    let loose = sent(|builder| plain(builder).strict_tools(false), request).await;
    assert_eq!(loose["tools"][0].get("strict"), None);
}

#[tokio::test]
async fn a_call_is_not_forced_while_the_model_thinks() {
    let messages = [Message::user("?")];
    let tools = [tool("now")];
    let request = Request::new(&messages).tools(&tools).tool_choice(ToolChoice::Required);
    let body = sent(|builder| plain(builder).thinking_budget(2000), request).await;
    assert_eq!((body.get("tool_choice"), &body["max_tokens"]), (None, &json!(10_192)));
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 2000}));
    let off = sent(|builder| plain(builder).extra("thinking", json!({"type": "disabled"})), request).await;
    assert_eq!(off["tool_choice"], json!({"type": "any"}));
}

#[tokio::test]
async fn what_stays_the_same_is_marked_for_the_cache() {
    let mark = json!({"type": "ephemeral"});
    let messages = [Message::user("?"), Message::assistant("!"), Message::user("Well?")];
    let tools = [tool("now")];
    let request = Request::new(&messages).tools(&tools);
    let marks = |body: &Value| {
        let at = |pointer: &str| body.pointer(pointer).cloned().unwrap_or_default();
        [
            "/system/0/cache_control",
            "/tools/0/cache_control",
            "/messages/0/content/0/cache_control",
            "/messages/2/content/0/cache_control",
        ]
        .map(at)
    };
    let body = sent(|builder| builder, request.system(Some("Be kind."))).await;
    assert_eq!(
        marks(&body),
        [mark.clone(), Value::Null, Value::Null, mark.clone()],
        "the text's mark covers the tools"
    );
    let body = sent(|builder| builder, request).await;
    assert_eq!(marks(&body), [Value::Null, mark.clone(), Value::Null, mark.clone()]);
    let body = sent(|builder| builder.caching(Caching::Prefix), request.system(Some("Be kind."))).await;
    assert_eq!(marks(&body), [mark.clone(), Value::Null, Value::Null, Value::Null]);
    let body = sent(|builder| builder.cache_for_an_hour(true), request).await;
    assert_eq!(marks(&body)[3], json!({"type": "ephemeral", "ttl": "1h"}));
    // The next turn has the message without its mark, so that what was cached is still the beginning.
    let longer = [&messages[..], &[Message::assistant("So."), Message::user("On.")]].concat();
    let body = sent(|builder| builder, Request::new(&longer).tools(&tools)).await;
    assert_eq!(marks(&body)[3], Value::Null);
}

#[tokio::test]
async fn each_setting_is_a_field() {
    let set = |builder: Builder| {
        plain(builder)
            .model("c9")
            .max_tokens(10)
            .temperature(0.2)
            .top_p(0.9)
            .top_k(4)
            .stop(["END"])
            .service_tier("auto")
            .user_id("u")
            .server_tool(json!({"type": "web_search_20250305", "name": "web_search"}))
            .extra("context_management", json!({}))
    };
    let expected = json!({
        "model": "c9", "max_tokens": 10, "messages": [{"role": "user", "content": [text("?")]}], "temperature": 0.2,
        "top_p": 0.9, "top_k": 4, "stop_sequences": ["END"], "service_tier": "auto", "metadata": {"user_id": "u"},
        "tools": [{"type": "web_search_20250305", "name": "web_search"}], "context_management": {},
    });
    assert_eq!(sent(set, Request::new(&[Message::user("?")])).await, expected);
}

#[tokio::test]
async fn a_tool_without_text_for_this_format_is_an_error_that_names_it() {
    let server = Server::new([]).await;
    let tools = [ToolDefinition::new("now", true, [])];
    let messages = [Message::user("?")];
    let error = server.model().reply(Request::new(&messages).tools(&tools)).await.unwrap_err();
    assert!(error.message().contains("`now`"), "{error}");
}
