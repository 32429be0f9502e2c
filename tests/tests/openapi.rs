//! Requests, held against OpenAI's own schema of them.
//!
//! The schema lies outside the repository; `OPENAPI_SCHEMAS` names its folder, `../shared/openapi` otherwise.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "clippy takes the helpers of a test for no test")]

#[path = "wire/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use agent_core::model::{CallId, Message, Model, Part, Request, ToolCall, ToolChoice, ToolDefinition};
use agent_core::profile;
use agent_core::schema::Published;
use agent_openai::{Builder, OpenAi};
use jsonschema::Validator;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

const PARAMETERS: &str = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#;

fn validator() -> Option<Validator> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/openapi");
    let folder = env::var_os("OPENAPI_SCHEMAS").map_or_else(default, PathBuf::from);
    let path = folder.join("create-chat-completion-request.strict.schema.json");
    let Ok(text) = fs::read(&path) else {
        println!("skipped: there is no file {}; set OPENAPI_SCHEMAS", path.display());
        return None;
    };
    Some(jsonschema::validator_for(&serde_json::from_slice(&text).unwrap()).unwrap())
}

async fn sent(builder: Builder, request: Request<'_>) -> Value {
    let body = br#"{"choices":[{"message":{"content":"ok"}}]}"#.to_vec();
    let response = server::Response { status: 200, headers: vec![], body, split_at: vec![], abort: false };
    let (base_url, body) = server::serve(response).await;
    builder.base_url(base_url).build().unwrap().reply(request).await.unwrap();
    serde_json::from_slice(&body.await.unwrap().unwrap()).unwrap()
}

fn problems(validator: &Validator, body: &Value) -> Vec<String> {
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn tool(name: String, strict: bool) -> ToolDefinition {
    let published = Published { description: "Does it.".to_owned(), parameters: PARAMETERS.to_owned() };
    ToolDefinition::new(name, strict, [(&profile::OPENAI, published)])
}

/// Every setting that OpenAI has.
fn all_settings(builder: Builder) -> Builder {
    builder
        .model("gpt-5")
        .developer_role(true)
        .parallel_tool_calls(false)
        .temperature(0.5)
        .top_p(0.5)
        .max_completion_tokens(1000)
        .reasoning_effort("high")
        .seed(7)
        .stop(["A", "B"])
        .service_tier("priority")
        .metadata(BTreeMap::from([("k".to_owned(), "v".to_owned())]))
        .prompt_cache_key("p")
        .user("u")
        .safety_identifier("s")
        .response_format(json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}))
}

#[tokio::test]
async fn a_request_with_everything_is_valid() {
    let Some(validator) = validator() else { return };
    let messages = [
        Message::user_parts(vec![
            Part::Text { text: "?".to_owned() },
            Part::Image { url: "https://x.test/a.png".to_owned(), detail: Some("high".to_owned()) },
        ]),
        Message::assistant_calls(Some("Well.".to_owned()), vec![ToolCall::new("c", "t", "{")]),
        Message::tool(CallId::new("c"), "t", ""),
        Message::reply(None, Some("No.".to_owned()), vec![], None),
        Message::reply(None, None, vec![], None),
    ];
    let tools = [tool("t".to_owned(), true)];
    let request = Request::new(&messages).system(Some("S")).tools(&tools).tool_choice(ToolChoice::Tool("t"));
    let body = sent(all_settings(OpenAi::builder()), request).await;
    assert_eq!(problems(&validator, &body), Vec::<String>::new(), "{body}");
}

#[derive(Debug, Clone)]
enum Say {
    User(String),
    Parts(Vec<Option<String>>),
    Model(Option<String>, Option<String>, Vec<[String; 3]>),
    Result(String, String),
}

fn say() -> impl Strategy<Value = Say> {
    let call = [".{0,12}", "[a-zA-Z0-9_-]{1,64}", ".{0,40}"];
    prop_oneof![
        ".{0,60}".prop_map(Say::User),
        vec(option::of(".{0,20}"), 0..4).prop_map(Say::Parts),
        (option::of(".{0,60}"), option::of(".{1,20}"), vec(call, 0..4))
            .prop_map(|(text, refusal, calls)| Say::Model(text, refusal, calls)),
        (".{0,12}", ".{0,60}").prop_map(|(id, text)| Say::Result(id, text)),
    ]
}

fn message(say: &Say) -> Message {
    match say.clone() {
        Say::User(text) => Message::user(text),
        Say::Parts(parts) => Message::user_parts(parts.into_iter().map(part).collect()),
        Say::Model(text, refusal, calls) => {
            let calls = calls.into_iter().map(|[id, name, arguments]| ToolCall::new(id, name, arguments));
            Message::reply(text, refusal, calls.collect(), None)
        }
        Say::Result(id, text) => Message::tool(CallId::new(id), "t", text),
    }
}

fn part(text: Option<String>) -> Part {
    match text {
        Some(text) => Part::Text { text },
        None => Part::Image { url: "https://x.test/a.png".to_owned(), detail: None },
    }
}

#[test]
fn any_conversation_is_a_valid_request_that_says_the_same() {
    let Some(validator) = validator() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("t")];
    let inputs = (
        option::of(".{0,40}"),
        vec(say(), 1..8),
        vec(("[a-zA-Z0-9_-]{1,64}", any::<bool>()), 0..4),
        proptest::sample::select(choices.to_vec()),
        any::<bool>(),
    );
    let config = Config { cases: 64, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let property = |(system, says, tools, choice, settings): (Option<String>, Vec<Say>, Vec<_>, _, _)| {
        let messages: Vec<Message> = says.iter().map(message).collect();
        let tools: Vec<_> = tools.into_iter().map(|(name, strict)| tool(name, strict)).collect();
        let request = Request::new(&messages).system(system.as_deref()).tools(&tools).tool_choice(choice);
        let builder = if settings { all_settings(OpenAi::builder()) } else { OpenAi::builder() };
        let body = runtime.block_on(sent(builder, request));
        prop_assert_eq!(problems(&validator, &body), Vec::<String>::new(), "{}", body);

        let sent = &body["messages"].as_array().unwrap()[usize::from(system.is_some())..];
        prop_assert_eq!(sent.len(), says.len());
        for (say, sent) in says.iter().zip(sent) {
            match say {
                Say::User(text) => prop_assert_eq!(sent["content"].as_str(), Some(text.as_str())),
                Say::Result(id, text) => {
                    prop_assert_eq!(sent["tool_call_id"].as_str(), Some(id.as_str()));
                    prop_assert_eq!(sent["content"].as_str(), Some(text.as_str()));
                }
                Say::Model(text, _, calls) => {
                    if text.is_some() {
                        prop_assert_eq!(sent["content"].as_str(), text.as_deref());
                    }
                    for (at, [id, name, arguments]) in calls.iter().enumerate() {
                        let function = &sent["tool_calls"][at]["function"];
                        prop_assert_eq!(function["name"].as_str(), Some(name.as_str()));
                        let object: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
                        // What is no object goes back within one.
                        let meant = serde_json::from_str(arguments).ok().filter(Value::is_object);
                        let blank = arguments.trim().is_empty().then(|| json!({}));
                        let expected = meant.or(blank).unwrap_or_else(|| json!({ "invalid": arguments }));
                        prop_assert_eq!(object, expected);
                        prop_assert_eq!(sent["tool_calls"][at]["id"].as_str(), Some(id.as_str()));
                    }
                }
                Say::Parts(_) => {}
            }
        }
        let names = body["tools"].as_array().into_iter().flatten().map(|tool| tool["function"]["name"].as_str());
        prop_assert!(names.eq(tools.iter().map(|tool| Some(tool.name()))));
        Ok(())
    };
    runner.run(&inputs, property).unwrap();
}
