//! An adapter for the servers of Parrot, a provider that does not exist.

use agent_core::model::*;
use agent_core::profile;
use agent_core::schema::Profile;
use agent_http::body::{separate, unsent, write};
use agent_http::{Answered, Client, ConfigError, Fault, KeyHeader, Provider, Setup};
use async_trait::async_trait;
use futures_util::stream::{self, BoxStream};
use serde::Deserialize;
use serde_json::{Value, json};

const PROVIDER: Provider = Provider {
    name: "Parrot",
    api: "the Parrot API",
    base_url: "https://api.parrot.example",
    path: &["v1", "say"],
    own_host: "api.parrot.example",
    key_header: KeyHeader::Bearer,
    headers: &[],
    key_variable: "PARROT_API_KEY",
    url_variable: "PARROT_BASE_URL",
    user_agent: "parrot/1",
};

/// Messages keep their wire form, and what the server wants to see again, under this name.
const FORMAT: &str = "parrot";

pub(crate) struct Parrot {
    client: Client,
}

impl Parrot {
    pub(crate) fn new(base_url: &str) -> Result<Self, ConfigError> {
        let mut setup = Setup::new(&PROVIDER);
        setup.set_base_url(base_url);
        setup.retries.base = std::time::Duration::ZERO;
        Ok(Self { client: setup.build()? })
    }
}

#[async_trait]
impl Model for Parrot {
    /// Which schemas the provider takes. Tools are checked against it, and published for it.
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "grey-parrot"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        self.client.reply(body(&request, false)?, request.deadline, Reading::new).await
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let unsent = |error| Box::pin(stream::iter([Err(error)])) as BoxStream<'a, _>;
        body(&request, true).map_or_else(unsent, |body| self.client.stream(body, request.deadline, Reading::new))
    }
}

/// The body of a request. Messages that were written for an earlier one are only copied.
fn body(request: &Request<'_>, stream: bool) -> Result<Vec<u8>, ModelError> {
    let call = match request.tool_choice {
        ToolChoice::None => "never",
        ToolChoice::Required | ToolChoice::Tool(_) => "always",
        _ => "maybe",
    };
    let mut body = format!("{{\"stream\":{stream},\"call\":\"{call}\",\"system\":").into_bytes();
    write(&mut body, &request.system)?;
    body.extend_from_slice(b",\"lines\":[");
    for message in request.messages {
        separate(&mut body);
        body.extend_from_slice(&message.wire(FORMAT, |body| line(body).to_string().into_bytes()));
    }
    body.extend_from_slice(b"],\"tools\":[");
    for tool in request.tools {
        let missing = || unsent(format!("the tool `{}` has no text for Parrot", tool.name()));
        let published = tool.published(&profile::OPENAI).ok_or_else(missing)?;
        let (name, about) = (json!(tool.name()), json!(published.description));
        separate(&mut body);
        let tool = format!("{{\"name\":{name},\"about\":{about},\"input\":{}}}", published.parameters);
        body.extend_from_slice(tool.as_bytes());
    }
    body.extend_from_slice(b"]}");
    Ok(body)
}

/// A message. What another format kept is not for this server.
fn line(message: &Body) -> Value {
    match message {
        Body::User { content } => {
            let text = |part: &'_ Part| if let Part::Text { text } = part { text.clone() } else { String::new() };
            json!({"by": "person", "text": content.iter().map(text).collect::<String>()})
        }
        Body::Assistant { text, refusal, calls, echo } => {
            let calls: Vec<_> = calls.iter().map(|call| json!([call.id, call.name, call.arguments])).collect();
            let seal = echo.as_ref().filter(|echo| echo.format == FORMAT).map(|echo| &echo.fields);
            json!({"by": "model", "text": text.as_ref().or(refusal.as_ref()), "calls": calls, "seal": seal})
        }
        Body::Tool { call_id, content, .. } => json!({"by": "tool", "id": call_id, "text": content}),
        _ => Value::Null,
    }
}

/// A whole answer, or a piece of one: here the two look the same.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Heard {
    id: Option<String>,
    voice: Option<String>,
    thought: String,
    text: String,
    calls: Vec<(String, String, String)>, // Id, tool and input.
    why: Option<String>,
    cost: Option<(u64, u64, u64)>, // Tokens read, those of them that were cached, tokens written.
    seal: Option<Value>,
}

/// An answer that is being read. The client makes a new one for each attempt.
struct Reading {
    answered: Answered,
    reply: Reply,
}

impl Reading {
    fn new(answered: Answered) -> Self {
        Self { answered, reply: Reply::default() }
    }
}

impl agent_http::Reading for Reading {
    fn whole(mut self, body: &[u8]) -> Result<(Reply, Vec<Delta>), ModelError> {
        let deltas = self.event(body)?;
        let wrong = || self.answered.malformed("is no answer", body).retryable(false);
        if self.is_done() { Ok((self.reply, deltas)) } else { Err(wrong()) }
    }

    fn event(&mut self, data: &[u8]) -> Result<Vec<Delta>, ModelError> {
        let heard = match agent_http::json::read::<Value>(data) {
            // A server may say in the middle of an answer what went wrong.
            Ok(value) if value.get("error").is_some() => return Err(self.answered.fault(&Fault::of(value))),
            Ok(value) => serde_json::from_value::<Heard>(value),
            // An event that ends inside its JSON is where the stream was cut.
            Err(error) if error.is_eof() => return Err(self.answered.cut_off().caused_by(error)),
            Err(error) => Err(error),
        };
        let heard = heard.map_err(|error| self.answered.malformed("is none of Parrot's", data).caused_by(error))?;
        let (mut deltas, reply) = (Vec::new(), &mut self.reply);
        add(&mut reply.reasoning, heard.thought, Delta::Reasoning, &mut deltas);
        add(&mut reply.text, heard.text, Delta::Text, &mut deltas);
        for (id, tool, input) in heard.calls {
            let (index, name) = (reply.calls.len(), Some(tool.clone()));
            deltas.push(Delta::Call { index, id: Some(id.clone()), name, arguments: input.clone() });
            reply.calls.push(ToolCall::new(id, tool, agent_http::arguments::text(input)));
        }
        if let Some(why) = heard.why {
            reply.finish = Some(finish(why));
            reply.usage = heard.cost.map(|(read, cached, written)| Usage::new(read, written).cached_input(cached));
            (reply.id, reply.model) = (heard.id, heard.voice);
            reply.echo = heard.seal.map(|fields| Echo { format: FORMAT.to_owned(), fields });
        }
        Ok(deltas)
    }

    fn is_done(&self) -> bool {
        self.reply.finish.is_some() // It is the last that is said.
    }

    fn end(self, broken: Option<ModelError>) -> Result<Reply, ModelError> {
        if self.is_done() {
            return Ok(self.reply);
        }
        Err(broken.unwrap_or_else(|| self.answered.cut_off()).partial_text(self.reply.text))
    }

    fn text(&self) -> Option<String> {
        self.reply.text.clone()
    }
}

fn add(to: &mut Option<String>, text: String, delta: fn(String) -> Delta, deltas: &mut Vec<Delta>) {
    if !text.is_empty() {
        to.get_or_insert_default().push_str(&text);
        deltas.push(delta(text));
    }
}

fn finish(why: String) -> Finish {
    match why.as_str() {
        "done" => Finish::Stop,
        "calls" => Finish::ToolCalls,
        "cut" => Finish::Length,
        "filtered" => Finish::ContentFilter,
        _ => Finish::Other(why),
    }
}
