//! What servers answer, and what of it goes back.

use agent_core::model::{Delta, Echo, Finish, Message, Model, Reply, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::server::{Answer, Server};

async fn reply(body: Value) -> Reply {
    let server = Server::new([Answer::json(200, &body)]).await;
    server.model().reply(Request::new(&[Message::user("?")])).await.unwrap()
}

fn of(message: Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

#[tokio::test]
async fn text_usage_id_and_model_are_read() {
    let reply = reply(json!({
        "id": "r-1", "model": "small", "created": "yesterday",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Dhaka."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3.0, "prompt_tokens_details": {"cached_tokens": 4}},
    }))
    .await;
    assert_eq!(reply.text.as_deref(), Some("Dhaka."));
    assert_eq!((reply.id.as_deref(), reply.model.as_deref()), (Some("r-1"), Some("small")));
    assert_eq!((reply.finish, reply.attempts), (Some(Finish::Stop), 1));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.cached_input), (9, 3, 4));
}

#[tokio::test]
async fn calls_count_for_more_than_a_finish_reason_of_stop() {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "now", "arguments": {"zone": "UTC"}}});
    let reply = reply(of(json!({"content": null, "tool_calls": [null, "odd", call]}))).await;
    assert_eq!(reply.finish, Some(Finish::ToolCalls));
    assert_eq!((reply.calls.len(), reply.calls[0].arguments.as_str()), (1, r#"{"zone":"UTC"}"#));
}

#[tokio::test]
async fn two_calls_without_ids_stay_two() {
    let call = json!({"index": 0, "function": {"name": "now", "arguments": "{}"}});
    assert_eq!(reply(of(json!({"tool_calls": [call, call]}))).await.calls.len(), 2);
}

#[tokio::test]
async fn every_field_may_be_of_the_wrong_type() {
    let odd = json!({
        "id": 7, "model": [], "usage": "none", "x_groq": 1,
        "choices": [{"index": "first", "finish_reason": {}, "message": {
            "role": 5, "content": "still here", "refusal": false, "tool_calls": {}, "function_call": "no",
        }}],
    });
    let reply = reply(odd).await;
    assert_eq!((reply.text.as_deref(), reply.finish, reply.usage), (Some("still here"), None, None));
}

#[tokio::test]
async fn a_byte_order_mark_before_the_json_is_left_out() {
    let body = || Answer::text(200, "application/json", format!("\u{feff}{}", of(json!({"content": "Hi."}))));
    let server = Server::new([body(), body()]).await;
    let (model, messages) = (server.model(), [Message::user("?")]);
    let reply = model.reply(Request::new(&messages)).await.unwrap();
    assert_eq!(reply.text.as_deref(), Some("Hi."));
    let last = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
    assert!(matches!(last, Some(Ok(Delta::Done(reply))) if reply.text.as_deref() == Some("Hi.")));
}

#[tokio::test]
async fn a_doubled_key_counts_as_its_last_value() {
    let body = br#"{"choices":[{"message":{"content":"first","content":"last"}}]}"#;
    let server = Server::new([Answer::text(200, "application/json", *body)]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(reply.text.as_deref(), Some("last"));
}

#[tokio::test]
async fn signatures_and_thoughts_go_back_as_they_came() {
    let call = json!({
        "id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "s1"}},
    });
    let said = json!({"content": "Hm.", "reasoning_content": "Think.", "annotations": [], "tool_calls": [call]});
    let server = Server::new([Answer::json(200, &of(said)), Answer::json(200, &of(json!({"content": "ok"})))]).await;
    let model = server.model();
    let reply = model.reply(Request::new(&[Message::user("?")])).await.unwrap();
    let messages = [
        Message::user("?"),
        Message::reply(reply.text, reply.refusal, reply.calls, reply.echo),
        Message::tool(agent_core::model::CallId::new("c1"), "now", "noon"),
    ];
    model.reply(Request::new(&messages)).await.unwrap();
    let sent = &server.asked()[1].body["messages"][1];
    let expected = json!({
        "role": "assistant", "content": "Hm.", "reasoning_content": "Think.", "tool_calls": [{
            "id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": "s1"}},
        }],
    });
    assert_eq!(sent, &expected);
}

/// Fields whose bytes a tree of values would not give back.
const EXACT: &str = r#""z":{"b":1.10,"a":123456789012345678901234567890,"e":1E5},"a":"\u00e9\/","f":-0.0"#;

#[tokio::test]
async fn opaque_fields_go_back_byte_for_byte_also_when_the_run_was_kept() {
    let call = format!(r#"{{"id":"c1","type":"function","function":{{"name":"now","arguments":"{{}}"}},{EXACT}}}"#);
    let said = format!(r#"{{"content":"Hm.","tool_calls":[{call}],{EXACT}}}"#);
    let whole = format!(r#"{{"choices":[{{"message":{said},"finish_reason":"tool_calls"}}]}}"#);
    let streamed =
        format!("data: {{\"choices\":[{{\"delta\":{said},\"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n");
    for body in [whole, streamed] {
        let server =
            Server::new([Answer::text(200, "text/event-stream", body), Answer::json(200, &of(json!({})))]).await;
        let model = server.model();
        let reply = model.reply(Request::new(&[Message::user("?")])).await.unwrap();
        let message = Message::reply(reply.text, reply.refusal, reply.calls, reply.echo);
        let kept = serde_json::to_value(&message).unwrap();
        let taken_up: Message = serde_json::from_str(&kept.to_string()).unwrap();
        model.reply(Request::new(&[taken_up])).await.unwrap();
        let sent = server.asked().remove(1).text;
        assert_eq!(sent.matches(EXACT).count(), 2, "{sent}");
    }
}

#[tokio::test]
async fn what_another_format_needs_back_is_left_out() {
    let echo = Echo { format: "anthropic".to_owned(), fields: json!({"signature": "x"}) };
    let server = Server::new([Answer::json(200, &of(json!({"content": "ok"})))]).await;
    let messages = [Message::reply(Some("Hi.".to_owned()), None, Vec::new(), Some(echo)), Message::user("?")];
    server.model().reply(Request::new(&messages)).await.unwrap();
    assert_eq!(server.asked()[0].body["messages"][0], json!({"role": "assistant", "content": "Hi."}));
}

#[tokio::test]
async fn nothing_goes_back_to_a_server_that_refuses_it() {
    let echo = Echo { format: "openai".to_owned(), fields: json!({"reasoning_content": "x"}) };
    let answer = || Answer::json(200, &of(json!({"content": "ok"})));
    let server = Server::new([answer(), answer()]).await;
    let messages = [Message::reply(Some("Hi.".to_owned()), None, Vec::new(), Some(echo)), Message::user("?")];
    server.model().reply(Request::new(&messages)).await.unwrap();
    server.builder().echo(false).build().unwrap().reply(Request::new(&messages)).await.unwrap();
    let sent: Vec<_> = server.asked().into_iter().map(|asked| asked.body["messages"][0].clone()).collect();
    let bare = json!({"role": "assistant", "content": "Hi."});
    assert_eq!(sent, [json!({"role": "assistant", "content": "Hi.", "reasoning_content": "x"}), bare]);
}
