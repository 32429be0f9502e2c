//! What is sent.

use std::collections::BTreeMap;

use agent_core::model::{Message, Model, Part, Request, ToolCall, ToolChoice, ToolDefinition};
use agent_core::schema::Published;
use agent_core::{ToolSchema, profile};
use agent_openai::{Builder, OpenAi};
use serde_json::{Value, json};

use crate::ask;
use crate::server::{Answer, Asked, Server};

fn tool(name: &'static str) -> ToolDefinition {
    let parameters = r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#;
    let published = Published { description: "Tells \"now\".".to_owned(), parameters: parameters.to_owned() };
    ToolDefinition::new(name, true, [(&profile::OPENAI, published)])
}

async fn asked(set: impl FnOnce(Builder) -> Builder, request: Request<'_>) -> Asked {
    let answer = Answer::json(200, &json!({"choices": [{"message": {"content": "ok"}}]}));
    let server = Server::new([answer]).await;
    set(server.builder()).build().unwrap().reply(request).await.unwrap();
    server.asked().remove(0)
}

async fn sent(set: impl FnOnce(Builder) -> Builder, request: Request<'_>) -> Value {
    asked(set, request).await.body
}

#[tokio::test]
async fn a_plain_question_is_model_and_messages_alone() {
    let messages = [Message::user("Say \"hi\"\n")];
    let asked = asked(|builder| builder.api_key(" k-1 ").header("X-Title", "t"), Request::new(&messages)).await;
    assert_eq!(asked.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(asked.header("authorization"), Some("Bearer k-1"));
    assert_eq!((asked.header("content-type"), asked.header("x-title")), (Some("application/json"), Some("t")));
    let expected = json!({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Say \"hi\"\n"}]});
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn a_whole_conversation_is_written_in_its_order() {
    let mut call = ToolCall::new("c1", "now", "{}");
    call.echo = None;
    let messages = [
        Message::user_parts(vec![
            Part::Text { text: "What is it?".to_owned() },
            Part::Image { url: "data:image/png;base64,AA==".to_owned(), detail: Some("low".to_owned()) },
        ]),
        Message::assistant_calls(None, vec![call]),
        Message::tool(agent_core::model::CallId::new("c1"), "now", "noon"),
        Message::reply(None, Some("No.".to_owned()), Vec::new(), None),
    ];
    let body = sent(|builder| builder.developer_role(true), Request::new(&messages).system(Some("Be kind."))).await;
    let expected = json!([
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [
            {"type": "text", "text": "What is it?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
        ]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "noon"},
        {"role": "assistant", "content": null, "refusal": "No."},
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn more_calls_than_one_message_may_have_go_back_in_several_each_with_its_results() {
    for (asked, pieces) in [(128, vec![128]), (129, vec![128, 1]), (300, vec![128, 128, 44])] {
        let id = |n: usize| format!("c{n}");
        let calls = (0..asked).map(|n| ToolCall::new(id(n), "now", "{}")).collect();
        let results = (0..asked).map(|n| Message::tool(agent_core::model::CallId::new(id(n)), "now", "noon"));
        let mut messages = vec![Message::user("When?"), Message::assistant_calls(Some("So.".to_owned()), calls)];
        messages.extend(results);
        messages.push(Message::user("And?"));
        let body = sent(|builder| builder, Request::new(&messages)).await;
        let sent = body["messages"].as_array().unwrap();

        let (mut at, mut first) = (1, 0);
        for piece in &pieces {
            let calls: Vec<_> =
                sent[at]["tool_calls"].as_array().unwrap().iter().map(|call| call["id"].as_str().unwrap()).collect();
            let expected: Vec<_> = (first..first + piece).map(id).collect();
            assert_eq!(calls, expected);
            assert_eq!(sent[at]["content"], if first == 0 { json!("So.") } else { Value::Null });
            let answered = sent[at + 1..=at + piece].iter().map(|message| message["tool_call_id"].as_str().unwrap());
            assert_eq!(answered.collect::<Vec<_>>(), expected, "the results of these calls, before any other message");
            (at, first) = (at + 1 + piece, first + piece);
        }
        assert_eq!(sent[at..], [json!({"role": "user", "content": "And?"})], "{asked} calls");
    }
}

#[tokio::test]
async fn tools_keep_their_order_and_choice_and_parallel_come_only_with_them() {
    let messages = [Message::user("?")];
    let set = |builder: Builder| builder.parallel_tool_calls(false);
    let without = sent(set, Request::new(&messages).tool_choice(ToolChoice::Required)).await;
    assert_eq!((without.get("tool_choice"), without.get("parallel_tool_calls")), (None, None));

    let tools = [tool("zulu"), tool("alfa")];
    let request = Request::new(&messages).tools(&tools);
    let body = sent(set, request.tool_choice(ToolChoice::Tool("alfa"))).await;
    assert_eq!(body["tools"][0]["function"]["name"], "zulu");
    let expected = json!({"type": "function", "function": {
        "name": "alfa", "description": "Tells \"now\".", "strict": true,
        "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false},
    }});
    assert_eq!(body["tools"][1], expected);
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "alfa"}}));
    assert_eq!(body["parallel_tool_calls"], json!(false));
    for (choice, word) in [(ToolChoice::None, json!("none")), (ToolChoice::Required, json!("required"))] {
        assert_eq!(sent(set, request.tool_choice(choice)).await["tool_choice"], word);
    }
    assert_eq!(sent(set, request).await.get("tool_choice"), None);
}

#[tokio::test]
async fn each_setting_is_a_field() {
    let set = |builder: Builder| {
        builder
            .model("o9")
            .temperature(0.2)
            .top_p(0.9)
            .max_completion_tokens(10)
            .reasoning_effort("low")
            .seed(-4)
            .stop(["END"])
            .service_tier("flex")
            .metadata(BTreeMap::from([("team".to_owned(), "tax".to_owned())]))
            .prompt_cache_key("p")
            .user("u")
            .safety_identifier("s")
            .response_format(json!({"type": "json_object"}))
            .extra("top_k", 1)
            .extra("top_k", 5)
    };
    let expected = json!({
        "model": "o9", "messages": [{"role": "user", "content": "?"}], "temperature": 0.2, "top_p": 0.9,
        "max_completion_tokens": 10, "reasoning_effort": "low", "seed": -4, "stop": ["END"], "service_tier": "flex",
        "metadata": {"team": "tax"}, "prompt_cache_key": "p", "user": "u", "safety_identifier": "s",
        "response_format": {"type": "json_object"}, "top_k": 5,
    });
    assert_eq!(sent(set, Request::new(&[Message::user("?")])).await, expected);
}

#[tokio::test]
async fn options_of_a_stream_go_with_streams_alone_beside_the_one_for_usage() {
    for (given, usage, sent) in [
        (
            json!({"include_obfuscation": false}),
            true,
            Some(json!({"include_obfuscation": false, "include_usage": true})),
        ),
        (json!({"include_obfuscation": false}), false, Some(json!({"include_obfuscation": false}))),
        (json!({"include_usage": false}), true, Some(json!({"include_usage": false}))),
        (json!({}), true, Some(json!({"include_usage": true}))),
        (json!({}), false, None),
    ] {
        let answer = || Answer::json(200, &json!({"choices": [{"message": {"content": "ok"}}]}));
        let server = Server::new([answer(), answer()]).await;
        let model = server.builder().stream_usage(usage).extra("stream_options", &given).build().unwrap();
        for stream in [false, true] {
            ask(&model, Request::new(&[Message::user("?")]), stream).await.unwrap();
        }
        let [plain, stream] = &server.asked()[..] else { panic!() };
        assert_eq!((plain.body.get("stream"), plain.body.get("stream_options")), (None, None));
        assert_eq!((&stream.body["stream"], stream.body.get("stream_options")), (&json!(true), sent.as_ref()));
    }
    let error = OpenAi::builder().base_url("http://localhost:1").extra("stream_options", true).build();
    assert!(error.unwrap_err().to_string().contains("`stream_options` is no object"));
}

/// Says what a claim is worth.
#[derive(ToolSchema)]
#[allow(dead_code, reason = "its schema is what counts")]
struct Verdict {
    /// Whether it holds.
    holds: bool,
    /// Why.
    #[arg(max_length = 200)]
    because: Option<String>,
}

#[tokio::test]
async fn a_response_format_is_made_from_a_type_with_its_keys_in_their_order() {
    let messages = [Message::user("?")];
    let text = asked(|builder| builder.response_schema::<Verdict>(), Request::new(&messages)).await.text;
    let expected = concat!(
        r#""response_format":{"type":"json_schema","json_schema":{"name":"Verdict","#,
        r#""description":"Says what a claim is worth.","strict":true,"schema":{"type":"object","properties":{"#,
        r#""holds":{"description":"Whether it holds.","type":"boolean"},"because":"#,
    );
    assert!(text.contains(expected), "{text}");

    // A server without a strict mode is not asked for it; what was set last counts.
    let other = Server::new([Answer::json(200, &json!({"choices": [{"message": {}}]}))]).await;
    let builder = agent_openai::Dialect::GROQ.builder().base_url(&other.base_url).model("m");
    let builder = builder.response_format(json!({"type": "text"})).response_schema::<Verdict>();
    ask(&builder.build().unwrap(), Request::new(&messages), false).await.unwrap();
    let format = &other.asked()[0].body["response_format"]["json_schema"];
    assert_eq!((&format["name"], format.get("strict")), (&json!("Verdict"), None));
    let set = |builder: Builder| builder.response_schema::<Verdict>().response_format(json!({"type": "text"}));
    assert_eq!(sent(set, Request::new(&messages)).await["response_format"], json!({"type": "text"}));
}

#[tokio::test]
async fn a_tool_without_text_for_this_format_is_an_error_that_names_it() {
    let server = Server::new([]).await;
    let tools = [ToolDefinition::new("now", true, [])];
    let messages = [Message::user("?")];
    let error = server.model().reply(Request::new(&messages).tools(&tools)).await.unwrap_err();
    assert!(error.message().contains("`now`"), "{error}");
}
