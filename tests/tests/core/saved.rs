//! A run that is saved after any step and read again goes on as if nothing had happened; stepped by hand,
//! without a driver.

use std::collections::BTreeSet;
use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::model::{Finish, ModelError, ModelErrorKind, Reply, ToolCall, Usage};
use agent_core::run::{
    Checked, Circuit, Decided, Event, Input, LimitKind, OnLimit, Plan, PlannedTool, Run, RunErrorKind, RunStart, Step,
    Window,
};
use agent_core::{Limits, ToolResult};
use serde_json::{Value, json};

/// The same inputs for the same seed.
struct Hand {
    rng: fastrand::Rng,
    clock: Duration,
    /// Calls of the turn that are running, by their place.
    running: Vec<usize>,
}

impl Hand {
    fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), clock: Duration::ZERO, running: Vec::new() }
    }

    fn reply(&mut self) -> Input {
        let calls: Vec<_> = (0..self.rng.usize(0..5))
            .map(|_| {
                let tool = ["look", "look", "act", "sign", "finish"][self.rng.usize(0..5)];
                let arguments = format!(r#"{{"n":{}}}"#, self.rng.u8(0..3));
                ToolCall::new(["", "a", "b"][self.rng.usize(0..3)], tool, arguments)
            })
            .collect();
        let reply = match self.rng.u8(0..24) {
            0 => Reply::text(""),
            1 => Reply::calls(calls).finish(Finish::Length),
            2 => Reply::text("Half of wh").finish(Finish::Length),
            3 => Reply::text("..").finish(Finish::ContentFilter),
            4 => {
                let mut refusal = Reply::text("");
                refusal.refusal = Some("No.".to_owned());
                refusal
            }
            5 => {
                let failed = ModelError::new(
                    if self.rng.bool() { ModelErrorKind::ContextLength } else { ModelErrorKind::Server },
                    "it did not work",
                );
                return Input::ModelFailed((&failed).into());
            }
            6..9 => Reply::text("Done."),
            _ if calls.is_empty() => Reply::text("Done."),
            _ => Reply::calls(calls),
        };
        // Some servers count nothing.
        let reply = if self.rng.bool() { reply.usage(Usage::new(self.rng.u64(100..2_500), 10)) } else { reply };
        Input::Reply(Box::new(reply), Duration::from_millis(1))
    }

    /// What a driver would report for this step.
    fn inputs(&mut self, run: &Run, step: &Step) -> Vec<Input> {
        self.clock += match self.rng.u8(0..150) {
            0 => Duration::from_secs(5),
            _ => Duration::from_millis(self.rng.u64(0..200)),
        };
        let mut inputs = vec![Input::Clock(self.clock)];
        match self.rng.u8(0..200) {
            0 => inputs.push(Input::Cancel("enough".to_owned())),
            1 => inputs.push(Input::NotSaved("the disk is full".to_owned())),
            _ => {}
        }
        match step {
            Step::CallModel { .. } => inputs.push(self.reply()),
            Step::CheckCalls => {
                self.running.clear();
                inputs.push(Input::Checked(run.calls().iter().map(|call| self.checked(call)).collect()));
            }
            Step::AskApproval { pending } | Step::Suspended { pending } => {
                for call in pending {
                    let decided = match self.rng.u8(0..5) {
                        0 => Decided::Approved,
                        1 => Decided::Rejected("no.".to_owned()),
                        2 => Decided::Edited(r#"{"n":7}"#.to_owned(), Checked::ready(2, Digest::from_bytes([7; 32]))),
                        3 => Decided::Edited(r#"{"n":"x"}"#.to_owned(), refused(&run.calls()[0], "invalid")),
                        _ => Decided::Later,
                    };
                    inputs.push(Input::Decided { call_id: call.call_id.clone(), by: "boss".to_owned(), decided });
                }
            }
            Step::CallTools { start } => {
                inputs.extend(start.iter().map(|index| Input::ToolStarted(*index)));
                self.running.extend(start);
                self.rng.shuffle(&mut self.running);
                // What is left runs on beside the calls of the next step.
                for index in self.running.split_off(self.rng.usize(0..self.running.len())) {
                    let result = self.result(&run.calls()[index]);
                    inputs.push(Input::ToolDone(index, Box::new(result)));
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
        let same_for_same_arguments = Digest::from_bytes([call.arguments.as_bytes()[5]; 32]);
        match (self.rng.u8(0..40), call.name.as_str()) {
            (0, "act" | "sign") => refused(call, "denied"),
            (1..5, _) => refused(call, "invalid"),
            (_, "look") => Checked::ready(0, same_for_same_arguments),
            (_, "act") => Checked::ready(1, same_for_same_arguments),
            (_, "sign") => Checked::ready(2, same_for_same_arguments),
            _ => Checked::Finish { value: r#"{"ok":true}"#.to_owned() },
        }
    }

    fn result(&mut self, call: &ToolCall) -> ToolResult {
        match self.rng.u8(0..20) {
            0 | 1 => ended(call, "business_error", "CLOSED"),
            2 => ended(call, "fatal_error", "INTERNAL_EXECUTION_FAILURE"),
            3 if call.name != "look" => ended(call, "fatal_error", "OUTCOME_UNKNOWN"),
            4 if call.name != "look" => ended(call, "fatal_error", "KEY_CONFLICT"),
            _ => read(
                json!({"status": "success", "data": "x".repeat(self.rng.usize(0..3_000)), "metadata": about(call)}),
            ),
        }
    }
}

fn about(call: &ToolCall) -> Value {
    json!({"toolName": call.name, "toolCallId": call.id, "latencyMs": 1})
}

fn read(result: Value) -> ToolResult {
    serde_json::from_str(&result.to_string()).unwrap()
}

fn ended(call: &ToolCall, status: &str, code: &str) -> ToolResult {
    read(json!({"status": status, "error": {"code": code, "message": "Why."}, "metadata": about(call)}))
}

fn refused(call: &ToolCall, why: &str) -> Checked {
    let result = match why {
        "denied" => ended(call, "permission_denied", "UNAUTHORIZED"),
        _ => ended(call, "validation_error", "SCHEMA_VALIDATION_FAILED"),
    };
    Checked::Refused(Box::new(result))
}

fn plan() -> Plan {
    let tools =
        vec![PlannedTool::read("look"), PlannedTool::mutating("act"), PlannedTool::mutating("sign").approval(true)];
    let limits = Limits::default().timeout(Duration::from_secs(5)).max_tool_calls(8).max_tool_calls_per_turn(3);
    let mut plan = Plan::new(tools, limits);
    plan.finish = Some("finish".to_owned());
    plan.checks_answer = true;
    plan.window = Some(Window::new(2_000));
    plan
}

/// What became of a run that was stepped by hand.
struct Stepped {
    run: Run,
    inputs: usize,
    events: Vec<Event>,
    /// Whether a call was running or nobody had decided yet when it was saved.
    saved_in: Option<&'static str>,
}

/// Steps a run to its end; `save_at` is the input after which it is saved and read again.
fn stepped(seed: u64, save_at: Option<usize>) -> Stepped {
    let (plan, mut hand, mut events) = (plan(), Hand::new(seed), Vec::new());
    let mut run = Run::new(RunStart::new("r", "Go."));
    let (mut inputs, mut saved_in) = (0, None);
    loop {
        let step = run.next(&plan);
        if step == Step::Done {
            return Stepped { run, inputs, events, saved_in };
        }
        for input in hand.inputs(&run, &step) {
            run.apply(&plan, input, &mut events);
            if save_at == Some(inputs) {
                let saved = serde_json::to_string(&run).unwrap();
                saved_in =
                    ["\"Running\"", "\"Undecided\"", "\"edited\""].into_iter().find(|state| saved.contains(state));
                run = serde_json::from_str(&saved).unwrap();
            }
            inputs += 1;
        }
        assert!(inputs < 2_000, "the run of seed {seed} does not end");
    }
}

fn told(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| serde_json::to_string(event).unwrap()).collect()
}

#[test]
fn a_run_saved_and_read_again_at_any_step_equals_the_uninterrupted_one() {
    let mut saved_in = BTreeSet::new();
    for seed in 0..300 {
        let whole = stepped(seed, None);
        let expected = told(&whole.events);
        for save_at in 0..whole.inputs {
            let saved = stepped(seed, Some(save_at));
            assert_eq!(saved.run, whole.run, "seed {seed}, saved after input {save_at}");
            assert_eq!(told(&saved.events), expected, "the same events, seed {seed}, saved after input {save_at}");
            saved_in.extend(saved.saved_in);
        }
    }
    assert_eq!(saved_in.len(), 3, "also while calls run, wait and were edited: {saved_in:?}");
}

#[test]
fn the_runs_that_are_saved_meet_every_end_and_every_event_of_a_run_that_is_stepped() {
    let (mut ends, mut events, mut codes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..300 {
        let whole = stepped(seed, None);
        ends.insert(match whole.run.outcome() {
            Some(Ok(_)) => "answer",
            Some(Err(kind)) => kind.as_str(),
            None => "none",
        });
        for event in &whole.events {
            let event = serde_json::to_value(event).unwrap();
            events.insert(match event["summarised"].as_bool() {
                Some(true) => "summarised".to_owned(),
                _ => event["event"].as_str().unwrap().to_owned(),
            });
            codes.extend(event["result"]["error"]["code"].as_str().map(str::to_owned));
        }
    }
    let missing = |found: &BTreeSet<String>, wanted: &[&str]| {
        wanted.iter().filter(|wanted| !found.contains(**wanted)).map(|wanted| (*wanted).to_owned()).collect::<Vec<_>>()
    };
    let ends = ends.into_iter().map(str::to_owned).collect();
    let none: [&str; 0] = [];
    assert_eq!(missing(&ends, &ENDS), none);
    assert_eq!(missing(&events, &EVENTS), none);
    assert_eq!(missing(&codes, &CODES), none);
}

const ENDS: [&str; 15] = [
    "answer",
    "max_cycles",
    "timeout",
    "max_tool_calls",
    "circuit_open",
    "permission_denied",
    "empty_reply",
    "truncated",
    "refused",
    "content_filtered",
    "cancelled",
    "outcome_unknown",
    "key_conflict",
    "not_saved",
    "model_failed",
];

const EVENTS: [&str; 13] = [
    "run_started",
    "cycle_started",
    "model_replied",
    "model_failed",
    "call_started",
    "call_finished",
    "decided",
    "compacted",
    "summarised",
    "answer_sent_back",
    "circuit_opened",
    "concluding",
    "run_finished",
];

const CODES: [&str; 10] = [
    "UNAUTHORIZED",
    "SCHEMA_VALIDATION_FAILED",
    "APPROVAL_REJECTED",
    "CLOSED",
    "INTERNAL_EXECUTION_FAILURE",
    "OUTCOME_UNKNOWN",
    "LIMIT_REACHED",
    "NOT_RUN",
    "CANCELLED",
    "ANSWER_REJECTED",
];

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
async fn a_saved_run_whose_calls_are_damaged_is_not_read_and_the_damage_is_named() {
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
        let what = serde_json::from_value::<Run>(saved).unwrap_err().to_string();
        assert!(what.contains("damaged") && what.contains(says), "{says}: {what}");
    }
    let whole: Run = serde_json::from_value(suspended().await).unwrap();
    assert_eq!(whole.pending().len(), 2);
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
