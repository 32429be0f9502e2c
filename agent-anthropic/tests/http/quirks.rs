//! What servers get wrong or say in their own way, one line each; the larger corpus lies outside the repository.

use agent_core::model::{Delta, Finish, Message, Model, Reply, Request};
use futures_util::StreamExt;

use crate::server::{Answer, Server};

/// What a reply says, in a form that is short to write: calls as `id name arguments`.
fn short(reply: &Reply) -> String {
    let finish = match &reply.finish {
        None => "none",
        Some(Finish::Stop) => "stop",
        Some(Finish::ToolCalls) => "calls",
        Some(Finish::Length) => "length",
        Some(Finish::ContentFilter) => "filter",
        Some(Finish::Other(word)) => word,
        Some(_) => "new",
    };
    let mut parts = vec![finish.to_owned()];
    parts.extend(reply.text.iter().map(|text| format!("text={text}")));
    parts.extend(reply.reasoning.iter().map(|text| format!("thought={text}")));
    parts.extend(reply.calls.iter().map(|call| format!("[{} {} {}]", call.id, call.name, call.arguments)));
    parts.extend(reply.usage.iter().map(|usage| {
        let written = usage.cache_write;
        format!("usage={}/{}/{}", usage.input, usage.cached_input, usage.output)
            + &if written > 0 { format!(" written={written}") } else { String::new() }
    }));
    parts.join(" ")
}

#[tokio::test]
async fn whole_replies_are_read_plain_and_as_streams() {
    let message =
        |content: &str, reason: &str| format!(r#"{{"type":"message","content":{content},"stop_reason":{reason}}}"#);
    let call =
        |input: &str| message(&format!(r#"[{{"type":"tool_use","id":"t","name":"n"{input}}}]"#), r#""tool_use""#);
    let usage = |usage: &str| format!(r#"{{"content":[],"stop_reason":"end_turn","usage":{usage}}}"#);
    for (quirk, body, expected) in [
        (
            "blank lines to keep the connection",
            format!("\n\n {}\n", message(r#"[{"type":"text","text":"a"}]"#, "null")),
            "none text=a",
        ),
        ("content that is text", message(r#""a""#, r#""end_turn""#), "stop text=a"),
        (
            "two texts",
            message(r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, r#""stop_sequence""#),
            "stop text=ab",
        ),
        ("blocks that are none", message(r#"[null,7,"x",{"type":"text","text":"a"}]"#, r#""end_turn""#), "stop text=a"),
        (
            "half a surrogate pair",
            message(r#"[{"type":"text","text":"a\ud83d"}]"#, r#""end_turn""#),
            "stop text=a\u{fffd}",
        ),
        ("a doubled key", message(r#"[{"type":"text","text":"b","text":"a"}]"#, r#""end_turn""#), "stop text=a"),
        ("its own reason to stop", message("[]", r#""tired""#), "tired"),
        ("calls announced, none sent", message("[]", r#""tool_use""#), "stop"),
        ("a call and the reason of none", call("").replace("\"tool_use\"}", "\"end_turn\"}"), "calls [t n {}]"),
        (
            "cut with a call",
            call("").replace("\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"max_tokens\""),
            "length [t n {}]",
        ),
        ("refused", message("[]", r#""refusal""#), "filter"),
        ("no input", call(""), "calls [t n {}]"),
        ("input null", call(r#","input":null"#), "calls [t n {}]"),
        (
            "numbers stay as they were written",
            call(r#","input":{"a":1.10,"b":12345678901234567890123}"#),
            r#"calls [t n {"a":1.10,"b":12345678901234567890123}]"#,
        ),
        ("input as text", call(r#","input":"{\"a\":1}""#), r#"calls [t n {"a":1}]"#),
        ("input that is no object", call(r#","input":[1]"#), "calls [t n [1]]"),
        (
            "usage",
            usage(
                r#"{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":4}"#,
            ),
            "stop usage=321/20/4 written=300",
        ),
        ("usage that is half there", usage(r#"{"input_tokens":1,"output_tokens":null}"#), "stop"),
        (
            "usage of floats and nulls",
            usage(r#"{"input_tokens":1.0,"cache_read_input_tokens":null,"output_tokens":2}"#),
            "stop usage=1/0/2",
        ),
    ] {
        let answer = || Answer::text(200, "application/json", body.as_str());
        let server = Server::new([answer(), answer()]).await;
        let model = server.builder().max_retries(0).build().unwrap();
        let messages = [Message::user("?")];
        let plain = model.reply(Request::new(&messages)).await.unwrap_or_else(|error| panic!("{quirk}: {error}"));
        assert_eq!(short(&plain), expected, "{quirk}");
        let last = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
        assert!(matches!(last, Some(Ok(Delta::Done(reply))) if reply == plain), "{quirk}");
    }
}

#[tokio::test]
async fn every_field_may_be_of_the_wrong_type() {
    let body = r#"{"id":7,"model":[],"usage":"none","stop_reason":{},"container":4,
        "content":[{"type":"tool_use","id":1,"name":{},"input":true},{"type":7},{"type":"text","text":5}]}"#;
    let server = Server::new([Answer::text(200, "application/json", body)]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(short(&reply), "calls [  true]");
}
