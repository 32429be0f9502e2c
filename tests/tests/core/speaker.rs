//! A model that says what it is told to, when it is told to, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::model::{Delta, Message, Model, ModelError, ModelErrorKind, Reply, Request, ToolCall};
use agent_core::run::{Record, StepRecord, repair};
use agent_core::schema::Profile;
use agent_core::{Event, RunError, RunErrorKind, RunEvent, RunEvents, profile};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    Now(Reply),
    After(Duration, Reply),
    Fails(ModelErrorKind, &'static str),
    Never,
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) messages: Vec<Message>,
    pub(crate) system: Option<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) choice: String,
}

/// Clones are handles on the same model. A request beyond what it is told is refused.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    says: Arc<Mutex<VecDeque<Says>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Speaker {
    pub(crate) fn new(says: impl IntoIterator<Item = Says>) -> Self {
        Self { says: Arc::new(Mutex::new(says.into_iter().collect())), asked: Arc::default() }
    }

    pub(crate) fn replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::new(replies.into_iter().map(Says::Now))
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The tool choice of each request.
    pub(crate) fn choices(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.choice).collect()
    }
}

#[async_trait::async_trait]
impl Model for Speaker {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "speaker"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        self.asked.lock().unwrap().push(Asked {
            messages: request.messages.to_vec(),
            system: request.system.map(str::to_owned),
            tools: request.tools.iter().map(|tool| tool.name().to_owned()).collect(),
            choice: format!("{:?}", request.tool_choice),
        });
        let says = self.says.lock().unwrap().pop_front();
        match says {
            Some(Says::Now(reply)) => Ok(reply),
            Some(Says::After(wait, reply)) => {
                tokio::time::sleep(wait).await;
                Ok(reply)
            }
            Some(Says::Fails(kind, message)) => Err(ModelError::new(kind, message)),
            Some(Says::Never) => std::future::pending().await,
            None => Err(ModelError::new(ModelErrorKind::InvalidRequest, "nothing more is to be asked")),
        }
    }
}

/// Says the beginning of something, and then nothing for ever.
pub(crate) struct Murmur(pub(crate) &'static [&'static str]);

#[async_trait::async_trait]
impl Model for Murmur {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "murmur"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        std::future::pending().await
    }

    fn stream<'a>(&'a self, _: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let pieces = self.0.iter().map(|piece| Ok(Delta::Text((*piece).to_owned())));
        futures_util::stream::iter(pieces).chain(futures_util::stream::pending()).boxed()
    }
}

pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> Reply {
    Reply::calls([ToolCall::new(id, tool, arguments)])
}

pub(crate) fn looks(how: &str, n: i64) -> ToolCall {
    ToolCall::new("", "look", format!(r#"{{"how":"{how}","n":{n}}}"#))
}

pub(crate) fn look_at(how: &str, n: i64) -> Reply {
    Reply::calls([looks(how, n)])
}

/// The code of each call, in the order in which they ended.
pub(crate) fn codes(record: &Record) -> Vec<String> {
    let tools = record.steps.iter().filter_map(|step| match step {
        StepRecord::Tool(tool) => Some(tool.code.clone().unwrap_or("success".to_owned())),
        _ => None,
    });
    tools.collect()
}

/// Panics where a provider would refuse the conversation.
pub(crate) fn assert_whole(messages: &[Message]) {
    let (mended, damage) = repair(messages.to_vec());
    assert_eq!((mended, damage), (messages.to_vec(), vec![]), "each call has its one result");
}

/// The events of a run up to its end, and the end.
pub(crate) async fn read<T: Unpin>(mut stream: RunEvents<T>) -> (Vec<Event>, Result<String, RunError>) {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            RunEvent::Event(event) => events.push(event),
            RunEvent::Finished(Ok(answer)) => return (events, Ok(answer.text().to_owned())),
            RunEvent::Finished(Err(error)) => return (events, Err(error)),
            _ => {}
        }
    }
    panic!("a stream ends with the run's end")
}

pub(crate) fn name(event: &Event) -> String {
    serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned()
}

pub(crate) fn names(events: &[Event]) -> Vec<String> {
    events.iter().map(name).collect()
}

pub(crate) fn suspended(error: RunError) -> agent_core::run::Run {
    match error.into_kind() {
        // Another process has only what was saved.
        RunErrorKind::Suspended(run) => serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap(),
        other => panic!("expected a suspended run, got {other:?}"),
    }
}
