//! A run that one provider begins and another ends.

use std::sync::{Arc, Mutex};

use agent_anthropic::Anthropic;
use agent_core::model::{Fallback, Model};
use agent_core::{Agent, BusinessError, tool, tools};
use agent_openai::OpenAi;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::{ended, request_schema};

/// Tells the time somewhere.
#[tool]
pub(crate) async fn time_in(
    /// The city.
    city: String,
) -> Result<String, BusinessError> {
    Ok(format!("noon in {city}"))
}

/// A server that gives these answers in turn; gives its address and what it is asked.
pub(crate) async fn serve(answers: Vec<(u16, Value)>) -> (String, Arc<Mutex<Vec<Value>>>) {
    serve_text(answers.into_iter().map(|(status, body)| (status, body.to_string())).collect()).await
}

/// The same for bodies that may be streams.
pub(crate) async fn serve_text(answers: Vec<(u16, String)>) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<Vec<Value>>>::default();
    let keep = Arc::clone(&asked);
    tokio::spawn(async move {
        for (status, body) in answers {
            let mut stream = BufReader::new(listener.accept().await.unwrap().0);
            let request = read(&mut stream).await;
            keep.lock().unwrap().push(request);
            let head =
                format!("HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    });
    (base_url, asked)
}

/// Reads a request. One of chat completions must be as OpenAI's own schema has it.
async fn read(stream: &mut BufReader<TcpStream>) -> Value {
    let mut length = 0;
    let mut asked = String::new();
    stream.read_line(&mut asked).await.unwrap();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        match line.trim().to_ascii_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    if asked.contains("/chat/completions ") {
        let problems = request_schema::problems(&body);
        assert!(problems.is_empty(), "{problems:?} in {body}");
    }
    body
}

pub(crate) fn openai(base_url: &str) -> OpenAi {
    OpenAi::builder().base_url(base_url).max_retries(0).build().unwrap()
}

pub(crate) fn anthropic(base_url: &str) -> Anthropic {
    Anthropic::builder().base_url(base_url).max_retries(0).build().unwrap()
}

/// These events, one a line of data.
pub(crate) fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// Runs to the end; gives the text, and the models of its two turns.
async fn run(model: impl Model + 'static, streamed: bool) -> (String, Vec<Value>) {
    let agent = Agent::builder(model).system("Be brief.").tools(tools![time_in]).build().unwrap();
    let answer = ended(agent.run("What time is it in Dhaka?"), streamed).await.unwrap();
    let record = serde_json::to_value(answer.record()).unwrap();
    let models = record["steps"].as_array().unwrap().iter().filter_map(|step| step.get("model"));
    (answer.text().to_owned(), models.cloned().collect())
}

#[tokio::test]
async fn anthropic_goes_on_with_what_openai_began() {
    let function = json!({"name": "time_in", "arguments": "{\"city\":\"Dhaka\"}"});
    let call = json!({"index": 0, "id": "time_in:0", "type": "function", "function": function,
        "extra_content": {"signature": "b3Blbg"}});
    let message = json!({"content": null, "reasoning_content": "Let me see.", "tool_calls": [call]});
    let first = |said: &str| json!({"model": "gpt", "choices": [{said: message, "finish_reason": "tool_calls"}]});
    let text = json!({"type": "text", "text": "Noon."});
    let second = json!({"type": "message", "model": "claude", "content": [text], "stop_reason": "end_turn"});
    for streamed in [false, true] {
        let (first, second) = match streamed {
            false => (first("message").to_string(), second.to_string()),
            true => (
                events(&[first("delta")]) + "data: [DONE]\n\n",
                events(&[json!({"type": "message_start", "message": second}), json!({"type": "message_stop"})]),
            ),
        };
        let busy = json!({"error": {"message": "busy"}}).to_string();
        let (one, _) = serve_text(vec![(200, first), (503, busy)]).await;
        let (other, asked) = serve_text(vec![(200, second)]).await;
        let (text, models) = run(Fallback::new(openai(&one)).then(anthropic(&other)), streamed).await;
        assert_eq!(text, "Noon.");
        assert_eq!((&models[0]["model"], models[0].get("fallbacks")), (&json!("gpt"), None));
        assert_eq!((&models[1]["model"], &models[1]["fallbacks"][0]["kind"]), (&json!("claude"), &json!("overloaded")));
        let body = asked.lock().unwrap().remove(0);
        assert_eq!(body["stream"] == true, streamed);
        let messages = &body["messages"];
        let used = &messages[1]["content"][0];
        assert_eq!((&used["type"], &used["input"]), (&json!("tool_use"), &json!({"city": "Dhaka"})));
        assert_eq!(used["id"], messages[2]["content"][0]["tool_use_id"]);
        assert_eq!(messages.as_array().unwrap().len(), 3);
        assert!(!used["id"].as_str().unwrap().contains(':'), "an id that Anthropic refuses");
        let body = body.to_string();
        assert!(!body.contains("b3Blbg") && !body.contains("Let me see"), "{body}");
    }
}

#[tokio::test]
async fn openai_goes_on_with_what_anthropic_began() {
    let content = json!([
        {"type": "thinking", "thinking": "Let me see.", "signature": "YW50aA"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "time_in", "input": {"city": "Dhaka"}},
    ]);
    let first = json!({"type": "message", "model": "claude", "content": content, "stop_reason": "tool_use"});
    let second =
        |said: &str| json!({"model": "gpt", "choices": [{said: {"content": "Noon."}, "finish_reason": "stop"}]});
    for streamed in [false, true] {
        let (first, second) = match streamed {
            false => (first.to_string(), second("message").to_string()),
            true => (
                events(&[json!({"type": "message_start", "message": first}), json!({"type": "message_stop"})]),
                events(&[second("delta")]) + "data: [DONE]\n\n",
            ),
        };
        let busy = json!({"type": "error", "error": {"type": "overloaded_error"}}).to_string();
        let (one, _) = serve_text(vec![(200, first), (529, busy)]).await;
        let (other, asked) = serve_text(vec![(200, second)]).await;
        let (text, models) = run(Fallback::new(anthropic(&one)).then(openai(&other)), streamed).await;
        assert_eq!((text.as_str(), &models[1]["model"]), ("Noon.", &json!("gpt")));
        let body = asked.lock().unwrap().remove(0);
        assert_eq!(body["stream"] == true, streamed);
        let function = json!({"name": "time_in", "arguments": "{\"city\":\"Dhaka\"}"});
        let call = json!({"id": "toolu_1", "type": "function", "function": function});
        assert_eq!(body["messages"][2], json!({"role": "assistant", "content": "I look.", "tool_calls": [call]}));
        assert_eq!(body["messages"][3]["tool_call_id"], "toolu_1");
        assert!(!body.to_string().contains("YW50aA") && !body.to_string().contains("Let me see"), "{body}");
    }
}
