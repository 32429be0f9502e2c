//! Each reason that a provider gives for a reply's end, and what becomes of the run.

use agent_core::model::Model;
use agent_core::{Agent, tools};
use serde_json::{Value, json};

use crate::swap::{anthropic, openai, serve, time_in};

/// What a reply holds.
#[derive(Debug, Clone, Copy)]
enum Holds {
    Text,
    Calls,
    Nothing,
}

const TEXT: &str = "Noon.";

fn openai_says(reason: &Value, holds: Holds) -> Value {
    let function = json!({"name": "time_in", "arguments": r#"{"city":"Dhaka"}"#});
    let message = match holds {
        Holds::Text => json!({"content": TEXT}),
        Holds::Calls => json!({"content": null, "tool_calls": [{"id": "a", "type": "function", "function": function}]}),
        Holds::Nothing => json!({"content": null}),
    };
    json!({"model": "gpt", "choices": [{"message": message, "finish_reason": reason}]})
}

fn anthropic_says(reason: &Value, holds: Holds) -> Value {
    let content = match holds {
        Holds::Text => json!([{"type": "text", "text": TEXT}]),
        Holds::Calls => json!([{"type": "tool_use", "id": "toolu_1", "name": "time_in", "input": {"city": "Dhaka"}}]),
        Holds::Nothing => json!([]),
    };
    json!({"model": "claude", "content": content, "stop_reason": reason})
}

/// What becomes of a run with this reply: its end, or `goes on` to the next.
async fn end(model: impl Model + 'static) -> String {
    let agent = Agent::builder(model).tools(tools![time_in]).build().unwrap();
    match agent.run("What time is it in Dhaka?").await {
        Ok(answer) if answer.text() == TEXT => "answer".to_owned(),
        Ok(answer) if answer.text() == "Next." => "goes on".to_owned(),
        Ok(answer) => panic!("{:?}", answer.text()),
        Err(error) => {
            let kept = error.text().map_or("", |_| ", text kept");
            format!("{}{kept}", error.kind().as_str())
        }
    }
}

/// Reasons, and what becomes of a run with a text, with calls, and with neither.
type Rows<'a> = &'a [(&'a [&'a str], [&'a str; 3])];

const DONE: [&str; 3] = ["answer", "goes on", "goes on"];
const CUT: [&str; 3] = ["truncated, text kept", "truncated", "truncated"];
const FILTERED: [&str; 3] = ["content_filtered, text kept", "content_filtered", "content_filtered"];
const UNKNOWN: [&str; 3] = ["unfinished, text kept", "unfinished", "goes on"];

const OPENAI: Rows<'static> = &[
    (&["stop", "STOP", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"], DONE),
    (&["tool_calls", "tool_call", "function_call", "tool_use", ""], DONE),
    (&["length", "max_tokens", "model_length"], CUT),
    (&["content_filter", "refusal", "safety"], FILTERED),
    (&["insufficient_system_resource", "abort"], UNKNOWN),
];

const ANTHROPIC: Rows<'static> = &[
    (&["end_turn", "stop_sequence", "stop"], DONE),
    (&["tool_use", "tool_calls"], DONE),
    (&["max_tokens", "model_context_window_exceeded", "length"], CUT),
    (&["refusal", "content_filter"], FILTERED),
    (&["abort"], UNKNOWN),
];

#[tokio::test]
async fn each_reason_to_stop_of_each_adapter_comes_to_an_end_of_the_run() {
    let cases = |rows: Rows<'static>| {
        let named = rows.iter().flat_map(|(words, ends)| words.iter().map(move |word| (json!(word), *ends)));
        named.chain([(Value::Null, DONE)])
    };
    let kinds = [Holds::Text, Holds::Calls, Holds::Nothing];
    for (reason, ends) in cases(OPENAI) {
        for (holds, expected) in kinds.into_iter().zip(ends) {
            let next = json!({"choices": [{"message": {"content": "Next."}, "finish_reason": "stop"}]});
            let (url, _) = serve(vec![(200, openai_says(&reason, holds)), (200, next)]).await;
            assert_eq!(end(openai(&url)).await, expected, "openai: {reason} with {holds:?}");
        }
    }
    for (reason, ends) in cases(ANTHROPIC) {
        for (holds, expected) in kinds.into_iter().zip(ends) {
            let next = json!({"content": [{"type": "text", "text": "Next."}], "stop_reason": "end_turn"});
            let (url, _) = serve(vec![(200, anthropic_says(&reason, holds)), (200, next)]).await;
            assert_eq!(end(anthropic(&url)).await, expected, "anthropic: {reason} with {holds:?}");
        }
    }
}

#[tokio::test]
async fn a_turn_that_the_server_pauses_with_calls_of_ours_goes_on_with_their_results() {
    let next = json!({"content": [{"type": "text", "text": "Next."}], "stop_reason": "end_turn"});
    let paused = anthropic_says(&json!("pause_turn"), Holds::Calls);
    let (url, _) = serve(vec![(200, paused), (200, next)]).await;
    assert_eq!(end(anthropic(&url)).await, "goes on");
}

#[tokio::test]
async fn a_turn_that_the_server_pauses_more_often_than_it_is_sent_back_is_no_answer() {
    let paused = || (200, anthropic_says(&json!("pause_turn"), Holds::Text));
    let (url, asked) = serve((0..6).map(|_| paused()).collect()).await;
    assert_eq!(end(anthropic(&url)).await, "unfinished, text kept");
    assert_eq!(asked.lock().unwrap().len(), 6);
}
