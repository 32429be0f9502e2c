//! A run that is kept while a person decides, and goes on in another process.

use std::sync::{Arc, Mutex};

use agent_anthropic::Anthropic;
use agent_core::model::Model;
use agent_core::run::Run;
use agent_core::{Agent, RunErrorKind, SecurityContext, tool, tools};
use agent_openai::OpenAi;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::request_schema;

/// Fields whose bytes a tree of values would not give back.
const EXACT: &str = r#""z":{"b":1.10,"a":123456789012345678901234567890,"e":1E5},"a":"\u00e9\/","f":-0.0"#;

/// Pays.
#[tool(mutating, unrestricted, approval)]
async fn pay() {}

/// Gives these answers in turn; gives the base URL and the text of what it is asked.
async fn serve(answers: Vec<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let keep = Arc::clone(&asked);
    tokio::spawn(async move {
        for body in answers {
            let mut stream = BufReader::new(listener.accept().await.unwrap().0);
            let (mut length, mut line) = (0, String::new());
            stream.read_line(&mut line).await.unwrap();
            let is_chat = line.contains("/chat/completions ");
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).await.unwrap();
                match line.trim().to_ascii_lowercase().split_once(": ") {
                    Some(("content-length", value)) => length = value.parse().unwrap(),
                    None if line.trim().is_empty() => break,
                    _ => {}
                }
            }
            let mut request = vec![0; length];
            stream.read_exact(&mut request).await.unwrap();
            if is_chat {
                let problems = request_schema::problems(&serde_json::from_slice(&request).unwrap());
                assert!(problems.is_empty(), "{problems:?}");
            }
            keep.lock().unwrap().push(String::from_utf8(request).unwrap());
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    });
    (base_url, asked)
}

/// Runs until a person is asked, keeps the run as text, and goes on with it; gives the second request.
async fn second_request(answers: [String; 2], model: impl Fn(&str) -> Box<dyn Model>) -> String {
    let (base_url, asked) = serve(answers.into()).await;
    let agent = || Agent::builder(model(&base_url)).tools(tools![pay]).build().unwrap();
    let caller = SecurityContext::new("u", "t");
    let error = agent().run("Pay.").caller(caller.clone()).await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error}") };
    // By way of a tree, as stores of documents keep it.
    let kept = serde_json::to_value(run).unwrap().to_string();
    let run: Run = serde_json::from_str(&kept).unwrap();
    let decision = run.pending()[0].approve("boss");
    agent().resume(run).caller(caller).decide(decision).await.unwrap();
    asked.lock().unwrap().remove(1)
}

#[tokio::test]
async fn what_openai_servers_need_back_outlives_the_process_byte_for_byte() {
    let call = format!(r#"{{"id":"c","type":"function","function":{{"name":"pay","arguments":"{{}}"}},{EXACT}}}"#);
    let first = format!(r#"{{"choices":[{{"message":{{"tool_calls":[{call}],{EXACT}}}}}]}}"#);
    let last = json!({"choices": [{"message": {"content": "Paid."}}]}).to_string();
    let model = |base_url: &str| -> Box<dyn Model> { Box::new(OpenAi::builder().base_url(base_url).build().unwrap()) };
    let sent = second_request([first, last], model).await;
    assert_eq!(sent.matches(EXACT).count(), 2, "{sent}");
}

#[tokio::test]
async fn what_anthropic_needs_back_outlives_the_process_byte_for_byte() {
    let thought = format!(r#"{{"type":"thinking","thinking":"t","signature":"s",{EXACT}}}"#);
    let other = format!(r#"{{"type":"of_later",{EXACT}}}"#);
    let call = format!(r#"{{"type":"tool_use","id":"c","name":"pay","input":{{}},{EXACT}}}"#);
    let first = format!(r#"{{"content":[{thought},{other},{call}],"stop_reason":"tool_use"}}"#);
    let last = json!({"content": [{"type": "text", "text": "Paid."}], "stop_reason": "end_turn"}).to_string();
    let model =
        |base_url: &str| -> Box<dyn Model> { Box::new(Anthropic::builder().base_url(base_url).build().unwrap()) };
    let sent = second_request([first, last], model).await;
    assert_eq!(sent.matches(EXACT).count(), 3, "{sent}");
}
