//! Content as attributes of spans: JSON in the shapes of the conventions, of what the hook lets out.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Content, ContentKind, Redact, redacted};
use crate::dispatch::{ToolResult, beginning, cut};
use crate::model::{Body, Finish, Message, Part, Reply, ToolCall, ToolDefinition};

/// At most so many bytes of one piece are told.
const MOST_OF_A_PIECE: usize = 16 * 1024;

/// At most so many bytes of one attribute's pieces are told, about.
const MOST_OF_ALL: usize = 64 * 1024;

/// What stands around a piece, for the sum above.
const AROUND: usize = 64;

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    parts: Vec<Told<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_reason: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Told<'a> {
    Text {
        content: String,
    },
    Reasoning {
        content: String,
    },
    Uri {
        modality: &'static str,
        uri: String,
    },
    ToolCall {
        id: &'a str,
        name: &'a str,
        arguments: Any,
    },
    ToolCallResponse {
        id: &'a str,
        response: Any,
    },
    /// So many more for which there is no room.
    LeftOut {
        parts: usize,
    },
}

/// JSON where it is JSON, since readers look into it, and text otherwise.
#[derive(Serialize)]
#[serde(untagged)]
enum Any {
    Json(Box<RawValue>),
    Text(String),
}

/// What may still be told in an attribute.
struct Room<'r> {
    redact: &'r dyn Redact,
    left: usize,
}

impl<'r> Room<'r> {
    fn new(redact: &'r dyn Redact) -> Self {
        Self { redact, left: MOST_OF_ALL }
    }

    /// What may be told of a text. The hook sees all of it, as it could not know the half of a secret.
    fn text(&mut self, content: Content<'_>) -> String {
        let text = shortened(redacted(self.redact, content), MOST_OF_A_PIECE.min(self.left));
        self.left = self.left.saturating_sub(text.len() + AROUND);
        text
    }

    fn any(&mut self, content: Content<'_>) -> Any {
        let text = self.text(content);
        match serde_json::from_str::<Box<RawValue>>(&text) {
            Ok(json) => Any::Json(json),
            Err(_) => Any::Text(text),
        }
    }

    /// What is told of each as long as there is room, and how many there are beyond.
    fn each<'a, P>(&mut self, all: &'a [P], told: impl Fn(&mut Self, &'a P) -> Told<'a>) -> Vec<Told<'a>> {
        let mut parts = Vec::new();
        for (index, one) in all.iter().enumerate() {
            if self.left == 0 {
                parts.push(Told::LeftOut { parts: all.len() - index });
                break;
            }
            parts.push(told(self, one));
        }
        parts
    }

    fn calls<'a>(&mut self, calls: &'a [ToolCall]) -> Vec<Told<'a>> {
        self.each(calls, |room, call| {
            let (id, name) = (cut(call.id.as_str()), cut(&call.name));
            let arguments = room.any(Content::arguments(&call.name, &call.arguments));
            room.left = room.left.saturating_sub(id.len() + name.len());
            Told::ToolCall { id, name, arguments }
        })
    }

    fn message<'a>(&mut self, message: &'a Message) -> Said<'a> {
        let (role, parts) = match message.body() {
            Body::User { content } => ("user", self.each(content, Self::part)),
            Body::Assistant { text, refusal, calls, .. } => {
                let mut parts = Vec::new();
                for text in text.iter().chain(refusal) {
                    parts.push(Told::Text { content: self.text(Content::message(ContentKind::Model, text)) });
                }
                parts.extend(self.calls(calls));
                ("assistant", parts)
            }
            Body::Tool { call_id, name, content } => {
                let response = self.any(Content::result(name, content));
                ("tool", vec![Told::ToolCallResponse { id: cut(call_id.as_str()), response }])
            }
        };
        Said { role, parts, finish_reason: None }
    }

    fn part<'a>(&mut self, part: &'a Part) -> Told<'a> {
        match part {
            Part::Text { text } => Told::Text { content: self.text(Content::message(ContentKind::User, text)) },
            Part::Image { url, .. } => {
                Told::Uri { modality: "image", uri: self.text(Content::message(ContentKind::User, url)) }
            }
        }
    }
}

/// What is said to a model, and how many of the oldest messages are left out, since they would be too much.
pub(super) fn input(messages: &[Message], redact: &dyn Redact) -> (String, usize) {
    let mut room = Room::new(redact);
    let mut said = Vec::new();
    for message in messages.iter().rev() {
        if room.left == 0 {
            break;
        }
        said.push(room.message(message));
    }
    let left_out = messages.len() - said.len();
    said.reverse();
    (json(&said), left_out)
}

/// What a model answers.
pub(super) fn output(reply: &Reply, redact: &dyn Redact) -> String {
    let mut room = Room::new(redact);
    let mut parts = Vec::new();
    if let Some(thought) = &reply.reasoning {
        parts.push(Told::Reasoning { content: room.text(Content::message(ContentKind::Model, thought)) });
    }
    for text in reply.text.iter().chain(&reply.refusal) {
        parts.push(Told::Text { content: room.text(Content::message(ContentKind::Model, text)) });
    }
    parts.extend(room.calls(&reply.calls));
    // The conventions require one; without a word of the server's it is what the reply looks like.
    let looks_like = if reply.calls.is_empty() { "stop" } else { "tool_call" };
    let finish = reply.finish.as_ref().map_or(looks_like, |finish| cut(word(finish)));
    json(&[Said { role: "assistant", parts, finish_reason: Some(finish) }])
}

/// What a run answers.
pub(super) fn answer(text: &str, redact: &dyn Redact) -> String {
    let content = Room::new(redact).text(Content::message(ContentKind::Model, text));
    json(&[Said { role: "assistant", parts: vec![Told::Text { content }], finish_reason: Some("stop") }])
}

pub(super) fn system(text: &str, redact: &dyn Redact) -> String {
    json(&[Told::Text { content: Room::new(redact).text(Content::message(ContentKind::System, text)) }])
}

/// The tools as a model is told of them, and how many of them are left out, since they would be too much.
pub(super) fn definitions(tools: &[ToolDefinition], redact: &dyn Redact) -> String {
    #[derive(Serialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Tool<'a> {
        Function {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            description: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            parameters: Option<Any>,
        },
        LeftOut {
            tools: usize,
        },
    }
    let mut room = Room::new(redact);
    let mut told = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        if room.left == 0 {
            told.push(Tool::LeftOut { tools: tools.len() - index });
            break;
        }
        let name = tool.name();
        let published = tool.first_published();
        told.push(Tool::Function {
            name,
            description: published.map(|told| room.text(Content::definition(name, &told.description))),
            parameters: published.map(|told| room.any(Content::definition(name, &told.parameters))),
        });
        room.left = room.left.saturating_sub(name.len());
    }
    json(&told)
}

pub(super) fn arguments(call: &ToolCall, redact: &dyn Redact) -> String {
    Room::new(redact).text(Content::arguments(&call.name, &call.arguments))
}

pub(super) fn result(call: &ToolCall, result: &ToolResult, redact: &dyn Redact) -> String {
    let error = || result.error_body().and_then(|error| serde_json::to_string(error).ok()).unwrap_or_default();
    let text = result.data().map_or_else(error, |data| data.get().to_owned());
    Room::new(redact).text(Content::result(&call.name, &text))
}

/// How a reply ended, in the conventions' word.
pub(super) fn word(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "stop",
        Finish::ToolCalls => "tool_call",
        Finish::Length => "length",
        Finish::ContentFilter => "content_filter",
        Finish::Other(word) => word,
    }
}

/// Text and JSON that was read before are always written.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The beginning, with the whole length, where a text is too long.
fn shortened(mut text: String, most: usize) -> String {
    if text.len() > most {
        let whole = text.len();
        text.truncate(beginning(&text, most).len());
        text += &format!("… ({whole} bytes)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CallId, Message};
    use crate::schema::profile::OPENAI;
    use crate::schema::{ToolSchema, publish};

    fn all(content: Content<'_>) -> String {
        content.text.to_owned()
    }

    #[test]
    fn a_conversation_is_written_as_the_conventions_have_it_with_the_digits_of_its_numbers() {
        let reply = Reply::calls([ToolCall::new("c1", "tax", r#"{"net":1800.00}"#), ToolCall::new("c2", "tax", "{")]);
        let messages = [
            Message::user("How much?"),
            Message::assistant_calls(None, reply.calls),
            Message::tool(CallId::new("c1"), "tax", r#"{"tax":300.00}"#),
            Message::tool(CallId::new("c2"), "tax", "no JSON"),
        ];
        let (text, left_out) = input(&messages, &all);
        assert_eq!(
            text,
            concat!(
                r#"[{"role":"user","parts":[{"type":"text","content":"How much?"}]},"#,
                r#"{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"tax","arguments":{"net":1800.00}},"#,
                r#"{"type":"tool_call","id":"c2","name":"tax","arguments":"{"}]},"#,
                r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"tax":300.00}}]},"#,
                r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c2","response":"no JSON"}]}]"#,
            )
        );
        assert_eq!(left_out, 0);
    }

    #[test]
    fn a_long_history_is_told_from_its_end_and_no_more_of_it_is_redacted_than_is_told() {
        let seen = std::sync::atomic::AtomicUsize::new(0);
        let counted = |content: Content<'_>| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            content.text.to_owned()
        };
        let messages: Vec<_> = (0..10_000).map(|n| Message::user(format!("{n:01000}"))).collect();
        let (text, left_out) = input(&messages, &counted);
        assert!(text.len() < MOST_OF_ALL + 4_096 && text.ends_with(r#"09999"}]}]"#), "{}", text.len());
        let told = serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap().len();
        assert_eq!((told + left_out, seen.into_inner()), (10_000, told));
    }

    #[test]
    fn of_many_calls_parts_and_tools_as_many_are_told_as_there_is_room_for_and_the_rest_is_counted() {
        let name = "n".repeat(MOST_OF_ALL);
        let calls: Vec<_> = (0..1_024).map(|n| ToolCall::new(format!("{n:0128}"), &*name, "{}")).collect();
        let parts = (0..10_000).map(|n| Part::Text { text: n.to_string() }).collect::<Vec<_>>();
        let published = |n| [(&OPENAI, publish(&format!("Does {n}."), <bool as ToolSchema>::SHAPE.get(), &OPENAI))];
        let tools: Vec<_> = (0..1_024).map(|n| ToolDefinition::new(format!("tool_{n}"), false, published(n))).collect();
        let all_of = |text: &str, at: &str| {
            assert!(text.len() < MOST_OF_ALL + 8_192, "{at}: {}", text.len());
            let told: serde_json::Value = serde_json::from_str(text).unwrap();
            told.pointer(at).unwrap().as_array().unwrap().clone()
        };
        let said = output(&Reply::calls(calls.clone()), &all);
        let (asked, _) = input(&[Message::assistant_calls(None, calls)], &all);
        let (given, left_out) = input(&[Message::user_parts(parts)], &all);
        assert_eq!(left_out, 0, "of the message a part is told");
        for (told, most, what) in [
            (all_of(&said, "/0/parts"), 1_024, "parts"),
            (all_of(&asked, "/0/parts"), 1_024, "parts"),
            (all_of(&given, "/0/parts"), 10_000, "parts"),
            (all_of(&definitions(&tools, &all), ""), 1_024, "tools"),
        ] {
            let (last, told) = told.split_last().unwrap();
            assert_eq!(*last, serde_json::json!({ "type": "left_out", what: most - told.len() }));
            assert!(told.len() > 100 && told.iter().all(|told| told["type"] != "left_out"), "{}", told.len());
        }
    }

    #[test]
    fn a_piece_is_cut_between_characters_after_the_hook_has_seen_all_of_it() {
        let long = format!("{}secret", "ä".repeat(MOST_OF_A_PIECE));
        let (text, _) = input(&[Message::user(&*long)], &|content: Content<'_>| {
            assert!(content.text.ends_with("secret"));
            content.text.to_owned()
        });
        assert!(text.contains(&format!("… ({} bytes)", long.len())) && text.len() < MOST_OF_A_PIECE + 200, "{text}");
    }
}
