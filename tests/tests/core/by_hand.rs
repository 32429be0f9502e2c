//! The loop, driven from outside the crate: with a journal between any two steps.

use std::sync::Arc;
use std::time::Duration;

use agent_core::dispatch::{Dispatch, Verdict};
use agent_core::idempotency::IdempotencyStore;
use agent_core::model::{Model, Reply, Request, ToolCall};
use agent_core::run::{Checked, Decided, Input, Plan, Run, RunStart, Step};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunErrorKind, SecurityContext, ToolResult, tools};

use crate::world::{App, Shared, act, add, look, sign, writer};

fn agent(model: ScriptedModel) -> Agent<App> {
    let builder = Agent::builder(model).tools(tools![look, act, add, sign]).state(App::default());
    builder.store(Shared::default()).build().unwrap()
}

/// What a driver knows beside the run.
struct Driver<'a> {
    agent: &'a Agent<App>,
    model: &'a ScriptedModel,
    caller: Arc<SecurityContext>,
    store: Arc<dyn IdempotencyStore>,
    /// It stops before it runs this tool.
    stops_at: Option<&'static str>,
}

impl<'a> Driver<'a> {
    fn new(agent: &'a Agent<App>, model: &'a ScriptedModel) -> Self {
        let (caller, store) = (Arc::new(writer()), Arc::new(Shared::default()));
        Self { agent, model, caller, store, stops_at: None }
    }

    /// Takes the run to its end. Before each step it is written down and read again, as in another process.
    async fn drive(&self, mut run: Run) -> Run {
        loop {
            run = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
            run.taken_up();
            match run.next(self.agent.plan()) {
                Step::CallModel { purpose } => {
                    let asked = run.request_messages(purpose);
                    let messages = asked.as_deref().unwrap_or_else(|| run.conversation());
                    let request = Request::new(messages).tools(self.agent.toolbox().definitions());
                    let reply = self.model.reply(request).await.unwrap();
                    self.tell(&mut run, Input::Reply(Box::new(reply), Duration::ZERO));
                }
                Step::CheckCalls => {
                    let mut checked: Vec<Checked> = Vec::new();
                    for call in run.effective_calls() {
                        checked.push(self.agent.toolbox().check(&call, &self.caller).await.checked());
                    }
                    let kept = serde_json::to_string(&checked).unwrap();
                    self.tell(&mut run, Input::Checked(serde_json::from_str(&kept).unwrap()));
                }
                Step::AskApproval { pending } => {
                    for call in pending {
                        let (call_id, by) = (call.call_id, "boss".to_owned());
                        self.tell(&mut run, Input::Decided { call_id, by, decided: Decided::Approved });
                    }
                }
                Step::CallTools { start } => {
                    for index in start {
                        self.tell(&mut run, Input::ToolStarted(index));
                        let result = self.call(&run, index).await;
                        self.tell(&mut run, Input::ToolDone(index, Box::new(result)));
                    }
                }
                Step::CheckAnswer => self.tell(&mut run, Input::AnswerChecked(Ok(()))),
                _ => return run,
            }
        }
    }

    async fn call(&self, run: &Run, index: usize) -> ToolResult {
        let call = &run.effective_calls()[index];
        if self.stops_at == Some(call.name.as_str()) {
            return ToolResult::not_run(call, "the server is about to stop.", "Make it again later.");
        }
        let run_id: Arc<str> = Arc::from(run.id());
        let index = u32::try_from(index).unwrap();
        let at = Dispatch::new(&self.caller, self.agent.state(), &self.store, &run_id);
        let at = at.position(run.turns_with_calls(), index).approved();
        match self.agent.toolbox().check(call, &self.caller).await {
            Verdict::Ready(admitted) => self.agent.toolbox().execute(admitted, &at).await,
            Verdict::Refused(result) => result,
            other => panic!("{other:?}"),
        }
    }

    fn tell(&self, run: &mut Run, input: Input) {
        let plan: &Plan = self.agent.plan();
        run.apply(plan, input, &mut ());
    }
}

fn start() -> Run {
    let mut start = RunStart::new("r", "Go.");
    (start.user, start.tenant) = (writer().user().to_owned(), writer().tenant().to_owned());
    Run::new(start)
}

fn replies() -> Vec<Reply> {
    let ok = |id: &str, tool: &str, n: u32| ToolCall::new(id, tool, format!(r#"{{"how":"ok","n":{n}}}"#));
    let wrong = ToolCall::new("w", "look", r#"{"how":7}"#);
    vec![
        Reply::calls([ok("a", "look", 1), ok("b", "act", 1), wrong]),
        Reply::calls([ok("c", "sign", 2), ok("d", "act", 1)]),
        Reply::text("Done."),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_driver_outside_the_crate_runs_the_same_loop() {
    struct Boss;
    #[async_trait::async_trait]
    impl agent_core::Approver for Boss {
        async fn decide(&self, _: &SecurityContext, call: &agent_core::run::Pending) -> Option<agent_core::Decision> {
            Some(call.approve("boss"))
        }
    }
    let builder = Agent::builder(ScriptedModel::new(replies())).tools(tools![look, act, add, sign]);
    let ours = builder.state(App::default()).approver(Boss).build().unwrap();
    let answer = ours.run("Go.").caller(writer()).id("r").await.unwrap();

    let model = ScriptedModel::new(replies());
    let theirs = agent(model.clone());
    let run = Driver::new(&theirs, &model).drive(start()).await;
    assert_eq!(run.outcome(), Some(Ok("Done.")));
    assert_eq!(run.record(), answer.record());
    assert_eq!(theirs.state().world.effects(), 2);
    assert_eq!(ours.state().world.effects(), 2);
    model.finish().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_driver_of_ones_own_gives_results_to_the_calls_that_it_holds_back() {
    let model = ScriptedModel::new(replies());
    let agent = agent(model.clone());
    let driver = Driver { stops_at: Some("act"), ..Driver::new(&agent, &model) };
    let run = driver.drive(start()).await;
    assert_eq!(run.outcome(), Some(Ok("Done.")));
    assert_eq!(agent.state().world.effects(), 1, "only what was signed");
    let shown = serde_json::to_string(run.messages()).unwrap();
    assert!(shown.contains("the server is about to stop. Make it again later."), "{shown}");

    let mut run = start();
    driver.tell(&mut run, Input::Reply(Box::new(replies().remove(1)), Duration::ZERO));
    driver.tell(&mut run, Input::Cancel("enough".to_owned()));
    assert_eq!(run.outcome(), Some(Err(&RunErrorKind::Cancelled { reason: "enough".to_owned() })));
    let cancelled = ToolResult::cancelled(&replies()[1].calls[0]);
    assert!(run.messages().iter().any(|message| format!("{message:?}").contains(cancelled.code().unwrap())));
}

#[tokio::test]
async fn a_call_that_needs_a_decision_does_not_run_without_one() {
    let agent = agent(ScriptedModel::new([]));
    let (caller, run_id, store) = (Arc::new(writer()), Arc::from("r"), Shared::default());
    let store: Arc<dyn IdempotencyStore> = Arc::new(store);
    let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
    let call = ToolCall::new("s", "sign", r#"{"how":"ok"}"#);
    let Verdict::Ready(admitted) = agent.toolbox().check(&call, &caller).await else { panic!("it is a valid call") };
    assert_eq!(agent.toolbox().execute(admitted, &at).await.code(), Some("NOT_RUN"));
    assert_eq!(agent.state().world.entered(), 0);
}

#[tokio::test]
async fn a_call_that_another_toolbox_has_checked_does_not_run() {
    let (one, other) = (agent(ScriptedModel::new([])), agent(ScriptedModel::new([])));
    let (caller, run_id, store) = (Arc::new(writer()), Arc::from("r"), Shared::default());
    let store: Arc<dyn IdempotencyStore> = Arc::new(store);
    let at = Dispatch::new(&caller, other.state(), &store, &run_id);
    let call = ToolCall::new("a", "act", r#"{"how":"ok"}"#);
    let Verdict::Ready(admitted) = one.toolbox().check(&call, &caller).await else { panic!("it is a valid call") };
    let result = other.toolbox().execute(admitted, &at).await;
    assert_eq!((result.code(), result.metadata().tool_call_id.as_str()), (Some("NOT_RUN"), "a"));
    assert_eq!(other.state().world.entered(), 0);
}
