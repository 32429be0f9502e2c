//! A run that is saved after any step and read again goes on as if nothing had happened; stepped by hand,
//! without a driver.

use std::time::Duration;

use agent_core::Limits;
use agent_core::arguments::Digest;
use agent_core::model::{Finish, Reply, ToolCall, Usage};
use agent_core::run::{
    Checked, Circuit, Decided, Event, Input, LimitKind, OnLimit, Plan, PlannedTool, Run, RunErrorKind, RunStart, Step,
    Window,
};

/// The same inputs for the same seed.
struct Hand {
    rng: fastrand::Rng,
    clock: Duration,
}

impl Hand {
    fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), clock: Duration::ZERO }
    }

    fn reply(&mut self) -> Input {
        let calls: Vec<_> = (0..self.rng.usize(0..4))
            .map(|n| {
                let tool = ["look", "act", "sign", "finish"][self.rng.usize(0..4)];
                ToolCall::new(["", "a", "b"][self.rng.usize(0..3)], tool, format!(r#"{{"n":{n}}}"#))
            })
            .collect();
        let reply = match self.rng.u8(0..8) {
            0 => Reply::text("Done."),
            1 => Reply::text(""),
            2 => Reply::calls(calls).finish(Finish::Length),
            _ if calls.is_empty() => Reply::text("Done."),
            _ => Reply::calls(calls),
        };
        Input::Reply(Box::new(reply.usage(Usage::new(100, 10))), Duration::from_millis(1))
    }

    /// What a driver would report for this step.
    fn inputs(&mut self, run: &Run, step: &Step) -> Vec<Input> {
        self.clock += Duration::from_millis(self.rng.u64(0..400));
        let mut inputs = vec![Input::Clock(self.clock)];
        match step {
            Step::CallModel { .. } => inputs.push(self.reply()),
            Step::CheckCalls => {
                inputs.push(Input::Checked(run.calls().iter().map(|call| self.checked(call)).collect()))
            }
            Step::AskApproval { pending } | Step::Suspended { pending } => {
                for call in pending {
                    let decided = match self.rng.u8(0..3) {
                        0 => Decided::Approved,
                        1 => Decided::Rejected("no.".to_owned()),
                        _ => Decided::Later,
                    };
                    inputs.push(Input::Decided { call_id: call.call_id.clone(), by: "boss".to_owned(), decided });
                }
            }
            Step::CallTools { start } => {
                for index in start {
                    let call = &run.calls()[*index];
                    let result = serde_json::json!({
                        "status": "success", "data": self.rng.u8(..),
                        "metadata": {"toolName": call.name, "toolCallId": call.id, "latencyMs": 1},
                    });
                    let result = serde_json::from_str(&result.to_string()).unwrap();
                    inputs.extend([Input::ToolStarted(*index), Input::ToolDone(*index, Box::new(result))]);
                }
            }
            Step::CheckAnswer => inputs.push(Input::AnswerChecked(match self.rng.bool() {
                true => Ok(()),
                false => Err("not yet.".to_owned()),
            })),
            _ => {}
        }
        inputs
    }

    fn checked(&mut self, call: &ToolCall) -> Checked {
        let digest = Digest::from_bytes([self.rng.u8(..); 32]);
        match call.name.as_str() {
            "look" => Checked::ready(0, digest),
            "act" => Checked::ready(1, digest),
            "sign" => Checked::ready(2, digest),
            _ => Checked::Finish { value: r#"{"ok":true}"#.to_owned() },
        }
    }
}

fn plan() -> Plan {
    let tools =
        vec![PlannedTool::read("look"), PlannedTool::mutating("act"), PlannedTool::mutating("sign").approval(true)];
    let mut plan = Plan::new(tools, Limits::default().timeout(Duration::from_secs(5)));
    plan.finish = Some("finish".to_owned());
    plan.checks_answer = true;
    plan.window = Some(Window::new(2_000));
    plan
}

/// Steps a run to its end; `save_at` is the step after which it is saved and read again.
fn stepped(seed: u64, save_at: Option<usize>) -> (Run, usize, Vec<Event>) {
    let (plan, mut hand, mut events) = (plan(), Hand::new(seed), Vec::new());
    let mut run = Run::new(RunStart::new("r", "Go."));
    let mut steps = 0;
    loop {
        let step = run.next(&plan);
        if step == Step::Done {
            return (run, steps, events);
        }
        for input in hand.inputs(&run, &step) {
            run.apply(&plan, input, &mut events);
        }
        if save_at == Some(steps) {
            run = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
        }
        steps += 1;
        assert!(steps < 200, "the run of seed {seed} does not end");
    }
}

#[test]
fn a_run_saved_and_read_again_at_any_step_equals_the_uninterrupted_one() {
    for seed in 0..300 {
        let (whole, steps, events) = stepped(seed, None);
        for save_at in 0..steps {
            let (saved, _, told) = stepped(seed, Some(save_at));
            assert_eq!(saved, whole, "seed {seed}, saved after step {save_at}");
            let told: Vec<_> = told.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
            let expected: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
            assert_eq!(told, expected, "the same events, seed {seed}, saved after step {save_at}");
        }
    }
}

#[test]
fn an_input_that_does_not_fit_the_step_changes_nothing() {
    let plan = plan();
    for seed in 0..200 {
        let mut hand = Hand::new(seed);
        let mut run = Run::new(RunStart::new("r", "Go."));
        run.apply(&plan, Input::Clock(Duration::ZERO), &mut ());
        for _ in 0..50 {
            let step = run.next(&plan);
            let before = run.clone();
            for (fits, input) in [
                (matches!(step, Step::CallModel { .. }), hand.reply()),
                (step == Step::CheckAnswer, Input::AnswerChecked(Ok(()))),
                (false, Input::Checked(vec![])),
                (false, Input::ToolStarted(99)),
            ] {
                if !fits {
                    run.apply(&plan, input, &mut ());
                }
            }
            assert_eq!(run, before, "seed {seed} at {step:?}");
            if step == Step::Done {
                break;
            }
            for input in hand.inputs(&run, &step) {
                run.apply(&plan, input, &mut ());
            }
        }
    }
}

#[test]
fn every_reason_to_stop_maps_to_an_end() {
    let finishes = [
        (Finish::Stop, None),
        (Finish::ToolCalls, None),
        (Finish::Length, Some(RunErrorKind::Truncated)),
        (Finish::ContentFilter, Some(RunErrorKind::ContentFiltered)),
        (Finish::Other("new".to_owned()), Some(RunErrorKind::Unfinished { reason: "new".to_owned() })),
    ];
    for (finish, expected) in finishes {
        let plan = Plan::new(vec![PlannedTool::read("look")], Limits::default());
        let mut run = Run::new(RunStart::new("r", "Go."));
        let reply = Reply::text("Said.").finish(finish.clone());
        run.apply(&plan, Input::Reply(Box::new(reply), Duration::ZERO), &mut ());
        match expected {
            None => assert_eq!(run.outcome(), Some(Ok("Said.")), "{finish:?} with text is an answer"),
            Some(kind) => assert_eq!(run.outcome(), Some(Err(&kind)), "{finish:?}"),
        }
    }
}

#[test]
fn opening_the_circuit_is_an_event_of_its_own() {
    let mut plan = Plan::new(vec![PlannedTool::read("look")], Limits::default());
    plan.on_limit.insert(LimitKind::CircuitOpen, OnLimit::Stop);
    let mut run = Run::new(RunStart::new("r", "Go."));
    let mut events = Vec::new();
    for _ in 0..3 {
        let reply = Reply::calls([ToolCall::new("", "look", "{}")]);
        run.apply(&plan, Input::Reply(Box::new(reply), Duration::ZERO), &mut events);
        let digest = Digest::from_bytes([1; 32]);
        run.apply(&plan, Input::Checked(vec![Checked::ready(0, digest)]), &mut events);
        run.apply(&plan, Input::ToolStarted(0), &mut events);
        let result = r#"{"status":"success","data":1,"metadata":{"toolName":"look","toolCallId":"x","latencyMs":0}}"#;
        run.apply(&plan, Input::ToolDone(0, serde_json::from_str(result).unwrap()), &mut events);
    }
    let opened = events
        .iter()
        .any(|event| matches!(event, Event::CircuitOpened { circuit: Circuit::RepeatedRead { turns: 3, .. } }));
    assert!(opened, "{events:?}");
    assert_eq!(run.next(&plan), Step::Done);
}

fn waiting() -> serde_json::Value {
    let plan = Plan::new(vec![PlannedTool::mutating("sign").approval(true)], Limits::default());
    let mut run = Run::new(RunStart::new("r", "Go."));
    let calls = ["a", "b"].map(|id| ToolCall::new(id, "sign", r#"{"how":"ok"}"#));
    run.apply(&plan, Input::Reply(Box::new(Reply::calls(calls)), Duration::ZERO), &mut ());
    let checked = [1, 2].map(|n| Checked::ready(0, Digest::from_bytes([n; 32])));
    run.apply(&plan, Input::Checked(checked.to_vec()), &mut ());
    serde_json::to_value(&run).unwrap()
}

fn signer() -> agent_core::Agent<crate::world::App> {
    let model = agent_core::testing::ScriptedModel::new([Reply::text("Done.")]);
    let builder = agent_core::Agent::builder(model).tools(agent_core::tools![crate::world::sign]);
    builder.state(crate::world::App::default()).build().unwrap()
}

/// The run as it would stand in a store, made by the agent itself.
async fn suspended() -> serde_json::Value {
    let model = agent_core::testing::ScriptedModel::new([Reply::calls(
        ["a", "b"].map(|id| ToolCall::new(id, "sign", r#"{"how":"ok"}"#)),
    )]);
    let builder = agent_core::Agent::builder(model).tools(agent_core::tools![crate::world::sign]);
    let agent = builder.state(crate::world::App::default()).build().unwrap();
    let error = agent.run("Go.").caller(crate::world::writer()).await.unwrap_err();
    match error.kind() {
        RunErrorKind::Suspended(run) => serde_json::to_value(run).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_saved_run_whose_calls_are_damaged_is_refused_by_name_and_never_spins() {
    type Damage = fn(&mut serde_json::Value);
    let damages: [(&str, Damage); 6] = [
        ("has passed no gate", |slots| slots[0]["state"] = "Unchecked".into()),
        ("has passed no gate", |slots| slots[1]["admitted"] = serde_json::Value::Null),
        ("of no tool", |slots| slots[1]["admitted"][0] = 99.into()),
        ("another number of states", |slots| *slots = serde_json::json!([])),
        ("has passed no gate", |slots| {
            slots[0]["admitted"] = serde_json::Value::Null;
            slots[0]["state"] = "Ready".into();
        }),
        ("nothing is left", |slots| {
            for slot in slots.as_array_mut().unwrap() {
                slot["state"] = serde_json::json!({"Finish": "{}"});
            }
        }),
    ];
    for (says, damage) in damages {
        let mut saved = suspended().await;
        damage(&mut saved["phase"]["Tools"]["slots"]);
        let run: Run = serde_json::from_value(saved).unwrap();
        let error = signer().resume(run).caller(crate::world::writer()).await.unwrap_err();
        let RunErrorKind::NotResumed { what, .. } = error.kind() else { panic!("{says}: {error:?}") };
        assert!(what.contains("damaged") && what.contains(says), "{says}: {what}");
    }
}

#[test]
fn a_damaged_run_that_is_stepped_by_hand_asks_for_nothing_that_cannot_be_done() {
    let plan = Plan::new(vec![PlannedTool::mutating("sign").approval(true)], Limits::default());
    let mut saved = waiting();
    for slot in saved["phase"]["Tools"]["slots"].as_array_mut().unwrap() {
        slot["state"] = "Unchecked".into();
    }
    let run: Run = serde_json::from_value(saved).unwrap();
    assert_eq!(run.next(&plan), Step::Done);
}

#[tokio::test]
async fn counters_at_their_end_stay_there() {
    let mut saved = suspended().await;
    for counter in ["batches", "tool_calls", "extra_calls"] {
        saved[counter] = u32::MAX.into();
    }
    saved["calls_by_tool"] = serde_json::json!([u32::MAX]);
    saved["record"]["cycles"] = u32::MAX.into();
    saved["breaker"]["invalid_turns"] = u32::MAX.into();
    let run: Run = serde_json::from_value(saved).unwrap();
    let pending = run.pending();
    let agent = signer();
    let resumed = agent.resume(run).caller(crate::world::writer()).decide(pending[0].approve("boss"));
    let error = resumed.decide(pending[1].reject("boss", "no.")).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "max_cycles");

    let plan = Plan::new(vec![PlannedTool::read("look").max_calls(Some(u32::MAX))], Limits::default());
    let mut saved = serde_json::to_value(Run::new(RunStart::new("r", "Go."))).unwrap();
    saved["batches"] = u32::MAX.into();
    saved["record"]["cycles"] = u32::MAX.into();
    let mut run: Run = serde_json::from_value(saved).unwrap();
    let reply = Reply::calls([ToolCall::new("a", "look", "{}")]);
    run.apply(&plan, Input::Reply(Box::new(reply), Duration::ZERO), &mut ());
    assert_eq!((run.next(&plan), run.cycle(), run.turns_with_calls()), (Step::Done, u32::MAX, u32::MAX));
}
