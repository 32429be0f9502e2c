//! The metrics of a run, as an exporter gets them.

#![cfg(feature = "otel")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod meters;
mod scripted;

use agent_core::model::{ModelError, ModelErrorKind, Reply, ToolCall};
use agent_core::run_store::MemoryRunStore;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Limits};
use agent_telemetry::Conventions;

use self::meters::Meters;

const BOTH: [&str; 13] = [
    "agent.circuits{agent.circuit=repeated_error} 1",
    "agent.runs{agent.run.end_reason=circuit_open} 1",
    "agent.tool.denials{error.type=UNAUTHORIZED,gen_ai.tool.name=delete_orders} 1",
    "agent.tool.replays{gen_ai.tool.name=order} 1",
    "agent.tool.retries{agent.retry.by=framework,gen_ai.tool.name=stock} 1",
    "agent.tool.retries{agent.retry.by=model,gen_ai.tool.name=order} 1",
    "gen_ai.client.operation.duration{} 7 0.000",
    "gen_ai.execute_tool.duration{error.type=NO_SUCH_ARTICLE,gen_ai.tool.name=stock} 1 0.120",
    "gen_ai.execute_tool.duration{gen_ai.tool.name=order} 1 0.250",
    "gen_ai.execute_tool.duration{gen_ai.tool.name=stock} 2 0.460",
    "gen_ai.invoke_agent.duration{error.type=circuit_open} 1 0.590",
    "gen_ai.invoke_agent.inference_calls{} 1 7",
    "gen_ai.invoke_agent.tool_calls{} 1 4",
];

fn expected(own: &[&str]) -> Vec<String> {
    let mut all: Vec<_> = BOTH.iter().chain(own).map(|line| (*line).to_owned()).collect();
    all.sort();
    all
}

#[tokio::test(start_paused = true)]
async fn a_run_has_exactly_the_metrics_that_are_documented() {
    let meters = Meters::new();
    scripted::run(meters.metrics(Conventions::V1_41)).await;
    let usage = [
        "gen_ai.client.token.usage{gen_ai.token.type=input} 7 7748",
        "gen_ai.client.token.usage{gen_ai.token.type=output} 7 254",
    ];
    assert_eq!(meters.told(), expected(&usage));
}

#[tokio::test(start_paused = true)]
async fn the_newer_names_replace_those_of_tokens() {
    let meters = Meters::new();
    scripted::run(meters.metrics(Conventions::Latest)).await;
    let usage = [
        "gen_ai.client.inference.duration{} 7 0.000",
        "gen_ai.client.inference.operation.input_tokens{} 7 7748",
        "gen_ai.client.inference.operation.output_tokens{} 7 254",
        "gen_ai.client.inference.usage.cache_read.input_tokens{gen_ai.token.modality=text} 4800",
        "gen_ai.client.inference.usage.input_tokens{gen_ai.token.modality=text} 7748",
        "gen_ai.client.inference.usage.output_tokens{gen_ai.token.modality=text} 254",
        "gen_ai.client.inference.usage.reasoning.output_tokens{gen_ai.token.modality=text} 0",
    ];
    assert_eq!(meters.told(), expected(&usage));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_is_measured_with_its_kind_and_a_made_up_tool_has_no_name() {
    let meters = Meters::new();
    let model = ScriptedModel::with_errors([
        Ok(scripted::calls(&[("c1", "made_up_4711", "{}")])),
        Err(ModelError::new(ModelErrorKind::RateLimit, "slow down")),
    ]);
    let agent = Agent::builder(model).observer(meters.metrics(Conventions::V1_41)).build().unwrap();
    agent.run("Hello.").await.unwrap_err();
    let told = meters.told();
    let failed =
        format!("gen_ai.client.operation.duration{{error.type={}}} 1 0.000", ModelErrorKind::RateLimit.as_str());
    for line in
        [&*failed, "agent.runs{agent.run.end_reason=model_failed} 1", "gen_ai.invoke_agent.inference_calls{} 1 2"]
    {
        assert!(told.iter().any(|told| told == line), "{line} is missing in {told:#?}");
    }
    assert!(!format!("{told:?}").contains("4711"));
}

#[tokio::test(start_paused = true)]
async fn a_stored_end_is_no_run() {
    let meters = Meters::new();
    let agent = Agent::builder(ScriptedModel::new([Reply::text("Seven.")]))
        .run_store(MemoryRunStore::new())
        .observer(meters.metrics(Conventions::V1_41))
        .build()
        .unwrap();
    for _ in 0..3 {
        assert_eq!(agent.run("How many?").id("r").await.unwrap().text(), "Seven.");
    }
    let told = meters.told();
    for line in ["agent.runs{agent.run.end_reason=answered} 1", "gen_ai.invoke_agent.inference_calls{} 1 1"] {
        assert!(told.iter().any(|told| told == line), "{line} is missing in {told:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_held_back_gives_its_tool_no_name() {
    let meters = Meters::new();
    let made_up =
        |n: u32| (0..20).map(move |call| ToolCall::new(format!("c{n}-{call}"), format!("made_up_{call}"), "{}"));
    let model = ScriptedModel::new([Reply::calls(made_up(1)), Reply::calls(made_up(2)), Reply::text("Done.")]);
    let agent = Agent::builder(model)
        .limits(Limits::default().max_tool_calls_per_turn(2).repeat_errors(9))
        .observer(meters.metrics(Conventions::V1_41))
        .build()
        .unwrap();
    agent.run("Hello.").await.unwrap();
    let told = format!("{:?}", meters.told());
    assert!(!told.contains("made_up") && told.contains("_OTHER"), "{told}");
}
