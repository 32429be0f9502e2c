//! Models that stand in for each other.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_core::model::{
    Delta, Fallback, Finish, Message, Model, ModelError, ModelErrorKind as Kind, Reply, Request, ToolCall, Usage,
};
use agent_core::run::StepRecord;
use agent_core::schema::Profile;
use agent_core::testing::FunctionModel;
use agent_core::{Agent, BuildError, BusinessError, Event, RunErrorKind, profile, tool, tools};
use async_trait::async_trait;
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::time::Instant;

use crate::ended;

fn fails(kind: Kind) -> FunctionModel {
    FunctionModel::new(move |_| Err(ModelError::new(kind, "not now").attempts(3)))
}

fn answers(text: &'static str) -> FunctionModel {
    FunctionModel::new(move |_| Ok(Reply::text(text)))
}

async fn ask(model: &Fallback, deadline: Option<Instant>) -> Result<Reply, ModelError> {
    let question = [Message::user("?")];
    let plain = model.reply(Request::new(&question).deadline(deadline)).await;
    let streamed = model.stream(Request::new(&question).deadline(deadline)).collect::<Vec<_>>().await.pop();
    match (&plain, streamed) {
        (Ok(reply), Some(Ok(Delta::Done(streamed)))) => assert_eq!(*reply, streamed),
        (Err(error), Some(Err(streamed))) => assert_eq!(error.to_string(), streamed.to_string()),
        (plain, streamed) => panic!("{plain:?} and as a stream {streamed:?}"),
    }
    plain
}

#[tokio::test]
async fn the_next_is_asked_where_a_server_is_at_fault_and_never_where_the_request_is() {
    for (kind, goes_on) in [
        (Kind::Overloaded, true),
        (Kind::RateLimit, true),
        (Kind::Server, true),
        (Kind::Timeout, true),
        (Kind::Connection, true),
        (Kind::StreamInterrupted, true),
        (Kind::InvalidRequest, false),
        (Kind::Auth, false),
        (Kind::ContextLength, false),
        (Kind::ContentFilter, false),
        (Kind::NotFound, false),
    ] {
        let reply = ask(&Fallback::new(fails(kind)).then(answers("Hi.")), None).await;
        assert_eq!(reply.is_ok(), goes_on, "{kind:?}");
        assert!(goes_on || reply.unwrap_err().kind() == kind);
    }
}

#[tokio::test]
async fn a_reply_says_who_gave_it_and_who_did_not() {
    let model = Fallback::new(fails(Kind::Overloaded)).then(fails(Kind::RateLimit)).then(answers("Hi."));
    assert_eq!(model.name(), "function, else function, else function");
    let reply = ask(&model, None).await.unwrap();
    assert_eq!((reply.model.as_deref(), reply.attempts), (Some("function"), 7));
    let failed: Vec<_> = reply.fallbacks.iter().map(|failed| (failed.kind, failed.attempts)).collect();
    assert_eq!(failed, [(Kind::Overloaded, 3), (Kind::RateLimit, 3)]);
}

#[tokio::test]
async fn the_last_failure_tells_of_those_before_it() {
    let error = ask(&Fallback::new(fails(Kind::Overloaded)).then(fails(Kind::Auth)), None).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Auth, 6));
    assert!(error.message().ends_with("before it, function failed: overloaded"), "{error}");
}

/// A model that says these pieces and then hangs, or fails.
struct Halting {
    pieces: Vec<Delta>,
    end: Option<Kind>,
    asked: AtomicUsize,
}

impl Halting {
    fn new(pieces: &[&str], end: Option<Kind>) -> Self {
        let pieces = pieces.iter().map(|text| Delta::Text((*text).to_owned())).collect();
        Self { pieces, end, asked: AtomicUsize::new(0) }
    }
}

#[async_trait]
impl Model for Halting {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::ANTHROPIC]
    }

    fn name(&self) -> &str {
        "halting"
    }

    async fn reply(&self, _: Request<'_>) -> Result<Reply, ModelError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match self.end {
            Some(kind) => Err(ModelError::new(kind, "halted")),
            None => pending().await,
        }
    }

    fn stream<'a>(&'a self, request: Request<'a>) -> BoxStream<'a, Result<Delta, ModelError>> {
        let end = stream::once(async move { self.reply(request).await.map(Delta::Done) });
        Box::pin(stream::iter(self.pieces.clone()).map(Ok).chain(end))
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_leaves_half_of_the_time_to_the_next() {
    let model = Fallback::new(Halting::new(&[], None)).then(Halting::new(&[], None)).then(answers("Hi."));
    let before = Instant::now();
    let question = [Message::user("?")];
    let request = Request::new(&question).deadline(Some(before + Duration::from_secs(40)));
    let reply = model.reply(request).await.unwrap();
    assert_eq!((reply.text.as_deref(), before.elapsed().as_secs()), (Some("Hi."), 30));
    assert_eq!(reply.fallbacks.iter().map(|failed| failed.kind).collect::<Vec<_>>(), [Kind::Timeout; 2]);
    let before = Instant::now();
    let request = Request::new(&question).deadline(Some(before + Duration::from_secs(40)));
    let end = model.stream(request).collect::<Vec<_>>().await.pop();
    assert!(matches!(end, Some(Ok(Delta::Done(_)))) && before.elapsed().as_secs() == 30);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_began_goes_to_no_other_model_and_may_take_all_the_time() {
    let next = Arc::new(Halting::new(&[], None));
    let model = Fallback::new(Halting::new(&["Half"], Some(Kind::Overloaded))).then(next.clone());
    let question = [Message::user("?")];
    let items: Vec<_> = model.stream(Request::new(&question)).collect().await;
    assert!(matches!(&items[..], [Ok(Delta::Text(_)), Err(error)] if error.kind() == Kind::Overloaded), "{items:?}");
    assert_eq!(next.asked.load(Ordering::Relaxed), 0);

    let model = Fallback::new(Halting::new(&["Half"], None)).then(answers("Hi."));
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut stream = model.stream(Request::new(&question).deadline(Some(deadline)));
    assert!(matches!(stream.next().await, Some(Ok(Delta::Text(_)))));
    // The loop stops waiting at the deadline; the fallback does not before.
    assert!(tokio::time::timeout(Duration::from_secs(60), stream.next()).await.is_err());
}

/// Looks something up.
#[tool]
async fn look_up(
    /// What to look up.
    #[arg(min_length = 3)]
    word: String,
) -> Result<usize, BusinessError> {
    Ok(word.len())
}

/// A tool that OpenAI takes and Anthropic does not.
#[tool(strict = false)]
async fn loose(
    /// Something.
    #[arg(rename = "a b")]
    value: u8,
) -> bool {
    value > 0
}

#[test]
fn a_tool_that_any_of_the_models_refuses_is_refused_at_build() {
    let (one, other) = (|| answers("Hi."), || Halting::new(&[], None));
    Agent::builder(Fallback::new(one()).then(one())).tools(tools![loose]).build().unwrap();
    for model in [
        Fallback::new(one()).then(other()),
        Fallback::new(other()).then(one()),
        Fallback::new(one()).then(one()).then(other()),
        Fallback::new(one()).then(Fallback::new(one()).then(other())),
    ] {
        let error = Agent::builder(model).tools(tools![loose]).build().unwrap_err();
        assert!(matches!(&error, BuildError::Refused { what, .. } if what.contains("Anthropic refuses")), "{error}");
    }
}

#[test]
fn tools_are_checked_against_what_every_model_takes() {
    let model = Fallback::new(answers("Hi.")).then(Halting::new(&[], None)).then(answers("Hi."));
    let names: Vec<_> = model.profiles().iter().map(|profile| profile.name).collect();
    assert_eq!(names, ["OpenAI", "Anthropic"]);
    Agent::builder(model).tools(tools![look_up]).build().unwrap();
}

#[tokio::test]
async fn the_record_of_a_run_names_the_model_that_answered_and_the_ones_that_did_not() {
    let asks = FunctionModel::new(|messages| match messages.len() {
        1 => Ok(Reply::calls([ToolCall::new("c1", "look_up", r#"{"word":"tide"}"#)]).usage(Usage::new(1, 1))),
        _ => Ok(Reply::text("Four.").finish(Finish::Stop)),
    });
    let model = Fallback::new(fails(Kind::Overloaded)).then(asks);
    let agent = Agent::builder(model).tools(tools![look_up]).build().unwrap();
    let answer = agent.run("How long?").await.unwrap();
    let steps: Vec<_> = answer
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Model(step) => Some((step.model.as_deref(), step.fallbacks.len(), step.attempts)),
            _ => None,
        })
        .collect();
    assert_eq!(steps, [(Some("function"), 1, 4), (Some("function"), 1, 4)]);
    let written = serde_json::to_value(answer.record()).unwrap();
    assert_eq!(written["steps"][0]["model"]["fallbacks"][0]["kind"], "overloaded");
}

/// Lines of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = event.metadata().level().to_string();
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            line += &format!(" {field}={value:?}");
        });
        self.0.lock().unwrap().push(line);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn a_change_of_model_is_told_in_an_event_in_the_record_and_in_the_log() {
    for streamed in [false, true] {
        let log = Log::default();
        let guard = tracing::subscriber::set_default(log.clone());
        let told = Arc::<Mutex<Vec<_>>>::default();
        let listener = Arc::clone(&told);
        let observer = move |_: &str, event: &Event| {
            if let Event::ModelReplied { step, .. } = event {
                let failed = step.fallbacks.iter().map(|failed| (failed.model.clone(), failed.kind, failed.attempts));
                listener.lock().unwrap().push((step.model.clone(), failed.collect::<Vec<_>>()));
            }
        };
        let model = Fallback::new(Halting::new(&[], Some(Kind::Overloaded))).then(answers("Hi."));
        let agent = Agent::builder(model).observer(observer).build().unwrap();
        let answer = ended(agent.run("?"), streamed).await.unwrap();
        drop(guard);
        let failed = vec![("halting".to_owned(), Kind::Overloaded, 1)];
        assert_eq!(*told.lock().unwrap(), [(Some("function".to_owned()), failed)]);
        let step = match &answer.record().steps[..] {
            [StepRecord::Model(step)] => step,
            steps => panic!("{steps:?}"),
        };
        assert_eq!((step.model.as_deref(), step.fallbacks[0].model.as_str()), (Some("function"), "halting"));
        let log = log.0.lock().unwrap();
        let line = log.iter().find(|line| line.contains("could not answer")).unwrap();
        for part in ["WARN", r#"model="halting""#, r#"kind="overloaded""#, r#"next="function""#] {
            assert!(line.contains(part), "{line}");
        }
    }
}

#[tokio::test]
async fn a_model_that_panics_ends_the_run_and_no_other_is_asked() {
    for streamed in [false, true] {
        let next = Arc::new(Halting::new(&[], Some(Kind::Server)));
        let model = Fallback::new(FunctionModel::new(|_| panic!("a mistake of the program"))).then(next.clone());
        let agent = Agent::builder(model).build().unwrap();
        let error = ended(agent.run("?"), streamed).await.unwrap_err();
        assert!(
            matches!(error.kind(), RunErrorKind::ModelFailed(failure) if failure.kind == Kind::Panicked),
            "{error}"
        );
        assert_eq!(next.asked.load(Ordering::Relaxed), 0);
    }
}
