//! The tickets program as a person uses it: each switch, its exit code, its tickets and what it says.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod program;

use std::process::Command;

use program::{Ran, ran, serve_once};

fn program(switches: &[&str]) -> Command {
    program::command(env!("CARGO_BIN_EXE_tickets"), switches)
}

fn run(switches: &[&str]) -> Ran {
    ran(program(switches))
}

const TICKET: &str = r#"{"ticket_id":"tck_000001","title":"Label printer in the warehouse is down","priority":"high"}"#;

#[test]
fn a_wrong_priority_is_corrected_after_the_validation_error_and_the_answer_is_typed() {
    let ran = run(&[]);
    ran.answers("Ticket tck_000001 is open, with priority high");
    ran.says(&[
        "Cycle 1",
        r#"create_ticket {"title":"Label printer in the warehouse is down","priority":"urgent"}"#,
        "validation_error SCHEMA_VALIDATION_FAILED",
        r#"/priority: expected one of `low`, `medium`, `high`, got "urgent""#,
        "Cycle 2",
        r#""priority":"high"}"#,
        "success",
        TICKET,
        "Cycle 3",
        r#"finalizar {"respuesta_final":"#,
        "success",
        "Answer",
        "Tickets: 1 ticket\n",
        "tck_000001",
        "high",
        "Total: 3 cycles, 3 calls",
    ]);
}

#[test]
fn a_model_that_makes_the_same_mistake_again_is_stopped_at_the_second_turn() {
    let ran = run(&["--stubborn"]);
    assert_eq!(ran.code, Some(15));
    ran.says(&["Cycle 1", "urgent", "Cycle 2", "urgent", "stopped:", "Tickets: none was opened", "Total: 2 cycles"]);
    assert!(!ran.err.contains("Cycle 3"), "{}", ran.err);
    assert!(ran.err.contains("the same mistake with `create_ticket`"), "{}", ran.err);
    assert!(ran.err.contains("leave out `--stubborn`"), "{}", ran.err);
}

#[test]
fn text_is_shown_as_the_model_reads_it() {
    let ran = run(&["--observation", "text"]);
    ran.answers("Ticket tck_000001 is open");
    ran.says(&["VALIDATION_ERROR: [{", "/priority", &format!("RESULT: {TICKET}"), "Tickets: 1 ticket\n"]);
    let stubborn = run(&["--observation", "text", "--stubborn"]);
    assert_eq!(stubborn.code, Some(15));
    stubborn.says(&["VALIDATION_ERROR: [", "VALIDATION_ERROR: [", "Tickets: none was opened"]);
}

#[test]
fn the_model_gets_through_in_every_form() {
    for form in ["envelope", "full", "compact"] {
        let ran = run(&["--observation", form]);
        ran.answers("Ticket tck_000001 is open");
        ran.says(&[r#"{"status":"validation_error","#, r#"{"status":"success","#, "Tickets: 1 ticket\n"]);
    }
}

#[test]
fn with_json_stdout_is_one_event_a_line_and_nothing_else() {
    let ran = run(&["--json", "--run-id", "case-12"]);
    assert_eq!(ran.code, Some(0));
    let events = ran.events();
    assert_eq!(events[0]["run_id"], "case-12");
    let last = &events[events.len() - 1];
    assert_eq!((&last["event"], last["elapsed_ms"].is_u64()), (&"run_finished".into(), true), "{last}");
    assert!(ran.err.contains("Tickets: 1 ticket\n"), "{}", ran.err);
}

#[test]
fn live_asks_the_configured_server() {
    let url = serve_once(
        r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"finalizar","arguments":"{\"respuesta_final\":\"Nothing to do.\"}"}}]},"finish_reason":"tool_calls"}]}"#,
    );
    let mut command = program(&["--live"]);
    command.env("OPENAI_BASE_URL", url).env("OPENAI_MODEL", "tiny");
    let ran = ran(command);
    ran.answers("Nothing to do.");
    ran.says(&["tiny, the configured server", "Tickets: none was opened"]);
}

#[test]
fn a_wrong_switch_is_named() {
    for (switches, named) in [
        (&["--observation", "xml"][..], "--observation"),
        (&["--live", "--stubborn"], "--stubborn"),
        (&["--provider", ""], "--provider"),
        (&["--run-id", ""], "--run-id"),
    ] {
        let ran = run(switches);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{switches:?}");
        assert!(ran.err.contains(named), "{}", ran.err);
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_cancels_the_run() {
    let ran = program::interrupted(program(&["--live"]));
    assert_eq!(ran.code, Some(21), "{}", ran.err);
    ran.says(&["No answer: the run was cancelled: Ctrl-C was pressed", "Tickets: none was opened"]);
}

#[test]
fn a_report_shows_why_the_run_was_stopped() {
    let file = std::env::temp_dir().join(format!("agent-tickets-{}.html", std::process::id()));
    let ran = run(&["--stubborn", "--report", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(15));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("No answer: circuit open") && page.contains("create_ticket"));
    std::fs::remove_file(&file).unwrap();
}
