//! The circuit at the host's own values, and what it leaves alone, through whole runs.

use agent_core::model::{Reply, ToolCall};
use agent_core::run::Circuit;
use agent_core::{Agent, Limits, RunErrorKind, tool, tools};

use crate::speaker::{Speaker, call, codes, look_at, looks};
use crate::world::{App, look};

async fn opens(replies: impl IntoIterator<Item = Reply>, limits: Limits) -> (Circuit, u32, String) {
    let agent = Agent::builder(Speaker::replies(replies)).tools(tools![look]).state(App::default()).build().unwrap();
    let error = agent.run("Go.").limits(limits).await.unwrap_err();
    let RunErrorKind::CircuitOpen(circuit) = error.kind() else { panic!("{error:?}") };
    (circuit.clone(), error.record().cycles, error.to_string())
}

#[tokio::test]
async fn the_circuit_opens_at_the_hosts_own_values_and_says_which_and_how_to_change_them() {
    let tool = || "look".to_owned();
    for limit in [1, 4] {
        let limits = || Limits::default().max_cycles(20).repeat_errors(9).repeat_reads(9).invalid_turns(9);
        let (circuit, turns, says) = opens((0..9).map(|n| look_at("fatal", n)), limits().repeat_errors(limit)).await;
        let code = "INTERNAL_EXECUTION_FAILURE".to_owned();
        assert_eq!((circuit, turns), (Circuit::RepeatedError { tool: tool(), code, turns: limit }, limit));
        assert!(says.contains("`Limits::repeat_errors`"), "{says}");

        let (circuit, turns, says) = opens((0..9).map(|_| look_at("ok", 1)), limits().repeat_reads(limit)).await;
        assert_eq!((circuit, turns), (Circuit::RepeatedRead { tool: tool(), turns: limit }, limit));
        assert!(says.contains("`Limits::repeat_reads`"), "{says}");

        let wrong = |n| call("", "look", &format!(r#"{{"how":{n}}}"#));
        let (circuit, turns, says) = opens((0..9).map(wrong), limits().invalid_turns(limit)).await;
        assert_eq!((circuit, turns), (Circuit::InvalidTurns { turns: limit }, limit));
        assert!(says.contains("`Limits::invalid_turns`"), "{says}");
    }
}

#[tokio::test]
async fn a_mistake_that_a_turn_makes_again_beside_a_success_is_made_in_two_turns() {
    let both = || Reply::calls([looks("ok", 1), looks("business", 1)]);
    let (circuit, turns, _) = opens([both(), both(), Reply::text("Hm.")], Limits::default()).await;
    let code = "NOT_FOUND".to_owned();
    assert_eq!((circuit, turns), (Circuit::RepeatedError { tool: "look".to_owned(), code, turns: 2 }, 2));
}

/// Looks once.
#[tool(max_calls = 1)]
async fn peek(
    /// Which.
    n: u32,
) -> u32 {
    n
}

#[tokio::test]
async fn calls_over_a_limit_in_every_turn_end_with_the_turns_and_open_no_circuit() {
    let peeks = |_| Reply::calls([ToolCall::new("", "peek", r#"{"n":1}"#)]);
    let agent = Agent::builder(Speaker::replies((0..9).map(peeks))).tools(tools![peek]).build().unwrap();
    let error = agent.run("Go.").await.unwrap_err();
    assert_eq!(error.kind(), &RunErrorKind::MaxCycles { limit: 5 });
    assert_eq!(codes(error.record()), ["success", "LIMIT_REACHED", "LIMIT_REACHED", "LIMIT_REACHED", "NOT_RUN"]);
}
