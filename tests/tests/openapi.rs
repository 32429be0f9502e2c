//! Requests, held against OpenAI's own schema of them.
//!
//! The schema lies outside the repository; `OPENAPI_SCHEMAS` names its folder, `../shared/openapi` otherwise.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

#[path = "wire/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{env, fs};

use agent_core::model::{CallId, Echo, Message, Model, Part, Request, ToolCall, ToolChoice, ToolDefinition};
use agent_core::profile;
use agent_core::schema::Published;
use agent_core::{Agent, BusinessError, ToolSchema, tool, tools};
use agent_openai::{Builder, OpenAi};
use agent_tests_shapes as shapes;
use futures_util::StreamExt;
use jsonschema::Validator;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

const PARAMETERS: &str = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#;

/// The schema that takes no field which OpenAI does not have.
fn validator() -> Option<Validator> {
    in_folder(&folder(), STRICT)
}

const STRICT: &str = "create-chat-completion-request.strict.schema.json";
/// The same that takes fields of other servers too.
const LOOSE: &str = "create-chat-completion-request.schema.json";

fn folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/openapi");
    env::var_os("OPENAPI_SCHEMAS").map_or_else(default, PathBuf::from)
}

/// The schema in a folder; none where there is no such folder, which is said.
fn in_folder(folder: &Path, name: &str) -> Option<Validator> {
    if !folder.is_dir() {
        // Not by `println!`, of which a test that passes shows nothing. Who does not listen is no reason to fail.
        let _ = writeln!(std::io::stderr(), "skipped: there is no folder {}; set OPENAPI_SCHEMAS", folder.display());
        return None;
    }
    let path = folder.join(name);
    let text =
        fs::read(&path).unwrap_or_else(|error| panic!("the folder holds no schema, {}: {error}", path.display()));
    Some(jsonschema::validator_for(&serde_json::from_slice(&text).unwrap()).unwrap())
}

async fn sent(builder: Builder, request: Request<'_>, stream: bool) -> Value {
    let body = br#"{"choices":[{"message":{"content":"ok"}}]}"#.to_vec();
    let response = server::Response { status: 200, headers: vec![], body, split_at: vec![], abort: false };
    let (base_url, body) = server::serve(response).await;
    let model = builder.base_url(base_url).build().unwrap();
    match stream {
        true => assert!(model.stream(request).collect::<Vec<_>>().await.pop().unwrap().is_ok()),
        false => assert!(model.reply(request).await.is_ok()),
    }
    serde_json::from_slice(&body.await.unwrap().unwrap()).unwrap()
}

fn problems(validator: &Validator, body: &Value) -> Vec<String> {
    validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn tool(name: String, strict: bool) -> ToolDefinition {
    let published = Published { description: "Does it.".to_owned(), parameters: PARAMETERS.to_owned() };
    ToolDefinition::new(name, strict, [(&profile::OPENAI, published)])
}

/// One setting of a model.
type Setting = fn(Builder) -> Builder;

/// Every setting that OpenAI has.
const SETTINGS: [Setting; 18] = [
    |builder| builder.model("gpt-5"),
    |builder| builder.developer_role(true),
    |builder| builder.parallel_tool_calls(false),
    |builder| builder.temperature(0.5),
    |builder| builder.top_p(0.5),
    |builder| builder.max_completion_tokens(1000),
    |builder| builder.reasoning_effort("high"),
    |builder| builder.seed(7),
    |builder| builder.stop(["A", "B"]),
    |builder| builder.service_tier("priority"),
    |builder| builder.metadata(BTreeMap::from([("k".to_owned(), "v".to_owned())])),
    |builder| builder.prompt_cache_key("p"),
    |builder| builder.user("u"),
    |builder| builder.safety_identifier("s"),
    |builder| builder.response_schema::<Verdict>(),
    |builder| builder.stream_usage(false),
    |builder| builder.extra("stream_options", json!({"include_obfuscation": false})),
    |builder| builder.extra("verbosity", "low"),
];

/// Those of them whose bit is set.
fn settings(builder: Builder, bits: u32) -> Builder {
    let set = SETTINGS.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
    set.fold(builder, |builder, (_, set)| set(builder))
}

fn all_settings(builder: Builder) -> Builder {
    settings(builder, u32::MAX)
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
    for stream in [false, true] {
        let body = sent(all_settings(OpenAi::builder()), request, stream).await;
        assert_eq!(problems(&validator, &body), Vec::<String>::new(), "{body}");
    }
}

/// Gives these answers in turn; gives the base URL, and what was asked so far.
async fn answering(answers: Vec<Value>) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<Vec<Value>>>::default();
    let keep = Arc::clone(&asked);
    tokio::spawn(async move {
        for answer in answers {
            let mut stream = BufReader::new(listener.accept().await.unwrap().0);
            let request = server::read_request(&mut stream).await.unwrap();
            keep.lock().unwrap().push(serde_json::from_slice(&request).unwrap());
            let body = answer.to_string();
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    });
    (base_url, asked)
}

fn says(text: Option<&str>, calls: &[(&str, &str)]) -> Value {
    let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"id": format!("c{at}"), "type": "function", "function": function, "extra_content": {"signature": "s"}})
    };
    let calls: Vec<_> = calls.iter().enumerate().map(call).collect();
    json!({"choices": [{"message": {"content": text, "tool_calls": calls, "reasoning_content": "Hm."}}]})
}

/// Tools, each with a parameter of its type.
macro_rules! take {
    ($($name:ident: $ty:ty;)*) => {
        $(
            /// Takes it.
            #[tool]
            async fn $name(
                /// It.
                it: $ty,
            ) -> u8 {
                let _ = it;
                0
            }
        )*
    };
}

take! {
    page: shapes::Page<shapes::Head>;
    deep: shapes::Deep3<u8>;
    deepest: shapes::Deep9;
    tree: shapes::Tree;
    spaced: shapes::Spaced;
    head: shapes::Head;
    values: shapes::Values600;
    pages: Option<Vec<shapes::Page<shapes::Deep3<Option<String>>>>>;
}

/// Looks something up.
#[tool]
async fn look_up(
    /// Where.
    place: Option<String>,
    /// How often.
    #[arg(minimum = 1, default = 1)]
    often: u32,
) -> Result<Vec<String>, BusinessError> {
    match place {
        Some(place) => Ok(vec![place; often as usize]),
        None => Err(BusinessError::new("NOWHERE", "there is no such place")),
    }
}

/// Does nothing.
#[tool]
async fn nothing() {}

/// What came of it.
#[derive(Deserialize, ToolSchema)]
struct Verdict {
    /// Whether it holds.
    holds: bool,
}

fn agent(base_url: &str) -> Agent {
    let model = all_settings(OpenAi::builder()).base_url(base_url).build().unwrap();
    let tools = tools![page, deep, deepest, tree, spaced, head, values, pages, look_up, nothing];
    Agent::builder(model).system("Be brief.").tools(tools).build().unwrap()
}

#[tokio::test]
async fn every_request_of_a_built_agent_is_valid_over_several_turns() {
    let Some(validator) = validator() else { return };
    let (base_url, asked) = answering(vec![
        says(
            Some("I look."),
            &[("look_up", r#"{"place":"Dhaka","often":2}"#), ("look_up", r#"{"place":null,"often":null}"#)],
        ),
        says(None, &[("functions.look up", "no JSON"), ("head", r#"{"it":{"number":-1}}"#), ("nothing", "")]),
        says(None, &[("tree", r#"{"it":{"kids":[{"kids":[]}]}}"#), ("head", r#"{"it":{"number":7}}"#)]),
        says(Some("It holds."), &[]),
        says(None, &[("finish", r#"{"holds":true}"#)]),
    ])
    .await;
    let answer = agent(&base_url).run("Does it hold?").answer::<Verdict>().await.unwrap();
    assert!(answer.value().holds);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 5);
    for body in asked.iter() {
        assert_eq!(problems(&validator, body), Vec::<String>::new(), "{body}");
        assert_eq!((body["tools"].as_array().unwrap().len(), &body["tool_choice"]), (11, &json!("required")));
    }
    let results = asked[4]["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    assert_eq!(results.count(), 7);
}

#[tokio::test]
async fn the_closing_turn_of_an_agent_is_a_valid_request() {
    let Some(validator) = validator() else { return };
    let wrong = || says(None, &[("head", r#"{"it":{"number":-1}}"#)]);
    let (base_url, asked) = answering(vec![wrong(), wrong(), says(Some("I cannot."), &[])]).await;
    let error = agent(&base_url).run("Go.").await.unwrap_err();
    assert_eq!(error.text(), Some("I cannot."));
    for body in asked.lock().unwrap().iter() {
        assert_eq!(problems(&validator, body), Vec::<String>::new(), "{body}");
    }
}

/// What OpenAI's strict mode refuses in a schema, by its guide and independent of the code that writes it.
fn strict_problems(schema: &Value, place: &str, found: &mut Vec<String>) {
    const KEYWORDS: [&str; 20] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ];
    const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    let Some(fields) = schema.as_object() else {
        found.push(format!("{place} is no schema object"));
        return;
    };
    let unknown = fields.keys().filter(|name| !KEYWORDS.contains(&name.as_str()));
    found.extend(unknown.map(|name| format!("{place} has `{name}`")));
    if let Some(format) = fields.get("format").filter(|format| !FORMATS.contains(&format.as_str().unwrap())) {
        found.push(format!("{place} has the format {format}"));
    }
    if fields.contains_key("$ref") && fields.len() > 1 {
        found.push(format!("{place} has something beside `$ref`"));
    }
    if fields
        .get("type")
        .is_some_and(|kind| kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("object"))))
    {
        let names = |name| fields.get(name).and_then(Value::as_object).into_iter().flat_map(|of| of.keys().cloned());
        let properties: Vec<_> = names("properties").collect();
        let required: Vec<String> = serde_json::from_value(fields["required"].clone()).unwrap();
        let (mut sorted, mut all) = (required, properties);
        sorted.sort();
        all.sort();
        if sorted != all {
            found.push(format!("{place} does not require all its properties"));
        }
        if fields.get("additionalProperties") != Some(&json!(false)) {
            found.push(format!("{place} is open"));
        }
    }
    for within in ["properties", "$defs"] {
        for (name, schema) in fields.get(within).and_then(Value::as_object).into_iter().flatten() {
            strict_problems(schema, &format!("{place}/{within}/{name}"), found);
        }
    }
    if let Some(items) = fields.get("items") {
        strict_problems(items, &format!("{place}/items"), found);
    }
    for (at, schema) in fields.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        strict_problems(schema, &format!("{place}/anyOf/{at}"), found);
    }
}

#[tokio::test]
async fn every_published_schema_of_a_built_agent_is_one_that_strict_mode_takes() {
    let (base_url, asked) = answering(vec![says(None, &[("finish", r#"{"holds":true}"#)])]).await;
    agent(&base_url).run("Go.").answer::<Verdict>().await.unwrap();
    let body = asked.lock().unwrap().remove(0);
    for tool in body["tools"].as_array().unwrap() {
        let function = &tool["function"];
        let (name, schema) = (&function["name"], &function["parameters"]);
        assert_eq!(function["strict"], true, "{name}");
        assert!(jsonschema::meta::is_valid(schema), "{name} is no JSON Schema");
        let mut found = Vec::new();
        strict_problems(schema, "", &mut found);
        assert_eq!(found, Vec::<String>::new(), "{name}: {schema}");
    }
}

#[derive(Debug, Clone)]
enum Say {
    User(String),
    /// Texts, and images with their detail.
    Parts(Vec<Result<String, Option<&'static str>>>),
    /// Text, refusal, calls, and what goes back with it.
    Model(Option<String>, Option<String>, Vec<[String; 3]>, Option<String>),
    Result(String, String),
}

fn say() -> impl Strategy<Value = Say> {
    let call = [".{0,12}", "[a-zA-Z0-9_-]{1,64}", ".{0,40}"];
    prop_oneof![
        ".{0,60}".prop_map(Say::User),
        vec(proptest::result::maybe_ok(".{0,20}", option::of(select(vec!["low", "high", "auto"]))), 0..4)
            .prop_map(Say::Parts),
        (option::of(".{0,60}"), option::of(".{1,20}"), vec(call, 0..4), option::of("[a-z]{1,20}"))
            .prop_map(|(text, refusal, calls, echo)| Say::Model(text, refusal, calls, echo)),
        (".{0,12}", ".{0,60}").prop_map(|(id, text)| Say::Result(id, text)),
    ]
}

fn message(say: &Say) -> Message {
    match say.clone() {
        Say::User(text) => Message::user(text),
        Say::Parts(parts) => Message::user_parts(parts.into_iter().map(part).collect()),
        Say::Model(text, refusal, calls, thought) => {
            let echo = |thought| Echo { format: "openai".to_owned(), fields: json!({"reasoning_content": thought}) };
            let calls = calls.into_iter().map(|[id, name, arguments]| {
                let mut call = ToolCall::new(id, name, arguments);
                call.echo = thought.as_ref().map(echo);
                call
            });
            Message::reply(text, refusal, calls.collect(), thought.as_ref().map(echo))
        }
        Say::Result(id, text) => Message::tool(CallId::new(id), "t", text),
    }
}

fn part(part: Result<String, Option<&str>>) -> Part {
    match part {
        Ok(text) => Part::Text { text },
        Err(detail) => Part::Image { url: "https://x.test/a.png".to_owned(), detail: detail.map(str::to_owned) },
    }
}

#[test]
fn any_conversation_is_a_valid_request_that_says_the_same() {
    let Some(strict) = validator() else { return };
    let loose = in_folder(&folder(), LOOSE).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let choices = [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Tool("t")];
    let inputs = (
        option::of(".{0,40}"),
        vec(say(), 1..8),
        vec(("[a-zA-Z0-9_-]{1,64}", any::<bool>()), 0..4),
        select(choices.to_vec()),
        any::<u32>(),
        any::<[bool; 2]>(),
    );
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let property =
        |(system, says, tools, choice, bits, [echo, stream]): (Option<String>, Vec<Say>, Vec<_>, _, u32, [bool; 2])| {
            let messages: Vec<Message> = says.iter().map(message).collect();
            let tools: Vec<_> = tools.into_iter().map(|(name, strict)| tool(name, strict)).collect();
            let request = Request::new(&messages).system(system.as_deref()).tools(&tools).tool_choice(choice);
            let body = runtime.block_on(sent(settings(OpenAi::builder(), bits).echo(echo), request, stream));
            // What another server wants back is no field of OpenAI's.
            let is_echoed = echo && says.iter().any(|say| matches!(say, Say::Model(.., Some(_))));
            let validator = if is_echoed { &loose } else { &strict };
            prop_assert_eq!(problems(validator, &body), Vec::<String>::new(), "{}", body);
            prop_assert_eq!(&body["stream"] == true, stream);

            let sent = &body["messages"].as_array().unwrap()[usize::from(system.is_some())..];
            prop_assert_eq!(sent.len(), says.len());
            for (say, sent) in says.iter().zip(sent) {
                match say {
                    Say::User(text) => prop_assert_eq!(sent["content"].as_str(), Some(text.as_str())),
                    Say::Result(id, text) => {
                        prop_assert_eq!(sent["tool_call_id"].as_str(), Some(id.as_str()));
                        prop_assert_eq!(sent["content"].as_str(), Some(text.as_str()));
                    }
                    Say::Model(text, _, calls, thought) => {
                        let thought = thought.as_ref().filter(|_| echo).map(|thought| json!(thought));
                        prop_assert_eq!(sent.get("reasoning_content"), thought.as_ref());
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
                    Say::Parts(parts) => {
                        let details: Vec<_> = parts.iter().filter_map(|part| part.as_ref().err()).collect();
                        let sent = sent["content"].as_array().into_iter().flatten();
                        let images: Vec<_> = sent.filter(|part| part["type"] == "image_url").collect();
                        prop_assert_eq!(images.len(), details.len());
                        for (image, detail) in images.into_iter().zip(details) {
                            prop_assert_eq!(image["image_url"]["detail"].as_str(), *detail);
                        }
                    }
                }
            }
            let names = body["tools"].as_array().into_iter().flatten().map(|tool| tool["function"]["name"].as_str());
            prop_assert!(names.eq(tools.iter().map(|tool| Some(tool.name()))));
            Ok(())
        };
    runner.run(&inputs, property).unwrap();
}

#[test]
#[should_panic(expected = "the folder holds no schema")]
fn a_folder_without_the_schema_is_a_failure() {
    in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire"), STRICT);
}

#[test]
fn a_folder_that_is_not_there_is_skipped() {
    assert!(in_folder(Path::new("no/such/folder"), STRICT).is_none());
}
