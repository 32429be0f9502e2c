//! What is written of a conversation.

use serde_json::{Value, json};

use super::cases::said;
use super::rules::{Desk, question};
use super::server::{Answer, Server};
use super::wire::{Asked, Said};
use crate::model::{CallId, Echo, Finish, Message, Model, Reply, Request, ToolCall, ToolDefinition};
use crate::schema::Published;

/// The bodies that are sent with these conversations, in turn.
async fn bodies(desk: &Desk<'_>, conversations: &[&[Message]]) -> Vec<String> {
    let hello = Answer::fine(desk.wire.whole(&said("Hello.", Finish::Stop), None));
    let server = Server::new(vec![hello; conversations.len()]).await;
    let model = (desk.make)(&server.base_url);
    for messages in conversations {
        let tools = ["look", "touch"].map(|name| definition(&*model, name));
        let request = Request::new(messages).system(Some("Be kind.")).tools(&tools);
        model.reply(request).await.unwrap_or_else(|error| panic!("a conversation could not be sent: {error}"));
    }
    server.asked()
}

fn definition(model: &dyn Model, name: &'static str) -> ToolDefinition {
    let parameters = r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#;
    let published = || Published { description: format!("Does {name}."), parameters: parameters.to_owned() };
    ToolDefinition::new(name, true, model.profiles().iter().map(|profile| (*profile, published())))
}

fn read(desk: &Desk<'_>, body: &str) -> Asked {
    let body: Value = serde_json::from_str(body).expect("a request is JSON");
    desk.wire.asked(&body)
}

fn asked(said: Vec<Said>) -> Asked {
    let tools = ["look", "touch"].map(str::to_owned).to_vec();
    Asked { system: Some("Be kind.".to_owned()), said, tools, stream: false }
}

fn call(id: &str, arguments: Value) -> Said {
    Said::Call { id: id.to_owned(), name: "look".to_owned(), arguments }
}

fn result(id: &str, content: &str) -> Said {
    Said::Result { id: id.to_owned(), content: content.to_owned() }
}

fn shown(id: &str, content: &str) -> Message {
    Message::tool(CallId::new(id), "look", content)
}

pub(super) async fn a_conversation_is_written_in_its_order(desk: &Desk<'_>) {
    let calls = vec![ToolCall::new("call-b", "look", r#"{"at":"b"}"#), ToolCall::new("call-a", "look", "{}")];
    let messages = [
        Message::user("Look \"there\"\n."),
        Message::assistant_calls(Some("I do.".to_owned()), calls),
        shown("call-b", "It is b."),
        shown("call-a", "It is a."),
        Message::user("And now?"),
        Message::assistant("Nothing."),
        Message::user("Go on."),
    ];
    let expected = vec![
        Said::Person("Look \"there\"\n.".to_owned()),
        Said::Model("I do.".to_owned()),
        call("call-b", json!({"at": "b"})),
        call("call-a", json!({})),
        result("call-b", "It is b."),
        result("call-a", "It is a."),
        Said::Person("And now?".to_owned()),
        Said::Model("Nothing.".to_owned()),
        Said::Person("Go on.".to_owned()),
    ];
    // The second time from what was kept of the first.
    let bodies = bodies(desk, &[&messages, &messages]).await;
    assert_eq!(read(desk, &bodies[0]), asked(expected), "what is written of a conversation");
    assert_eq!(bodies[0], bodies[1], "the same conversation is the same request");
}

pub(super) async fn arguments_that_are_no_json_make_a_request_all_the_same(desk: &Desk<'_>) {
    for arguments in ["{\"at\": \"b", "", "null", "[1]", "\"text\"", "{\"at\": nowhere}", "\u{0}"] {
        let calls = vec![ToolCall::new("call-1", "look", arguments)];
        let messages =
            [Message::user("Look."), Message::assistant_calls(None, calls), shown("call-1", "That is no JSON.")];
        let bodies = bodies(desk, &[&messages]).await;
        let said = read(desk, &bodies[0]).said;
        let ids: Vec<_> = said
            .iter()
            .filter_map(|said| match said {
                Said::Call { id, .. } | Said::Result { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(ids, ["call-1", "call-1"], "the call and its result with arguments of {arguments:?}");
    }
}

pub(super) async fn what_only_the_server_understands_goes_back(desk: &Desk<'_>) {
    if !desk.wire.keeps_opaque() {
        return;
    }
    let mut reply = said("I look.", Finish::ToolCalls);
    reply.calls = vec![ToolCall::new("call-1", "look", "{}")];
    let opaque = Some("b3BhcXVl");
    let hello = desk.wire.whole(&said("Hello.", Finish::Stop), None);
    let events = Answer::Events(desk.wire.events(&reply, opaque));
    let server = Server::new([
        Answer::fine(desk.wire.whole(&reply, opaque)),
        Answer::fine(hello.clone()),
        events,
        Answer::fine(hello),
    ])
    .await;
    let model = (desk.make)(&server.base_url);
    for streamed in [false, true] {
        let first = question();
        let reply = match streamed {
            false => model.reply(Request::new(&first)).await,
            true => last(model.stream(Request::new(&first))).await,
        };
        let Reply { text, refusal, calls, echo, .. } = reply.expect("an answer");
        let messages =
            [Message::user("Look."), Message::reply(text, refusal, calls, echo), shown("call-1", "It is there.")];
        model.reply(Request::new(&messages)).await.expect("an answer");
        let body = server.asked().pop().unwrap_or_default();
        assert!(body.contains("b3BhcXVl"), "what the server wants to see again went missing (stream: {streamed})");
    }
}

async fn last(
    stream: futures_util::stream::BoxStream<'_, Result<crate::model::Delta, crate::model::ModelError>>,
) -> Result<Reply, crate::model::ModelError> {
    use futures_util::StreamExt;
    match stream.collect::<Vec<_>>().await.pop() {
        Some(Ok(crate::model::Delta::Done(reply))) => Ok(reply),
        Some(Err(error)) => Err(error),
        _ => panic!("a stream ends with the reply or an error"),
    }
}

pub(super) async fn what_another_format_kept_is_left_out(desk: &Desk<'_>) {
    let echo =
        || Some(Echo { format: "another".to_owned(), fields: json!({"content": [{"type": "x", "v": "Zm9yZWlnbg"}]}) });
    let mut with_echo = ToolCall::new("call-1", "look", "{}");
    with_echo.echo = echo();
    let messages = [
        Message::user("Look."),
        Message::reply(Some("I look.".to_owned()), None, vec![with_echo], echo()),
        shown("call-1", "It is there."),
    ];
    let bodies = bodies(desk, &[&messages]).await;
    let expected = vec![
        Said::Person("Look.".to_owned()),
        Said::Model("I look.".to_owned()),
        call("call-1", json!({})),
        result("call-1", "It is there."),
    ];
    assert_eq!(read(desk, &bodies[0]), asked(expected), "a conversation that another format began");
    assert!(!bodies[0].contains("Zm9yZWlnbg"), "what another format kept is not for this server");
}
