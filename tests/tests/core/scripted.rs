//! A scripted model says where a run leaves its script.

use agent_core::model::{ModelErrorKind, Reply};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunErrorKind, tools};

use crate::speaker::look_at;
use crate::world::{App, look};

async fn run(model: &ScriptedModel) -> Result<String, RunErrorKind> {
    let agent = Agent::builder(model.clone()).tools(tools![look]).state(App::default()).build().unwrap();
    agent.run("Go.").await.map(|answer| answer.text().to_owned()).map_err(|error| error.into_kind())
}

fn refused(end: Result<String, RunErrorKind>) -> String {
    match end {
        Err(RunErrorKind::ModelFailed(failure)) if failure.kind == ModelErrorKind::InvalidRequest => failure.message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_beyond_the_script_fails_the_run_and_the_script() {
    let model = ScriptedModel::new([look_at("ok", 1)]);
    let says = refused(run(&model).await);
    assert!(says.contains("request 2 is one more than the script has replies for"), "{says}");
    assert!(model.finish().unwrap_err().contains("request 2"));
}

#[tokio::test]
async fn a_request_that_its_step_does_not_expect_fails_the_run_and_the_script() {
    let model = ScriptedModel::new([look_at("ok", 1)]).expect(|messages| messages.len() == 99, Reply::text("Seen."));
    let says = refused(run(&model).await);
    assert!(says.contains("request 2 is not as its step expects"), "{says}");
    assert!(model.finish().unwrap_err().contains("request 2"));
}

#[tokio::test]
async fn steps_that_nobody_asked_for_fail_the_script() {
    let model = ScriptedModel::new([Reply::text("Done."), Reply::text("More."), Reply::text("Even more.")]);
    assert_eq!(run(&model).await, Ok("Done.".to_owned()));
    assert_eq!(model.finish().unwrap_err(), "2 scripted replies were not asked for");
}

#[tokio::test]
async fn a_script_that_was_followed_to_its_end_is_in_order() {
    let model = ScriptedModel::new([look_at("ok", 1)]).expect(|messages| messages.len() == 3, Reply::text("Seen."));
    assert_eq!(run(&model).await, Ok("Seen.".to_owned()));
    assert_eq!(model.finish(), Ok(()));
}
