//! The body of a request, put together from pieces of which the large ones are made once.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agent_core::model::{Body, Message, ModelError, Reply, Request, ToolChoice, ToolDefinition};
use agent_core::profile;
use agent_http::Growing;
use agent_http::body::{separate, unsent, write};
use bytes::Bytes;
use serde_json::value::RawValue;

use super::{BARE, FORMAT, STRICT, echo, names, said};
use crate::settings::{Caching, Settings};
use crate::wire::request as wire;

/// The body of a request; `paused` is the turn that is to go on.
///
/// The messages go first, as most of them were written for the request before.
pub(crate) fn body(
    request: &Request<'_>,
    settings: &Settings,
    stream: bool,
    paused: Option<&Reply>,
) -> Result<Bytes, ModelError> {
    let mut head = Vec::with_capacity(256);
    head.extend_from_slice(b"{\"model\":");
    write(&mut head, &settings.model)?;
    head.extend_from_slice(b",\"max_tokens\":");
    write(&mut head, &settings.max_tokens)?;
    head.extend_from_slice(b",\"messages\":[");
    let format = if settings.echo { FORMAT } else { BARE };
    let (mut growing, new) = Growing::begin(request, format, &head);
    let open = messages(&mut growing, new, request, settings);
    let body = growing.bytes();
    end(body, open, settings, paused);
    let system = request.system.filter(|system| !system.trim().is_empty());
    // Tools stand before the system text in what is cached, so a mark on the text covers both.
    tools(body, request, settings, system.is_none())?;
    if let Some(system) = system {
        body.extend_from_slice(b",\"system\":[{\"type\":\"text\",\"text\":");
        write(body, system)?;
        body.push(b'}');
        mark(body, settings, settings.caching != Caching::Off);
        body.push(b']');
    }
    if let Some(container) = container(request.messages, paused).filter(|_| settings.echo) {
        body.extend_from_slice(b",\"container\":");
        write(body, container)?;
    }
    if stream {
        body.extend_from_slice(b",\"stream\":true");
    }
    body.extend_from_slice(&settings.fields);
    body.push(b'}');
    Ok(growing.sent(request))
}

/// Who speaks; the results of calls are the user's to give.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
}

fn role(message: &Message) -> Role {
    match message.body() {
        Body::Assistant { .. } => Role::Assistant,
        _ => Role::User,
    }
}

/// The messages that are new, where neighbours of one role are one; gives who speaks in the last.
fn messages(body: &mut Growing, new: &[Message], request: &Request<'_>, settings: &Settings) -> Option<Role> {
    let mut open = body.last_said().and_then(|index| request.messages.get(index)).map(role);
    let format = if settings.echo { FORMAT } else { BARE };
    for message in new {
        let wire = match request.session {
            // The body is kept, so that the message need not be as well.
            Some(_) => Cow::Owned(said::blocks(message.body(), settings.echo)),
            None => message.wire(format, |message| said::blocks(message, settings.echo)),
        };
        if !wire.is_empty() {
            speak(body.bytes(), &mut open, role(message));
            body.bytes().extend_from_slice(&wire);
        }
        body.written(message, true);
    }
    open
}

/// Ends the list of messages.
fn end(body: &mut Vec<u8>, mut open: Option<Role>, settings: &Settings, paused: Option<&Reply>) {
    // Blocks of the model may be ones that cannot be marked.
    mark(body, settings, open == Some(Role::User) && settings.caching == Caching::Conversation);
    if let Some(Reply { text, refusal, calls, echo, .. }) = paused {
        speak(body, &mut open, Role::Assistant);
        said::assistant(body, text.as_deref(), refusal.as_deref(), calls, echo.as_ref());
    }
    if open.is_some() {
        body.extend_from_slice(b"]}");
    }
    body.push(b']');
}

/// Goes on with the open message if it is of this role, else begins one.
fn speak(body: &mut Vec<u8>, open: &mut Option<Role>, role: Role) {
    match open {
        Some(speaking) if *speaking == role => body.push(b','),
        _ => {
            if open.is_some() {
                body.extend_from_slice(b"]},");
            }
            let name = if role == Role::User { "user" } else { "assistant" };
            body.extend_from_slice(format!("{{\"role\":\"{name}\",\"content\":[").as_bytes());
            *open = Some(role);
        }
    }
}

/// Marks the object at the end as the end of what is to be cached.
fn mark(body: &mut Vec<u8>, settings: &Settings, wanted: bool) {
    if !wanted || body.last() != Some(&b'}') {
        return;
    }
    body.pop();
    body.extend_from_slice(match settings.cache_for_an_hour {
        true => b",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}",
        false => b",\"cache_control\":{\"type\":\"ephemeral\"}}",
    });
}

fn tools(body: &mut Vec<u8>, request: &Request<'_>, settings: &Settings, last: bool) -> Result<(), ModelError> {
    let mut choice = choice(request.tool_choice, settings);
    let start = body.len();
    body.extend_from_slice(b",\"tools\":[");
    let empty = body.len();
    body.extend_from_slice(&settings.server_tools);
    if body.ends_with(b",") {
        body.pop();
    }
    let format = if settings.strict_tools { STRICT } else { FORMAT };
    for tool in request.tools {
        separate(body);
        body.extend_from_slice(&tool.wire(format, &profile::ANTHROPIC, || {
            let mut wire = Vec::new();
            write(&mut wire, &definition(tool, settings)?)?;
            Ok::<_, ModelError>(wire)
        })?);
    }
    if request.tools.is_empty() {
        // A history with calls is refused unless tools are listed; these are for that alone.
        for name in named(request.messages) {
            separate(body);
            let nothing = serde_json::value::RawValue::from_string("{\"type\":\"object\"}".to_owned());
            let input_schema = &*nothing.unwrap_or_default();
            let name = &names::taken(name);
            write(body, &wire::Tool { name, description: "Not to be called now.", input_schema, strict: false })?;
        }
        choice = if settings.server_tools.is_empty() { self::choice(ToolChoice::None, settings) } else { None };
    }
    if body.len() == empty {
        body.truncate(start);
        return Ok(());
    }
    mark(body, settings, last && settings.caching != Caching::Off);
    body.push(b']');
    if let Some(choice) = choice {
        body.extend_from_slice(b",\"tool_choice\":");
        write(body, &choice)?;
    }
    Ok(())
}

/// The tools that a history has calls of.
fn named(messages: &[Message]) -> BTreeSet<&str> {
    let calls = messages.iter().filter_map(|message| match message.body() {
        Body::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().map(|call| call.name.as_str()).collect()
}

fn definition<'a>(tool: &'a ToolDefinition, settings: &Settings) -> Result<wire::Tool<'a>, ModelError> {
    let refused = |why: &str| {
        unsent(format!("the tool `{}` {why}; build the agent with this model, so that it is checked", tool.name()))
    };
    let published = tool.published(&profile::ANTHROPIC).ok_or_else(|| refused("has no text for Anthropic's format"))?;
    let input_schema: &RawValue = serde_json::from_str(&published.parameters)
        .map_err(|error| refused("has a schema that is no JSON").caused_by(error))?;
    Ok(wire::Tool {
        name: tool.name(),
        description: &published.description,
        input_schema,
        strict: settings.strict_tools && profile::ANTHROPIC.strict && tool.strict(),
    })
}

/// What to send for a choice; `auto` is what a server does when it is told nothing.
fn choice<'a>(choice: ToolChoice<'a>, settings: &Settings) -> Option<wire::Choice<'a>> {
    let serial = (settings.parallel_tool_calls == Some(false)).then_some(true);
    let (kind, name) = match choice {
        ToolChoice::None => return Some(wire::Choice { r#type: "none", name: None, disable_parallel_tool_use: None }),
        ToolChoice::Required if settings.may_force => ("any", None),
        ToolChoice::Tool(name) if settings.may_force => ("tool", Some(name)),
        _ if serial.is_some() => ("auto", None),
        _ => return None,
    };
    Some(wire::Choice { r#type: kind, name, disable_parallel_tool_use: serial })
}

/// Where code ran at the server the last time.
fn container<'a>(messages: &'a [Message], paused: Option<&'a Reply>) -> Option<&'a str> {
    let kept = messages.iter().rev().filter_map(|message| match message.body() {
        Body::Assistant { echo, .. } => echo.as_ref(),
        _ => None,
    });
    let paused = paused.and_then(|reply| reply.echo.as_ref());
    paused.into_iter().chain(kept).find_map(|kept| echo::container(Some(kept)))
}

#[cfg(test)]
mod tests {
    use agent_core::model::Echo;
    use agent_http::story;
    use serde_json::json;

    use super::*;
    use crate::{Anthropic, Builder};

    #[test]
    fn a_body_that_is_gone_on_with_is_the_one_that_is_written_anew() {
        let build =
            |set: fn(Builder) -> Builder| set(Anthropic::builder().base_url("http://localhost:1")).build().unwrap();
        let models = [
            build(|b| b.caching(Caching::Conversation)),
            build(|b| b.model("other")),
            build(|b| b.echo(false)),
            build(|b| b.caching(Caching::Off)),
        ];
        let mut paused = Reply::text("Wait.");
        paused.id = Some("p".to_owned());
        let echo = Echo { format: FORMAT.to_owned(), fields: json!({"container": "x"}) };
        story::check(&echo, &profile::ANTHROPIC, |request, asked| {
            let paused = asked.paused.then_some(&paused);
            body(request, &models[asked.settings].inner.settings, asked.stream, paused)
        });
    }
}
