//! What of a result the model is shown, and how much.

use agent_core::model::{Body, Message, Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, BusinessError, Event, Limits, tool, tools};

use crate::speaker::{Speaker, call, read};

/// Gives a text of so many bytes.
#[tool]
async fn fetch(
    /// How many.
    bytes: u32,
) -> String {
    "x".repeat(bytes as usize)
}

fn shown(messages: &[Message]) -> &str {
    let result = messages.iter().find_map(|message| match message.body() {
        Body::Tool { content, .. } => Some(content.as_str()),
        _ => None,
    });
    result.unwrap()
}

#[tokio::test]
async fn a_result_over_the_limit_is_cut_for_the_model_and_whole_in_its_event() {
    let model = Speaker::replies([call("a", "fetch", r#"{"bytes":4000}"#), Reply::text("Long.")]);
    let agent = Agent::builder(model.clone()).tools(tools![fetch]).build().unwrap();
    let limits = Limits::default().max_result_bytes(100);
    let (events, end) = read(agent.run("Go.").limits(limits).events()).await;
    assert_eq!(end.unwrap(), "Long.");
    let asked = model.asked();
    let seen = shown(&asked[1].messages);
    assert!(seen.contains(r#""truncated":true,"bytes":4002,"#) && seen.len() < 300, "{seen}");
    let told = events.iter().find_map(|event| match event {
        Event::CallFinished { result, .. } => Some(result.data().unwrap().get().len()),
        _ => None,
    });
    assert_eq!(told, Some(4_002), "with its quotes");
}

#[tokio::test]
async fn one_huge_result_cannot_fill_the_window_of_a_model_that_nobody_set_a_limit_for() {
    let model = Speaker::replies([call("a", "fetch", r#"{"bytes":5000000}"#), Reply::text("Huge.")]);
    let agent = Agent::builder(model.clone()).tools(tools![fetch]).build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    let seen = shown(&answer.record().messages).len();
    assert!((64 * 1024..66 * 1024).contains(&seen), "{seen}");
    assert_eq!(shown(&model.asked()[1].messages).len(), seen);
}

/// Takes one argument only, and is a `Result` all the same.
type Checked<T> = Result<T, BusinessError>;

/// Opens a door.
#[tool]
async fn open_door(
    /// Which.
    number: u8,
) -> Checked<u8> {
    if number == 1 { Ok(number) } else { Err(BusinessError::new("NO_DOOR", "there is one door")) }
}

#[tokio::test]
async fn a_result_by_another_name_is_a_value_or_an_error_and_no_data_of_its_own() {
    let calls = [1, 2].map(|n| ToolCall::new(format!("c{n}"), "open_door", format!(r#"{{"number":{n}}}"#)));
    let model = ScriptedModel::new([Reply::calls(calls), Reply::text("Done.")]);
    let agent = Agent::builder(model).tools(tools![open_door]).build().unwrap();
    let answer = agent.run("Go.").await.unwrap();
    let shown = serde_json::to_string(&answer.record().messages).unwrap().replace('\\', "");
    assert!(shown.contains(r#""data":1"#) && !shown.contains("Ok") && !shown.contains("Err"), "{shown}");
    assert!(shown.contains("NO_DOOR"), "{shown}");
}
