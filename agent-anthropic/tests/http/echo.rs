//! What only the server understands, and has to see again.

use agent_core::model::{CallId, Delta, Message, Model, Reply, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::{event, spoken};

fn ok() -> Answer {
    Answer::json(200, &json!({"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}))
}

/// What goes back of a reply of these blocks.
async fn back(content: &Value) -> (Reply, Value) {
    let message = json!({"content": content, "stop_reason": "tool_use"});
    let server = Server::new([Answer::json(200, &message), ok()]).await;
    let model = server.model();
    let reply = model.reply(Request::new(&[Message::user("?")])).await.unwrap();
    let mut messages = vec![Message::user("?"), spoken(&reply)];
    messages.extend(reply.calls.iter().map(|call| Message::tool(call.id.clone(), "now", "noon")));
    model.reply(Request::new(&messages)).await.unwrap();
    let sent = server.asked()[1].body["messages"][1]["content"].clone();
    (reply, sent)
}

#[tokio::test]
async fn every_block_goes_back_as_it_came_and_where_it_stood() {
    let content = json!([
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ"},
        {"type": "text", "text": "I search. "},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            {"type": "web_search_result", "url": "https://x.test", "title": "T", "encrypted_content": "ZW5j"},
        ]},
        {"type": "text", "text": "It is \u{e9}bb.", "citations": [{"type": "web_search_result_location", "url": "https://x.test"}]},
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {"at": 1}, "caller": {"type": "direct"}},
        {"type": "some_block_of_the_future", "value": [1, {"a": null}]},
        {"type": "thinking", "thinking": "So.", "signature": "c2ln2"},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ]);
    let (reply, sent) = back(&content).await;
    assert_eq!(sent, content);
    assert_eq!(reply.text.as_deref(), Some("I search. It is \u{e9}bb."));
    assert_eq!(reply.reasoning.as_deref(), Some("Let me see.So."));
    assert_eq!(reply.calls.len(), 2, "a tool of the server's is no call");
}

#[tokio::test]
async fn what_is_text_and_calls_alone_is_kept_once() {
    let content = json!([
        {"type": "text", "text": "Now."},
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
    ]);
    let (reply, sent) = back(&content).await;
    assert_eq!((reply.echo, sent), (None, content));
}

#[tokio::test]
async fn a_streamed_reply_keeps_the_same() {
    let start = |index: u64, block: Value| {
        event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let delta =
        |index: u64, delta: Value| event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let input = |index, text: &str| delta(index, json!({"type": "input_json_delta", "partial_json": text}));
    let body = [
        event(&json!({"type": "message_start", "message": {"content": [], "container": {"id": "box-1"}}})),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Let me "})),
        delta(0, json!({"type": "thinking_delta", "thinking": "see."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2"})),
        delta(0, json!({"type": "signature_delta", "signature": "ln"})),
        start(1, json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}})),
        input(1, "{\"query\":"),
        input(1, "\"tides\"}"),
        start(2, json!({"type": "text", "text": "", "citations": []})),
        delta(2, json!({"type": "text_delta", "text": "High."})),
        delta(2, json!({"type": "citations_delta", "citation": {"url": "a"}})),
        delta(2, json!({"type": "citations_delta", "citation": {"url": "b"}})),
        start(3, json!({"type": "compaction", "content": null})),
        delta(3, json!({"type": "compaction_delta", "content": "Summed up."})),
        event(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})),
        event(&json!({"type": "message_stop"})),
    ];
    let server = Server::new([Answer::text(200, "text/event-stream", body.concat()), ok()]).await;
    let model = server.model();
    let messages = [Message::user("?")];
    let last = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
    let Some(Ok(Delta::Done(reply))) = last else { panic!("{last:?}") };
    model.reply(Request::new(&[Message::user("?"), spoken(&reply), Message::user("And?")])).await.unwrap();
    let sent = server.asked().remove(1).body;
    let expected = json!([
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}},
        {"type": "text", "text": "High.", "citations": [{"url": "a"}, {"url": "b"}]},
        {"type": "compaction", "content": "Summed up."},
    ]);
    assert_eq!((&sent["messages"][1]["content"], &sent["container"]), (&expected, &json!("box-1")));
}

#[tokio::test]
async fn nothing_goes_back_to_a_server_that_refuses_it() {
    let content = json!([{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Hi."}]);
    let server = Server::new([Answer::json(200, &json!({"content": content})), ok()]).await;
    let model = server.builder().echo(false).build().unwrap();
    let reply = model.reply(Request::new(&[Message::user("?")])).await.unwrap();
    model.reply(Request::new(&[Message::user("?"), spoken(&reply), Message::user("And?")])).await.unwrap();
    assert_eq!(server.asked()[1].body["messages"][1]["content"], json!([{"type": "text", "text": "Hi."}]));
}

#[tokio::test]
async fn a_call_that_was_given_another_id_goes_back_under_it() {
    let content = json!([
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
    ]);
    let server = Server::new([Answer::json(200, &json!({"content": content})), ok()]).await;
    let model = server.model();
    let mut reply = model.reply(Request::new(&[Message::user("?")])).await.unwrap();
    reply.calls[0].id = CallId::new("call_1_0");
    let messages = [Message::user("?"), spoken(&reply), Message::tool(CallId::new("call_1_0"), "now", "noon")];
    model.reply(Request::new(&messages)).await.unwrap();
    let sent = &server.asked()[1].body["messages"];
    assert_eq!((&sent[1]["content"][0], &sent[1]["content"][1]["id"]), (&content[0], &json!("call_1_0")));
    assert_eq!(sent[2]["content"][0]["tool_use_id"], "call_1_0");
}

/// Fields whose bytes a tree of values would not give back.
const EXACT: &str = r#""z":{"b":1.10,"a":123456789012345678901234567890,"e":1E5},"a":"\u00e9\/","f":-0.0"#;

#[tokio::test]
async fn opaque_fields_go_back_byte_for_byte_also_when_the_run_was_kept() {
    let blocks = [
        format!(r#"{{"type":"web_search_tool_result","tool_use_id":"s",{EXACT}}}"#),
        format!(r#"{{"type":"thinking","thinking":"t","signature":"x",{EXACT}}}"#),
        format!(r#"{{"type":"text","text":"Hm.","citations":[1.10],{EXACT}}}"#),
        format!(r#"{{"type":"tool_use","id":"c","name":"now","input":{{}},{EXACT}}}"#),
    ];
    let whole = format!(r#"{{"content":[{}],"stop_reason":"tool_use"}}"#, blocks.join(","));
    let begun = (0..).zip(&blocks).map(|(index, block)| {
        format!("data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{block}}}\n\n")
    });
    let streamed = begun.collect::<String>() + "data: {\"type\":\"message_stop\"}\n\n";
    for body in [whole, streamed] {
        let done = json!({"content": [{"type": "text", "text": "Noon."}]});
        let server = Server::new([Answer::text(200, "text/event-stream", body), Answer::json(200, &done)]).await;
        let model = server.model();
        let message = spoken(&model.reply(Request::new(&[Message::user("?")])).await.unwrap());
        let kept = serde_json::to_value(&message).unwrap();
        let taken_up: Message = serde_json::from_str(&kept.to_string()).unwrap();
        model.reply(Request::new(&[taken_up])).await.unwrap();
        let sent = server.asked().remove(1).text;
        assert_eq!((sent.matches(EXACT).count(), sent.matches("[1.10]").count()), (4, 1), "{sent}");
    }
}
