//! What servers get wrong, one line each; the larger corpus lies outside the repository.

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
    parts.extend(reply.refusal.iter().map(|text| format!("refusal={text}")));
    parts.extend(reply.calls.iter().map(|call| format!("[{} {} {}]", call.id, call.name, call.arguments)));
    parts.extend(reply.usage.iter().map(|usage| format!("usage={}/{}", usage.input, usage.output)));
    parts.join(" ")
}

async fn check_all(cases: &[(&str, String, &str)]) {
    for (quirk, body, expected) in cases {
        let server = Server::new([Answer::text(200, "application/json", body.as_str())]).await;
        let model = server.builder().max_retries(0).build().unwrap();
        let messages = [Message::user("?")];
        let last = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
        match last {
            Some(Ok(Delta::Done(reply))) => assert_eq!(short(&reply), *expected, "{quirk}"),
            other => panic!("{quirk}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn whole_replies() {
    let choice = |message: &str, finish: &str| {
        format!(r#"{{"choices":[{{"index":0,"message":{message},"finish_reason":{finish}}}],"usage":{{}}}}"#)
    };
    let call = |call: &str| choice(&format!(r#"{{"content":"","tool_calls":[{call}]}}"#), r#""tool_calls""#);
    let arguments = |text: &str| call(&format!(r#"{{"id":"c","function":{{"name":"n","arguments":{text}}}}}"#));
    check_all(&[
        (
            "blank lines to keep the connection",
            format!("\n\n  {}\n", choice(r#"{"content":"a"}"#, "null")),
            "none text=a",
        ),
        ("content is an object", choice(r#"{"content":{"a":1}}"#, r#""stop""#), r#"stop text={"a":1}"#),
        ("white space is text", choice(r#"{"content":" "}"#, r#""stop""#), "stop text= "),
        ("no message at all", r#"{"choices":[{"finish_reason":"stop"}]}"#.to_owned(), "stop"),
        ("an empty finish reason", choice(r#"{"content":"a"}"#, r#""""#), "none text=a"),
        ("its own finish reason", choice(r#"{"content":"a"}"#, r#""tired""#), "tired text=a"),
        ("calls announced, none sent", choice(r#"{"content":"a","tool_calls":[]}"#, r#""tool_calls""#), "stop text=a"),
        (
            "cut with a call",
            choice(r#"{"tool_calls":[{"id":"c","function":{"name":"n"}}]}"#, r#""length""#),
            "length [c n {}]",
        ),
        ("a refusal", choice(r#"{"content":null,"refusal":"No."}"#, r#""stop""#), "stop refusal=No."),
        (
            "the call of old",
            choice(r#"{"content":null,"function_call":{"name":"n","arguments":"{}"}}"#, r#""function_call""#),
            "calls [ n {}]",
        ),
        ("an empty call of old", choice(r#"{"content":"a","function_call":{"name":""}}"#, r#""stop""#), "stop text=a"),
        ("arguments null", arguments("null"), "calls [c n {}]"),
        ("arguments blank", arguments(r#"" ""#), "calls [c n {}]"),
        ("arguments as an object", arguments(r#"{"a":1}"#), r#"calls [c n {"a":1}]"#),
        ("arguments encoded twice", arguments(r#""\"{\\\"a\\\":1}\"""#), r#"calls [c n {"a":1}]"#),
        ("arguments that are no JSON", arguments(r#""{\"a\":""#), r#"calls [c n {"a":]"#),
        (
            "two choices, the second first",
            r#"{"choices":[{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}]}"#.to_owned(),
            "none text=a",
        ),
        (
            "usage that is half there",
            r#"{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":null}}"#
                .to_owned(),
            "none text=a",
        ),
    ])
    .await;
}

#[tokio::test]
async fn streamed_replies() {
    let stream = |deltas: &[&str]| {
        let chunk = |delta: &&str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
        deltas.iter().map(chunk).collect::<String>() + "data: [DONE]\n\n"
    };
    let call = |call: &str| format!(r#"{{"tool_calls":[{call}]}}"#);
    let calls = |pieces: &[&str]| {
        let deltas: Vec<String> = pieces.iter().map(|piece| call(piece)).collect();
        stream(&deltas.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let text = stream(&[r#"{"content":"a"}"#, r#"{"content":"b"}"#]);
    check_all(&[
        ("line ends of Windows", text.replace('\n', "\r\n"), "none text=ab"),
        ("line ends of old Macs", text.replace('\n', "\r"), "none text=ab"),
        ("no space after the colon", text.replace("data: ", "data:"), "none text=ab"),
        ("a byte-order mark", format!("\u{feff}{text}"), "none text=ab"),
        ("comments and other fields", format!(": hi\n\nid: 1\nretry: 5\n{text}"), "none text=ab"),
        ("empty events", format!("data:\n\ndata: \n\n{text}"), "none text=ab"),
        ("no end to the last event", text.trim_end().to_owned(), "none text=ab"),
        (
            "JSON over several lines",
            "event: message\ndata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"
                .to_owned(),
            "none text=a",
        ),
        (
            "no [DONE] after the reason",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
            "stop text=a",
        ),
        (
            "usage that grows with each chunk",
            [1, 2]
                .map(|n| {
                    format!("data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":{n}}}}}\n\n")
                })
                .concat()
                + &text,
            "none text=ab usage=9/2",
        ),
        ("one thought under two names", stream(&[r#"{"reasoning":"a","reasoning_content":"a"}"#]), "none thought=a"),
        (
            "delta and message at once",
            text.replace("\"delta\"", "\"message\":{\"content\":\"x\"},\"delta\""),
            "none text=ab",
        ),
        ("a token that is no string", stream(&[r#"{"content":"n="}"#, r#"{"content":4}"#]), "none text=n=4"),
        (
            "index counts from one",
            calls(&[
                r#"{"index":1,"id":"c","function":{"name":"n","arguments":"{"}}"#,
                r#"{"index":1,"function":{"arguments":"}"}}"#,
            ]),
            "calls [c n {}]",
        ),
        (
            "no index and no id in what follows",
            calls(&[r#"{"id":"c","function":{"name":"n","arguments":"{"}}"#, r#"{"function":{"arguments":"}"}}"#]),
            "calls [c n {}]",
        ),
        (
            "one index for every call",
            calls(&[
                r#"{"index":0,"id":"c","function":{"name":"n","arguments":"{}"}}"#,
                r#"{"index":0,"id":"d","function":{"name":"n","arguments":"{}"}}"#,
            ]),
            "calls [c n {}] [d n {}]",
        ),
        (
            "one index for every call, whose pieces come in turn",
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"n","arguments":"{\"x\":"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"m","arguments":"{\"y\":"}}"#,
                r#"{"index":0,"id":"a","function":{"arguments":"1}"}}"#,
                r#"{"index":0,"id":"b","function":{"arguments":"2"}}"#,
                r#"{"index":0,"id":"b","function":{"arguments":"}"}}"#,
            ]),
            r#"calls [a n {"x":1}] [b m {"y":2}]"#,
        ),
        (
            "one index for every call, and no id with what goes on with the first of them",
            calls(&[
                r#"{"index":0,"id":"a","function":{"name":"n","arguments":"{"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"m","arguments":"{}"}}"#,
                r#"{"index":0,"id":"a","function":{"arguments":"\"x\":"}}"#,
                r#"{"index":0,"function":{"arguments":"1}"}}"#,
            ]),
            r#"calls [a n {"x":1}] [b m {}]"#,
        ),
        (
            "no index, and ids in turn",
            calls(&[
                r#"{"id":"a","function":{"name":"n","arguments":"{"}}"#,
                r#"{"id":"b","function":{"name":"m","arguments":"{"}}"#,
                r#"{"id":"a","function":{"arguments":"}"}}"#,
                r#"{"id":"b","function":{"arguments":"}"}}"#,
            ]),
            "calls [a n {}] [b m {}]",
        ),
        (
            "one id for every call",
            calls(&[
                r#"{"index":0,"id":"c","function":{"name":"n","arguments":"{}"}}"#,
                r#"{"index":1,"id":"c","function":{"name":"m","arguments":"{}"}}"#,
            ]),
            "calls [c n {}] [c m {}]",
        ),
        (
            "id and name with every piece",
            calls(&[
                r#"{"index":0,"id":"c","function":{"name":"n","arguments":"{"}}"#,
                r#"{"index":0,"id":"c","function":{"name":"n","arguments":"}"}}"#,
            ]),
            "calls [c n {}]",
        ),
        (
            "empty id and name in what follows",
            calls(&[
                r#"{"index":0,"id":"c","function":{"name":"n","arguments":"{"}}"#,
                r#"{"index":0,"id":"","function":{"name":"","arguments":"}"}}"#,
            ]),
            "calls [c n {}]",
        ),
        (
            "a name in two pieces",
            calls(&[
                r#"{"index":0,"id":"c","function":{"name":"ab"}}"#,
                r#"{"index":0,"function":{"name":"cd","arguments":"{}"}}"#,
            ]),
            "calls [c abcd {}]",
        ),
        (
            "arguments as an object",
            calls(&[r#"{"index":0,"id":"c","function":{"name":"n","arguments":{"a":1}}}"#]),
            r#"calls [c n {"a":1}]"#,
        ),
    ])
    .await;
}
