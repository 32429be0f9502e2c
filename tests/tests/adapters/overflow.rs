//! A conversation that a server finds too long: room is made, by a summary of what was said, and it is asked once more.

use agent_core::model::{CallId, Message, Model, ToolCall};
use agent_core::{Agent, tools};
use serde_json::{Value, json};

use crate::ended;
use crate::swap::{anthropic, events, openai, serve_text, time_in};

/// A conversation with an old result that can be left out.
fn history() -> Vec<Message> {
    vec![
        Message::user("What time is it in London?"),
        Message::assistant_calls(None, vec![ToolCall::new("a", "time_in", r#"{"city":"London"}"#)]),
        Message::tool(CallId::new("a"), "time_in", format!("noon in London{}", ", noon".repeat(2000))),
        Message::assistant("Noon."),
    ]
}

/// How the run ends, by what the server says of the first request and of those after it.
async fn run(make: fn(&str) -> Box<dyn Model>, answers: Vec<(u16, String)>, streamed: bool) -> (String, Vec<Value>) {
    let (base_url, asked) = serve_text(answers).await;
    let agent = Agent::builder(make(&base_url)).tools(tools![time_in]).build().unwrap();
    let end = match ended(agent.run("And in Dhaka?").history(history()), streamed).await {
        Ok(answer) => answer.text().to_owned(),
        Err(error) => error.kind().to_string(),
    };
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (end, asked)
}

/// A server of one format: what makes its model, how it refuses, its summary, and how it answers, plain and as a stream.
type Case = (fn(&str) -> Box<dyn Model>, Value, Value, [String; 2]);

fn cases() -> [Case; 3] {
    let choice = |said: &str, text: &str| json!({"choices": [{said: {"content": text}, "finish_reason": "stop"}]});
    let spoken = || [choice("message", "Noon.").to_string(), events(&[choice("delta", "Noon.")]) + "data: [DONE]\n\n"];
    let summary = || choice("message", "It was noon in London.");
    let message = |text: &str| json!({"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"});
    let other_summary = message("It was noon in London.");
    let message = message("Noon.");
    let stream = events(&[json!({"type": "message_start", "message": message}), json!({"type": "message_stop"})]);
    let by_code = json!({"error": {"message": "too long", "code": "context_length_exceeded"}});
    let by_words = json!({"error": {"message": "This model's maximum context length is 9 tokens."}});
    let by_type = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}});
    [
        (|url| Box::new(openai(url)), by_code, summary(), spoken()),
        (|url| Box::new(openai(url)), by_words, summary(), spoken()),
        (|url| Box::new(anthropic(url)), by_type, other_summary, [message.to_string(), stream]),
    ]
}

#[tokio::test]
async fn a_conversation_that_the_server_refuses_as_too_long_is_summed_up_and_answered() {
    for (make, refusal, summary, answers) in cases() {
        for (streamed, answer) in [false, true].into_iter().zip(answers) {
            let answers = vec![(400, refusal.to_string()), (200, summary.to_string()), (200, answer)];
            let (end, asked) = run(make, answers, streamed).await;
            assert_eq!((end.as_str(), asked.len()), ("Noon.", 3), "{refusal}");
            let (first, last) = (asked[0].to_string(), asked[2].to_string());
            assert!(first.contains(", noon, noon") && !first.contains("It was noon in London."));
            assert!(!last.contains(", noon, noon") && last.contains("It was noon in London."), "{last}");
            assert!(first.contains("And in Dhaka?") && last.contains("And in Dhaka?"));
            assert!([&asked[0], &asked[2]].iter().all(|asked| (asked["stream"] == true) == streamed));
        }
    }
}

#[tokio::test]
async fn one_that_is_too_long_even_then_ends_with_what_the_server_says() {
    for (make, refusal, ..) in cases() {
        for streamed in [false, true] {
            let refusals = vec![(400, refusal.to_string()); 5];
            let (end, asked) = run(make, refusals, streamed).await;
            assert!(end.contains("finds the conversation too long"), "{end}");
            assert_eq!(asked.len(), 3, "the turn, the summary, and the turn once more");
        }
    }
}
