//! Ends that come from outside leave a run open, and its id goes on; one that the run came to itself is final.

use std::sync::Arc;
use std::time::Duration;

use agent_core::model::{Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunErrorKind, tools};

use super::{Runs, acts, process};
use crate::world::{App, Shared, World, act, add, look, writer};

/// A model that fails, or never answers.
struct Bad {
    hangs: bool,
}

#[async_trait::async_trait]
impl agent_core::model::Model for Bad {
    fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
        &[&agent_core::profile::OPENAI]
    }
    fn name(&self) -> &str {
        "bad"
    }
    async fn reply(&self, _: agent_core::model::Request<'_>) -> Result<Reply, agent_core::model::ModelError> {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        Err(agent_core::model::ModelError::new(agent_core::model::ModelErrorKind::Server, "down"))
    }
}

/// An agent that books once with its first reply, and whose model is bad from then on.
fn books_and_then(hangs: bool, runs: &Runs, claims: &Shared, world: &Arc<World>) -> Agent<App> {
    let first = ScriptedModel::new(vec![Reply::calls([acts("a", "ok", 1)])]);
    let model = FirstThen { first, then: Bad { hangs } };
    let builder = Agent::builder(model).tools(tools![look, act, add]).state(App { world: Arc::clone(world) });
    builder.store(claims.clone()).run_store(runs.clone()).build().unwrap()
}

struct FirstThen {
    first: ScriptedModel,
    then: Bad,
}

#[async_trait::async_trait]
impl agent_core::model::Model for FirstThen {
    fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
        self.first.profiles()
    }
    fn name(&self) -> &str {
        "first, then"
    }
    async fn reply(&self, asked: agent_core::model::Request<'_>) -> Result<Reply, agent_core::model::ModelError> {
        if self.first.seen().is_empty() { self.first.reply(asked).await } else { self.then.reply(asked).await }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_model_failed_whose_time_was_over_or_that_was_cancelled_goes_on_under_its_id() {
    for end in ["model_failed", "timeout", "cancelled"] {
        let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
        let first = books_and_then(end != "model_failed", &runs, &claims, &world);
        let cancel = agent_core::Cancellation::new();
        let ends = cancel.clone();
        if end == "cancelled" {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                ends.cancel("enough");
            });
        }
        let error = first.run("Go.").caller(writer()).id("r").cancel(cancel).await.unwrap_err();
        assert_eq!((error.kind().as_str(), world.effects()), (end, 1));
        // At once: the run is nobody's.
        let second = process(vec![Reply::text("Done.")], &runs, &claims, &world);
        let limits = agent_core::Limits::default().timeout(Duration::from_secs(120));
        let answer = second.agent.run("Go.").caller(writer()).id("r").limits(limits).await.unwrap();
        assert_eq!((answer.text(), answer.record().cycles, world.effects()), ("Done.", 2, 1), "{end}");
        assert_eq!(second.model.seen().len(), 1, "{end}: it goes on after the call that was made");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_goes_on_with_the_calls_that_were_running() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let slow = |id: &str, n: u32| ToolCall::new(id, "look", format!(r#"{{"how":"slow","n":{n}}}"#));
    let turn = Reply::calls([slow("l", 1), slow("k", 2), acts("a", "ok", 1)]);
    let first = process(vec![turn], &runs, &claims, &world);
    let cancel = agent_core::Cancellation::new();
    let ends = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        ends.cancel("enough");
    });
    let error = first.agent.run("Go.").caller(writer()).id("r").cancel(cancel).await.unwrap_err();
    assert_eq!((error.kind().as_str(), world.effects()), ("cancelled", 0));
    let second = process(vec![Reply::text("Done.")], &runs, &claims, &world);
    let answer = second.agent.run("Go.").caller(writer()).id("r").await.unwrap();
    let codes = answer.record().steps.iter().filter_map(|step| match step {
        agent_core::run::StepRecord::Tool(tool) => Some(tool.code.clone()),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [None, None, None]);
    assert_eq!(world.effects(), 1);
}

#[tokio::test]
async fn a_run_whose_outcome_is_unknown_goes_on_once_an_operator_has_settled_it() {
    use agent_core::idempotency::{Operator, Resolution, Settled};
    for settles in [true, false] {
        let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::<World>::default());
        let turn = Reply::calls([acts("a", "ok", 1), acts("b", "fatal_second", 2), acts("c", "ok", 3)]);
        let first = process(vec![turn], &runs, &claims, &world);
        let first = first.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
        assert_eq!((first.kind().as_str(), world.effects()), ("outcome_unknown", 1));
        let again = process(vec![], &runs, &claims, &world);
        let second = again.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
        assert_eq!(second.kind(), first.kind(), "nobody has looked yet");
        assert!(again.model.seen().is_empty());

        let how = match settles {
            true => Resolution::Settle(Settled::Value(serde_json::value::to_raw_value("by hand").unwrap())),
            false => Resolution::Release,
        };
        claims.0.resolve_all("tenant_1", &how, &Operator::new("ada", "the books show it").unwrap()).await;
        let last = process(vec![Reply::text("All.")], &runs, &claims, &world);
        let answer = last.agent.run("Go.").caller(writer()).id("r").await.unwrap();
        let effects = if settles { 2 } else { 3 };
        assert_eq!((answer.text(), world.effects(), world.most_repeated()), ("All.", effects, 1));
    }
}

#[tokio::test]
async fn an_end_that_the_run_itself_came_to_is_final_under_its_id() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let cut = Reply::text("So fa").finish(agent_core::model::Finish::Length);
    let first = process(vec![cut], &runs, &claims, &world);
    let first = first.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
    let again = process(vec![Reply::text("Done.")], &runs, &claims, &world);
    let second = again.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert_eq!((first.kind(), second.kind()), (&RunErrorKind::Truncated, &RunErrorKind::Truncated));
    assert!(again.model.seen().is_empty());
}
