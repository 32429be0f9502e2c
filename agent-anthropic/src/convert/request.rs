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
    use agent_core::model::{Echo, Session, ToolCall};
    use agent_core::schema::Published;
    use serde_json::json;

    use super::*;
    use crate::{Anthropic, Builder};

    /// A history that is gone on with, changed and cut, as a run's may be.
    struct Story {
        state: u64,
        messages: Vec<Message>,
        calls: usize,
    }

    impl Story {
        fn random(&mut self, below: usize) -> usize {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.state >> 33) as usize % below
        }

        fn text(&mut self) -> String {
            let (text, times) = (self.random(5), 1 + self.random(3));
            ["", " ", "Hm.", "a\nb\"c", "\u{e9}\u{1f600}"][text].repeat(times)
        }

        fn turn(&mut self) {
            let many = if self.random(12) == 0 { 120 + self.random(20) } else { self.random(3) };
            let calls: Vec<_> =
                (0..many).map(|index| ToolCall::new(format!("c{}", self.calls + index), "now", "{}")).collect();
            self.calls += many;
            let echo =
                (self.random(3) == 0).then(|| Echo { format: FORMAT.to_owned(), fields: json!({"container": "x"}) });
            let text = Some(self.text()).filter(|_| many == 0 || self.state % 2 == 0);
            self.messages.push(Message::reply(text, None, calls.clone(), echo));
            for call in calls {
                let content = self.text();
                self.messages.push(Message::tool(call.id, "now", content));
            }
            if many == 0 {
                let text = self.text();
                self.messages.push(Message::user(text));
            }
        }

        fn go_on(&mut self) {
            match self.random(8) {
                // Compacted: the beginning stays, and what followed becomes a summary.
                0 => {
                    let cut = self.random(self.messages.len());
                    let text = self.text();
                    self.messages.splice(1..cut.max(1), [Message::user(text)]);
                }
                // Changed in one place, to what has as many bytes or not.
                1 => {
                    let at = self.random(self.messages.len());
                    let text = self.text();
                    self.messages[at] = Message::user(text);
                }
                // As it was, or as it was before.
                2 => {}
                3 => {
                    let left = 1 + self.random(self.messages.len());
                    self.messages.truncate(left);
                }
                // Saved and taken up.
                4 => self.messages = serde_json::from_value(json!(self.messages)).unwrap(),
                _ => self.turn(),
            }
        }
    }

    #[test]
    fn a_body_that_is_gone_on_with_is_the_one_that_is_written_anew() {
        let runs = std::env::var("RANDOM_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(2_000);
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
        let settings: Vec<_> = models.iter().map(|model| &model.inner.settings).collect();
        let parameters = "{\"type\":\"object\"}".to_owned();
        let published = Published { description: "Tells \"now\".".to_owned(), parameters };
        let tools = [ToolDefinition::new("now", true, [(&profile::ANTHROPIC, published)])];
        for seed in 0..runs {
            let mut story = Story { state: seed, messages: vec![Message::user("?")], calls: 0 };
            let session = Session::new();
            let mut held = Vec::new();
            for _ in 0..12 {
                story.go_on();
                let settings = settings[[0, 0, 0, 0, 1, 2, 3][story.random(7)]];
                let choice =
                    [ToolChoice::Auto, ToolChoice::Auto, ToolChoice::None, ToolChoice::Required][story.random(4)];
                let offered = if story.random(4) == 0 { &tools[..0] } else { &tools[..] };
                let system = [Some("Be \"kind\"."), Some("Be \"kind\"."), Some("Be."), None][story.random(4)];
                let stream = story.random(2) == 0;
                let paused = (story.random(5) == 0).then_some(&paused);
                let request = Request::new(&story.messages).tools(offered).tool_choice(choice).system(system);
                let anew = body(&request, settings, stream, paused).unwrap();
                let gone_on = body(&request.session(Some(&session)), settings, stream, paused).unwrap();
                assert_eq!(String::from_utf8_lossy(&gone_on), String::from_utf8_lossy(&anew), "{seed}");
                // One that is still being sent is not written to.
                if story.random(3) == 0 {
                    held.push((gone_on, anew));
                }
            }
            assert!(held.iter().all(|(gone_on, anew)| gone_on == anew));
        }
    }
}
