//! What is measured, each ready to be done again and again, and beside it what it is compared with.
//!
//! `benches/cost.rs` takes the time of each, `src/bin/count.rs` its instructions.

use std::pin::pin;
use std::sync::Arc;

use agent_core::arguments::{Digest, Validator};
use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::{Delta, Message, Model, Reply, Request, ToolCall};
use agent_core::run::{Checked, Input, Plan, PlannedTool, Run, RunStart, Step};
use agent_core::schema::full_text;
use agent_core::testing::{FunctionModel, ScriptedModel};
use agent_core::{Agent, Dispatch, Limits, Observation, SecurityContext, ToolResult, ToolSchema, tool, tools};
use agent_openai::OpenAi;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use sha2::Digest as _;
use tokio::runtime::Runtime;

use crate::arguments::{Folder, Invoice, book, folder, invoice, look, open};
use crate::meter::mark;
use crate::server::Server;

/// Sizes of an invoice, in lines.
pub const LINES: [usize; 3] = [1, 10, 100];
/// Depths of a folder.
pub const DEPTHS: [usize; 3] = [1, 8, 32];
/// Turns of a run; each adds two messages.
pub const TURNS: [usize; 4] = [1, 10, 50, 100];
/// Events of a stream.
pub const EVENTS: [usize; 3] = [10, 100, 1000];

/// A runtime of one thread.
pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// From the text into the type, by serde alone.
pub fn serde<T: for<'a> Deserialize<'a>>(text: String) -> impl FnMut() -> T {
    move || serde_json::from_str(&text).unwrap()
}

/// From the text into the type, after the `jsonschema` crate has found it right.
pub fn jsonschema<T: ToolSchema + for<'a> Deserialize<'a>>(text: String) -> impl FnMut() -> T {
    let schema: Value = serde_json::from_str(&full_text(T::SHAPE.get())).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    move || {
        let value: Value = serde_json::from_str(&text).unwrap();
        validator.validate(&value).unwrap();
        serde_json::from_value(value).unwrap()
    }
}

/// From the text into the type, by our validator.
pub fn validated<T: ToolSchema + for<'a> Deserialize<'a>>(text: String) -> impl FnMut() -> T {
    let validator = Validator::new(T::SHAPE.get()).unwrap();
    move || validator.read(&text).unwrap().whole().unwrap()
}

/// One call of `tool` through all gates, from the argument text to the result.
pub fn dispatched(tool: &'static str, text: String) -> impl FnMut() -> ToolResult {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look, book, open]).build().unwrap();
    let call = ToolCall::new("call_1", tool, text);
    let caller = Arc::new(SecurityContext::new("usr_1", "tenant_1"));
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run: Arc<str> = Arc::from("run_1");
    let runtime = runtime();
    let mut turn = 0;
    move || {
        turn += 1;
        // Another place in the run each time, so that each call is an effect of its own.
        let at = Dispatch::new(&caller, agent.state(), &store, &run).position(turn, 0);
        let result = runtime.block_on(agent.toolbox().dispatch(&call, &at));
        assert!(result.is_success());
        result
    }
}

/// SHA-256 of the argument text.
pub fn sha256(text: String) -> impl FnMut() -> [u8; 32] {
    move || sha2::Sha256::digest(&text).into()
}

/// The digest of arguments that are read.
pub fn digest(text: String) -> impl FnMut() -> Digest {
    let validator = Validator::new(Invoice::SHAPE.get()).unwrap();
    let text: &'static str = text.leak();
    let arguments = validator.read(text).unwrap();
    move || arguments.digest()
}

/// About a KB, with line breaks and quotes to escape.
fn found(step: u32) -> String {
    format!("{{\"step\":{step},\"found\":\"the quick brown fox\"}}\n").repeat(24)
}

/// Fetches one record.
#[tool]
pub async fn fetch(
    /// Which.
    step: u32,
) -> String {
    mark();
    found(step)
}

fn call(step: usize) -> ToolCall {
    ToolCall::new(format!("call_{step}"), "fetch", format!(r#"{{"step":{step}}}"#))
}

/// The bounds of runs of so many turns.
pub fn limits(turns: usize) -> Limits {
    let turns = u32::try_from(turns).unwrap();
    Limits::default().max_cycles(turns + 2).max_tool_calls(turns + 50).timeout(std::time::Duration::from_secs(3600))
}

fn shown(result: &ToolResult) -> String {
    Observation::default().render(result, 65_536)
}

/// The result of a call of `fetch`.
fn a_result() -> ToolResult {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![fetch]).build().unwrap();
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run: Arc<str> = Arc::from("run_1");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    runtime().block_on(agent.toolbox().dispatch(&call(0), &at))
}

/// The messages of a run of so many turns, and the texts in them, without the run.
pub fn messages(turns: usize) -> impl FnMut() -> Vec<Message> {
    let result = a_result();
    move || {
        let mut messages = vec![Message::user("Fetch the records one by one.")];
        for turn in 0..turns {
            let call = call(turn);
            messages.push(Message::assistant_calls(None, vec![call.clone()]));
            messages.push(Message::tool(call.id, call.name, shown(&result)));
        }
        messages.push(Message::assistant("Done."));
        messages
    }
}

/// A run of so many turns as data: each report of a driver, and no driver.
pub fn applied(turns: usize) -> impl FnMut() -> Run {
    let plan = Plan::new(vec![PlannedTool::read("fetch")], limits(turns));
    let result = a_result();
    move || {
        let mut run = Run::new(RunStart::new("run_1", "Fetch the records one by one."));
        let mut apply = |input| run.apply(&plan, input, &mut ());
        let took = std::time::Duration::from_millis(1);
        for turn in 0..turns {
            let mut arguments = [0; 32];
            arguments[..8].copy_from_slice(&turn.to_le_bytes());
            apply(Input::Clock(took));
            apply(Input::Reply(Box::new(Reply::calls([call(turn)])), took));
            apply(Input::Checked(vec![Checked::ready(0, Digest::from_bytes(arguments))]));
            apply(Input::ToolStarted(0));
            apply(Input::ToolDone(0, Box::new(result.clone())));
        }
        apply(Input::Reply(Box::new(Reply::text("Done.")), took));
        assert!(run.next(&plan) == Step::Done && run.messages().len() == 2 * turns + 2);
        run
    }
}

/// A run of so many turns, with a model that answers at once.
pub fn driven(turns: usize) -> impl FnMut() -> usize {
    let model = FunctionModel::new(move |messages| {
        let done = messages.len() / 2;
        Ok(if done < turns { Reply::calls([call(done)]) } else { Reply::text("Done.") })
    });
    let agent = Agent::builder(model).tools(tools![fetch]).limits(limits(turns)).build().unwrap();
    let runtime = runtime();
    move || {
        let answer = runtime.block_on(agent.run("Fetch the records one by one.").into_future()).unwrap();
        answer.record().messages.len()
    }
}

fn model(url: String) -> OpenAi {
    OpenAi::builder().base_url(url).api_key("sk-bench").model("mock-1").build().unwrap()
}

/// All requests of a run of so many turns, by the adapter: each turn adds two messages, and the model is asked again.
pub fn asked(turns: usize) -> impl FnMut() -> usize {
    let (model, runtime) = (model(Server::start().url("turns/0")), runtime());
    move || converse(&runtime, &model, turns)
}

fn converse(runtime: &Runtime, model: &OpenAi, turns: usize) -> usize {
    let mut messages = vec![Message::user("Fetch the records one by one.")];
    for turn in 0..turns {
        let call = call(turn);
        messages.push(Message::assistant_calls(None, vec![call.clone()]));
        messages.push(Message::tool(call.id, call.name, found(0)));
        runtime.block_on(model.reply(Request::new(&messages).run_id("run_1").system(Some("Be short.")))).unwrap();
    }
    messages.len()
}

/// The bytes of the same requests, sent by a bare reqwest.
pub fn replayed(turns: usize) -> impl FnMut() -> usize {
    let server = Server::start();
    let runtime = runtime();
    let model = model(server.url("turns/0"));
    let bodies: Vec<_> = server.sent(|| converse(&runtime, &model, turns)).into_iter().map(bytes_of).collect();
    let client = reqwest::Client::new();
    let url = format!("{}/chat/completions", server.url("turns/0"));
    move || {
        let mut read = 0;
        for body in &bodies {
            mark();
            read += runtime.block_on(posted(&client, &url, body.clone()));
        }
        read
    }
}

/// The same conversation as values, written anew by serde for each request, and sent by a bare reqwest.
pub fn written_anew(turns: usize) -> impl FnMut() -> usize {
    let server = Server::start();
    let runtime = runtime();
    let client = reqwest::Client::new();
    let url = format!("{}/chat/completions", server.url("turns/0"));
    move || {
        let mut messages = vec![serde_json::json!({"role": "user", "content": "Fetch the records one by one."})];
        let mut read = 0;
        for turn in 0..turns {
            let call = call(turn);
            let id = call.id.as_str();
            let function = serde_json::json!({"name": call.name, "arguments": call.arguments});
            let calls = serde_json::json!([{"id": id, "type": "function", "function": function}]);
            messages.push(serde_json::json!({"role": "assistant", "content": null, "tool_calls": calls}));
            messages.push(serde_json::json!({"role": "tool", "tool_call_id": id, "content": found(0)}));
            let body = serde_json::to_vec(&serde_json::json!({"model": "mock-1", "messages": &messages})).unwrap();
            read += runtime.block_on(posted(&client, &url, bytes_of(body)));
        }
        read
    }
}

/// Shared, so that sending it again copies nothing.
fn bytes_of(body: Vec<u8>) -> bytes::Bytes {
    body.into()
}

async fn posted(client: &reqwest::Client, url: &str, body: bytes::Bytes) -> usize {
    let request = client.post(url).header("content-type", "application/json").bearer_auth("sk-bench").body(body);
    request.send().await.unwrap().bytes().await.unwrap().len()
}

/// A streamed reply of so many events, by the adapter.
pub fn streamed(events: usize) -> impl FnMut() -> usize {
    let model = model(Server::start().url(&format!("events/{events}")));
    let runtime = runtime();
    let messages = [Message::user("Say it.")];
    move || {
        runtime.block_on(async {
            let mut pieces = model.stream(Request::new(&messages));
            let mut pushed = 0;
            while let Some(piece) = pieces.next().await {
                if let Delta::Text(text) = piece.unwrap() {
                    pushed += text.len();
                }
            }
            pushed
        })
    }
}

const STREAMED: &[u8] = br#"{"model":"mock-1","messages":[{"role":"user","content":"Say it."}],"stream":true}"#;

/// The bytes of the same stream, read by a bare reqwest and forgotten.
pub fn unread(events: usize) -> impl FnMut() -> usize {
    let url = format!("{}/chat/completions", Server::start().url(&format!("events/{events}")));
    let (client, runtime) = (reqwest::Client::new(), runtime());
    move || runtime.block_on(posted(&client, &url, bytes::Bytes::from_static(STREAMED)))
}

/// The same stream by hand: lines, and serde for what is wanted of each.
pub fn read_by_hand(events: usize) -> impl FnMut() -> usize {
    #[derive(Deserialize)]
    struct Chunk {
        choices: Vec<Choice>,
    }
    #[derive(Deserialize)]
    struct Choice {
        delta: Said,
    }
    #[derive(Deserialize)]
    struct Said {
        content: Option<String>,
    }
    let url = format!("{}/chat/completions", Server::start().url(&format!("events/{events}")));
    let (client, runtime) = (reqwest::Client::new(), runtime());
    move || {
        runtime.block_on(async {
            let request = client.post(&url).header("content-type", "application/json").bearer_auth("sk-bench");
            let response = request.body(bytes::Bytes::from_static(STREAMED)).send().await.unwrap();
            let mut response = pin!(response);
            let (mut buffer, mut pushed): (Vec<u8>, usize) = (Vec::new(), 0);
            while let Some(chunk) = response.chunk().await.unwrap() {
                buffer.extend_from_slice(&chunk);
                let mut begin = 0;
                while let Some(end) = memchr::memmem::find(&buffer[begin..], b"\n\n") {
                    let data = buffer[begin..begin + end].strip_prefix(b"data: ").unwrap();
                    if data != b"[DONE]" {
                        let chunk: Chunk = serde_json::from_slice(data).unwrap();
                        let said = chunk.choices.into_iter().next().and_then(|choice| choice.delta.content);
                        pushed += said.map_or(0, |text| text.len());
                    }
                    begin += end + 2;
                }
                buffer.drain(..begin);
            }
            pushed
        })
    }
}

/// What is counted, with what it is compared with.
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// The name of what it stands beside, or a dash.
    pub beside: &'static str,
    /// Whether it is on the network, where one reading more or less is nobody's.
    pub network: bool,
    /// Makes it.
    pub make: fn() -> Box<dyn FnMut()>,
}

macro_rules! scenarios {
    ($($name:ident $(/ $beside:ident)? $(, network $network:literal)? => $make:expr;)*) => {
        &[$(Scenario {
            name: stringify!($name),
            beside: [$(stringify!($beside),)? "-"][0],
            network: [$($network,)? false][0],
            make: || {
                let mut work = $make;
                Box::new(move || {
                    std::hint::black_box(work());
                })
            },
        },)*]
    };
}

/// Every scenario of `count`.
pub const SCENARIOS: &[Scenario] = scenarios! {
    serde_1_line => serde::<Invoice>(invoice(1));
    validate_1_line / serde_1_line => validated::<Invoice>(invoice(1));
    read_1_line / serde_1_line => dispatched("look", invoice(1));
    mutate_1_line / serde_1_line => dispatched("book", invoice(1));
    serde_100_lines => serde::<Invoice>(invoice(100));
    jsonschema_100_lines / serde_100_lines => jsonschema::<Invoice>(invoice(100));
    validate_100_lines / serde_100_lines => validated::<Invoice>(invoice(100));
    read_100_lines / serde_100_lines => dispatched("look", invoice(100));
    serde_32_deep => serde::<Folder>(folder(32));
    validate_32_deep / serde_32_deep => validated::<Folder>(folder(32));
    sha256_10_lines => sha256(invoice(10));
    digest_10_lines / sha256_10_lines => digest(invoice(10));
    messages_of_10_turns => messages(10);
    apply_10_turns / messages_of_10_turns => applied(10);
    drive_10_turns / messages_of_10_turns => driven(10);
    replay_10_turns, network true => replayed(10);
    ask_10_turns / replay_10_turns, network true => asked(10);
    replay_100_turns, network true => replayed(100);
    ask_100_turns / replay_100_turns, network true => asked(100);
    stream_by_hand, network true => read_by_hand(100);
    stream / stream_by_hand, network true => streamed(100);
};
