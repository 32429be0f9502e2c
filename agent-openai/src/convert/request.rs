//! The body of a request, put together from pieces of which the large ones are made once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::iter;

use agent_core::model::{Body, Echo, Message, ModelError, Part, Request, ToolCall, ToolChoice, ToolDefinition};
use agent_http::Growing;
use agent_http::body::{separate, unsent, write};
use agent_http::opaque::Fields;
use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{BARE, FORMAT, NOT_STRICT, echo};
use crate::settings::Settings;
use crate::wire::request as wire;

/// The body of a request.
pub(crate) fn body(request: &Request<'_>, settings: &Settings, stream: bool) -> Result<Bytes, ModelError> {
    let format = if settings.echo { FORMAT } else { BARE };
    let (mut body, mut rest) = Growing::begin(request, format, &head(request, settings)?);
    while let [message, after @ ..] = rest {
        rest = after;
        if let Body::Assistant { calls, .. } = message.body()
            && calls.len() > MOST_CALLS
        {
            let results = after.iter().take_while(|message| matches!(message.body(), Body::Tool { .. })).count();
            let (results, after) = after.split_at(results);
            rest = after;
            for message in in_pieces(message.body(), results) {
                push(body.bytes(), &message, settings, request);
            }
            for message in iter::once(message).chain(results) {
                body.written(message, false);
            }
            continue;
        }
        push(body.bytes(), message, settings, request);
        body.written(message, true);
    }
    tail(body.bytes(), request, settings, stream)?;
    Ok(body.sent(request))
}

/// What stands before the messages.
fn head(request: &Request<'_>, settings: &Settings) -> Result<Vec<u8>, ModelError> {
    let mut head = Vec::with_capacity(256);
    head.extend_from_slice(b"{\"model\":");
    write(&mut head, &settings.model)?;
    head.extend_from_slice(b",\"messages\":[");
    if let Some(system) = request.system {
        let message = match settings.developer_role {
            true => wire::Message::Developer { content: system },
            false => wire::Message::System { content: system },
        };
        write(&mut head, &message)?;
    }
    Ok(head)
}

/// What stands behind the messages.
fn tail(body: &mut Vec<u8>, request: &Request<'_>, settings: &Settings, stream: bool) -> Result<(), ModelError> {
    body.push(b']');
    if !request.tools.is_empty() {
        tools(body, request, settings)?;
    }
    if stream {
        body.extend_from_slice(&settings.stream);
    }
    body.extend_from_slice(&settings.fields);
    body.push(b'}');
    Ok(())
}

fn push(body: &mut Vec<u8>, message: &Message, settings: &Settings, request: &Request<'_>) {
    separate(body);
    let sent: fn(Option<&Echo>) -> Fields = if settings.echo { echo::sent } else { |_| Fields::default() };
    if request.session.is_some() {
        // The body is kept, so that the message need not be as well.
        return written(body, message.body(), sent);
    }
    let wire = message.wire(if settings.echo { FORMAT } else { BARE }, |message| {
        let mut wire = Vec::new();
        written(&mut wire, message, sent);
        wire
    });
    body.extend_from_slice(&wire);
}

/// A message with more calls than one may have when it is sent back, as several, each with the results of its calls.
///
/// A model may ask for more calls than its own server takes in a message: the conversation would be refused ever after.
fn in_pieces(message: &Body, results: &[Message]) -> Vec<Message> {
    let Body::Assistant { text, refusal, calls, echo } = message else { return Vec::new() };
    let mut pieces = Vec::new();
    for (index, calls) in calls.chunks(MOST_CALLS).enumerate() {
        pieces.push(match index {
            0 => Message::reply(text.clone(), refusal.clone(), calls.to_vec(), echo.clone()),
            _ => Message::reply(None, None, calls.to_vec(), None),
        });
        let ids: HashSet<_> = calls.iter().map(|call| &call.id).collect();
        let of_piece =
            |message: &&Message| matches!(message.body(), Body::Tool { call_id, .. } if ids.contains(call_id));
        pieces.extend(results.iter().filter(of_piece).cloned());
    }
    pieces
}

fn tools(body: &mut Vec<u8>, request: &Request<'_>, settings: &Settings) -> Result<(), ModelError> {
    body.extend_from_slice(b",\"tools\":[");
    for tool in request.tools {
        separate(body);
        let format = if settings.strict { FORMAT } else { NOT_STRICT };
        body.extend_from_slice(&tool.wire(format, settings.profile, || {
            let mut wire = Vec::new();
            write(&mut wire, &definition(tool, settings)?)?;
            Ok::<_, ModelError>(wire)
        })?);
    }
    body.push(b']');
    if let Some(choice) = choice(request.tool_choice).filter(|choice| settings.required || !choice.forces()) {
        body.extend_from_slice(b",\"tool_choice\":");
        write(body, &choice)?;
    }
    if let Some(parallel) = settings.parallel_tool_calls {
        body.extend_from_slice(b",\"parallel_tool_calls\":");
        write(body, &parallel)?;
    }
    Ok(())
}

fn definition<'t>(tool: &'t ToolDefinition, settings: &Settings) -> Result<wire::Tool<'t>, ModelError> {
    let refused = |why: &str| {
        let message =
            format!("the tool `{}` {why}; build the agent with this model, so that it is checked", tool.name());
        unsent(message)
    };
    let published = tool.published(settings.profile).ok_or_else(|| refused("has no text for this format"))?;
    let parameters: &RawValue = serde_json::from_str(&published.parameters)
        .map_err(|error| refused("has a schema that is no JSON").caused_by(error))?;
    Ok(wire::Tool {
        r#type: "function",
        function: wire::Definition {
            name: tool.name(),
            description: &published.description,
            strict: settings.strict.then(|| tool.strict()),
            parameters,
        },
    })
}

/// What to send for a choice; `auto` is what a server does when it is told nothing.
fn choice(choice: ToolChoice<'_>) -> Option<wire::Choice<'_>> {
    match choice {
        ToolChoice::None => Some(wire::Choice::Word("none")),
        ToolChoice::Required => Some(wire::Choice::Word("required")),
        ToolChoice::Tool(name) => Some(wire::Choice::Tool { r#type: "function", function: wire::Named { name } }),
        _ => None,
    }
}

/// Writes a message; `sent` says which of the fields kept with it go back.
fn written(out: &mut Vec<u8>, message: &Body, sent: fn(Option<&Echo>) -> Fields) {
    let start = out.len();
    // Strings and JSON values alone, in memory: nothing in it can fail. Were it to, the server would
    // be sent a null message and say so.
    if out_of(out, message, sent).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Put together by hand: it is what a run writes most of.
fn out_of(out: &mut Vec<u8>, message: &Body, sent: fn(Option<&Echo>) -> Fields) -> Result<(), ModelError> {
    match message {
        Body::User { content } => {
            out.extend_from_slice(b"{\"role\":\"user\",\"content\":");
            write(out, &parts(content))?;
        }
        Body::Assistant { text, refusal, calls, echo } => {
            let said_nothing = refusal.is_none() && calls.is_empty();
            out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
            write(out, &text.as_deref().or(said_nothing.then_some("")))?;
            if let Some(refusal) = refusal {
                out.extend_from_slice(b",\"refusal\":");
                write(out, refusal.as_str())?;
            }
            if !calls.is_empty() {
                out.extend_from_slice(b",\"tool_calls\":[");
                for call in calls {
                    separate(out);
                    called(out, call, sent)?;
                }
                out.push(b']');
            }
            fields(out, &sent(echo.as_ref()))?;
        }
        Body::Tool { call_id, content, .. } => {
            out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
            write(out, call_id.as_str())?;
            out.extend_from_slice(b",\"content\":");
            write(out, content.as_str())?;
        }
        // A kind of message that is newer than this adapter.
        _ => return Err(unsent("the kind of message is not known")),
    }
    out.push(b'}');
    Ok(())
}

fn called(out: &mut Vec<u8>, call: &ToolCall, sent: fn(Option<&Echo>) -> Fields) -> Result<(), ModelError> {
    out.extend_from_slice(b"{\"id\":");
    write(out, call.id.as_str())?;
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    write(out, &*name(&call.name))?;
    out.extend_from_slice(b",\"arguments\":");
    write(out, &*arguments(&call.arguments))?;
    out.push(b'}');
    fields(out, &sent(call.echo.as_ref()))?;
    out.push(b'}');
    Ok(())
}

fn fields(out: &mut Vec<u8>, fields: &Fields) -> Result<(), ModelError> {
    for (name, value) in fields.iter() {
        out.push(b',');
        write(out, name)?;
        out.push(b':');
        write(out, value)?;
    }
    Ok(())
}

/// A tool's name as servers take it. A model may have made up one that they refuse with every later request.
fn name(name: &str) -> Cow<'_, str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if (1..=MOST_NAME).contains(&name.len()) && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let safe: String = name.chars().take(MOST_NAME).map(|letter| if fits(letter) { letter } else { '_' }).collect();
    Cow::Owned(if safe.is_empty() { "_".to_owned() } else { safe })
}

/// Arguments as servers take them: an object. What a model wrote instead stands in one, since its result tells what was
/// wrong with it.
fn arguments(arguments: &str) -> Cow<'_, str> {
    let text = arguments.trim();
    if text.is_empty() {
        return Cow::Borrowed("{}");
    }
    if text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return Cow::Borrowed(arguments);
    }
    Cow::Owned(serde_json::json!({ "invalid": arguments }).to_string())
}

/// The most calls of one message that is sent.
const MOST_CALLS: usize = 128;

/// The longest name of a tool.
const MOST_NAME: usize = 64;

/// Text alone goes as a string, which every server takes; parts only where there is more.
fn parts(content: &[Part]) -> wire::Content<'_> {
    match content {
        [] => wire::Content::Text(""),
        [Part::Text { text }] => wire::Content::Text(text),
        parts => wire::Content::Parts(parts.iter().filter_map(part).collect()),
    }
}

fn part(part: &Part) -> Option<wire::Part<'_>> {
    match part {
        Part::Text { text } => Some(wire::Part::Text { text }),
        Part::Image { url, detail } => {
            Some(wire::Part::ImageUrl { image_url: wire::Image { url, detail: detail.as_deref() } })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agent_core::profile;
    use agent_http::story;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Builder, OpenAi};

    #[test]
    fn names_and_arguments_that_a_model_made_up_go_back_as_servers_take_them() {
        assert_eq!(name("look_up-2"), "look_up-2");
        assert_eq!(name("functions.look up"), "functions_look_up");
        assert_eq!((name("").into_owned(), name(&"é".repeat(90)).len()), ("_".to_owned(), 64));
        assert_eq!(arguments(r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(arguments("  "), "{}");
        for broken in [r#"{"a":"#, "[1]", "null", "x"] {
            let sent: Value = serde_json::from_str(&arguments(broken)).unwrap();
            assert_eq!(sent["invalid"], broken);
        }
    }

    #[test]
    fn a_body_that_is_gone_on_with_is_the_one_that_is_written_anew() {
        let build =
            |set: fn(Builder) -> Builder| set(OpenAi::builder().base_url("http://localhost:1")).build().unwrap();
        let models = [build(|b| b), build(|b| b.model("other")), build(|b| b.echo(false)), build(|b| b.seed(1))];
        let echo = Echo { format: FORMAT.to_owned(), fields: json!({"reasoning_content": "x"}) };
        story::check(&echo, &profile::OPENAI, |request, asked| {
            body(request, &models[asked.settings].inner.settings, asked.stream)
        });
    }
}
