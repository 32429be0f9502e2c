//! The invoice program as a person uses it: each switch, its exit code, its ledger and what it says.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod program;

use std::net::TcpListener;
use std::process::{Command, Stdio};

use program::{Ran, ran, serve_once};

fn program(switches: &[&str]) -> Command {
    program::command(env!("CARGO_BIN_EXE_invoice"), switches)
}

fn run(switches: &[&str]) -> Ran {
    ran(program(switches))
}

impl Ran {
    fn has_booked_once(&self) {
        self.says(&["Ledger: 1 invoice", "inv_000001", "1800.00 GBP, of which tax 300.00", "usr_9918 of tenant_uk_01"]);
        assert_eq!(self.err.matches("of which tax").count(), 1, "{}", self.err);
    }

    fn has_booked_nothing(&self) {
        self.says(&["Ledger: empty, nothing was booked"]);
    }
}

#[test]
fn the_uk_invoice_is_booked_with_the_amounts_of_the_tool() {
    let ran = run(&[]);
    ran.answers("recorded as inv_000001");
    ran.says(&[
        "usr_9918 of tenant_uk_01",
        "Cycle 1",
        r#"calculateTax {"subtotal":1500,"countryCode":"UK"}"#,
        "success",
        r#""taxAmount":300.00,"grossTotal":1800.00"#,
        r#"calculateTax {"subtotal":500,"countryCode":"DE"}"#,
        "business_error UNSUPPORTED_JURISDICTION",
        "UK, BD",
        "Cycle 2",
        r#"recordInvoice {"clientName":"Northwind Trading Ltd","amount":1800.00,"taxAmount":300.00,"currency":"GBP"}"#,
        r#"{"invoiceId":"inv_000001","status":"recorded"}"#,
        "Cycle 3",
        "tokens",
        "Answer",
        "Ledger",
        "Total: 3 cycles, 3 calls",
    ]);
    ran.has_booked_once();
    // Each call and each reply with its time.
    let timed = |line: &&str| {
        line.contains(" ms") && (line.contains("success") || line.contains("tokens") || line.contains("business_error"))
    };
    assert!(ran.err.lines().filter(timed).count() >= 6, "{}", ran.err);
}

#[test]
fn a_viewer_books_nothing_and_is_told_why() {
    let ran = run(&["--as", "viewer"]);
    assert_eq!(ran.code, Some(16));
    assert_eq!(ran.out, "", "there is no answer");
    ran.says(&["recordInvoice", "permission_denied UNAUTHORIZED", "No answer", "Nothing was booked: you may not"]);
    ran.has_booked_nothing();
    assert!(ran.err.contains("the caller may not use the tool `recordInvoice`"), "{}", ran.err);
    assert!(ran.err.contains("what to do: ask somebody with the role `billing:write`"), "{}", ran.err);
}

#[test]
fn the_same_invoice_under_two_call_ids_is_booked_once_and_its_id_given_back() {
    let ran = run(&["--repeat"]);
    assert_eq!(ran.code, Some(0));
    ran.says(&["[call_record]", "success", "inv_000001", "[call_record_again]", "replayed", "inv_000001"]);
    ran.has_booked_once();
}

#[test]
fn a_changed_amount_is_not_booked() {
    let ran = run(&["--tamper"]);
    assert_eq!(ran.code, Some(0));
    ran.answers("Nothing was booked");
    ran.says(&[r#""amount":1900"#, "business_error UNVERIFIED_AMOUNT", "Answer"]);
    ran.has_booked_nothing();
}

#[test]
fn a_run_has_the_id_that_the_host_gives() {
    let ran = run(&["--run-id", "order-4711"]);
    assert_eq!(ran.code, Some(0));
    ran.says(&["Run     order-4711"]);
    ran.has_booked_once();
}

#[test]
fn with_json_stdout_is_one_event_a_line_and_nothing_else() {
    let ran = run(&["--json", "--repeat", "--run-id", "order-4711"]);
    assert_eq!(ran.code, Some(0));
    let events = ran.events();
    assert_eq!((&events[0]["event"], &events[0]["run_id"]), (&"run_started".into(), &"order-4711".into()));
    let last = &events[events.len() - 1];
    assert_eq!((&last["event"], last["elapsed_ms"].is_u64()), (&"run_finished".into(), true), "{last}");
    let replayed: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "call_finished")
        .map(|event| &event["step"]["replayed"])
        .collect();
    assert_eq!(replayed, [false, false, false, true]);
    assert!(ran.err.contains("Ledger: 1 invoice"), "{}", ran.err);
}

#[test]
fn a_denied_run_in_json_ends_with_its_reason() {
    let ran = run(&["--json", "--as", "viewer"]);
    assert_eq!(ran.code, Some(16));
    let events = ran.events();
    assert_eq!(events[events.len() - 1]["error"]["permission_denied"]["tool"], "recordInvoice");
    assert!(ran.err.contains("Ledger: empty"), "{}", ran.err);
}

#[test]
fn a_wrong_switch_is_named() {
    for (switches, named) in [
        (&["--as", "nobody"][..], "--as"),
        (&["--run-id", ""], "--run-id"),
        (&["--repeat", "--tamper"], "--tamper"),
        (&["--live", "--tamper"], "--live"),
        (&["--provider", "cohere"], "--provider"),
        (&["--verbose"], "--verbose"),
    ] {
        let ran = run(switches);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{switches:?}");
        assert!(ran.err.contains(named), "{}", ran.err);
    }
}

#[test]
fn without_a_key_live_says_which_variable_to_set() {
    let ran = run(&["--live"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("OPENAI_API_KEY"), "{}", ran.err);
}

#[test]
fn live_asks_the_configured_server() {
    let url =
        serve_once(r#"{"choices":[{"message":{"role":"assistant","content":"Good day."},"finish_reason":"stop"}]}"#);
    let mut command = program(&["--live"]);
    command.env("OPENAI_BASE_URL", url).env("OPENAI_MODEL", "tiny");
    let ran = ran(command);
    ran.answers("Good day.");
    ran.says(&["tiny, the configured server", "tokens (estimated)", "Answer"]);
    ran.has_booked_nothing();
}

#[test]
fn a_server_on_this_machine_is_not_asked_through_the_proxy_of_the_environment() {
    // Taken and given back, so that nothing listens there.
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = serve_once(r#"{"choices":[{"message":{"content":"Good day."},"finish_reason":"stop"}]}"#);
    let mut command = program(&["--live"]);
    command.env("OPENAI_BASE_URL", url).env("OPENAI_MODEL", "tiny");
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(variable, format!("http://{nowhere}"));
    }
    for variable in ["NO_PROXY", "no_proxy"] {
        command.env_remove(variable);
    }
    let ran = ran(command);
    ran.answers("Good day.");
}

#[test]
fn a_server_that_cannot_be_reached_is_named() {
    // Taken and given back, so that nothing listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = program(&["--live"]);
    command.env("OPENAI_BASE_URL", format!("http://{address}/v1"));
    let ran = ran(command);
    assert_eq!(ran.code, Some(24));
    assert!(ran.err.contains(&address.to_string()), "{}", ran.err);
    assert!(ran.err.contains("what to do: check that OPENAI_BASE_URL"), "{}", ran.err);
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_is_an_error_and_no_panic() {
    for (switches, code) in [(&[][..], 1), (&["--json"], 1), (&["--json", "--as", "viewer"], 16)] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = program(switches);
        // Not `output()`, which takes stdout for itself.
        let child = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{switches:?}: {error}");
        assert!(error.contains("error: stdout could not be written"), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_cancels_the_run() {
    let ran = program::interrupted(program(&["--live"]));
    assert_eq!(ran.code, Some(21), "{}", ran.err);
    ran.says(&["No answer: the run was cancelled: Ctrl-C was pressed"]);
    ran.has_booked_nothing();
    assert!(ran.err.contains("what to do: look at the ledger before you try again"), "{}", ran.err);
}

#[test]
fn a_report_of_the_run_is_written_to_the_named_file() {
    let folder = std::env::temp_dir().join(format!("agent-invoice-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("run.html");
    let ran = run(&["--report", file.to_str().unwrap(), "--run-id", "order-4711"]);
    ran.answers("recorded as inv_000001");
    let page = std::fs::read_to_string(&file).unwrap();
    for text in ["Run <code>order-4711</code>", "Answered", "calculateTax", "UNSUPPORTED_JURISDICTION", "inv_000001"] {
        assert!(page.contains(text), "`{text}` is missing");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_report_that_cannot_be_written_is_named() {
    let ran = run(&["--report", "/nowhere/run.html"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("the report /nowhere/run.html could not be written"), "{}", ran.err);
    ran.has_booked_once();
}
