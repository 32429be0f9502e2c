//! The invoice program with a store: ended runs answer again, killed ones are taken up, and each invoice is booked once.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod program;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use agent_store::rusqlite::Connection;
use program::{Ran, ran, serve_and_hold};
use serde_json::json;
use tempfile::TempDir;

/// A file for a store.
struct Place {
    _folder: TempDir,
    file: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("invoices.db");
        Self { _folder: folder, file }
    }

    fn program(&self, switches: &[&str]) -> Command {
        let mut command = program::command(env!("CARGO_BIN_EXE_invoice"), switches);
        command.arg("--store").arg(&self.file).args(["--run-id", "demo"]);
        command
    }

    fn run(&self, switches: &[&str]) -> Ran {
        ran(self.program(switches))
    }

    /// The program as it asks a server of the test's.
    fn live(&self, url: &str) -> Command {
        let mut command = self.program(&["--live"]);
        command.env("OPENAI_BASE_URL", url).env("OPENAI_MODEL", "tiny");
        command
    }

    /// Ends the leases of whoever was killed, as half a minute would.
    fn let_time_pass(&self) {
        let own = Connection::open(&self.file).unwrap();
        own.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        own.execute_batch("UPDATE agent_run SET lease_until = 0; UPDATE agent_claim SET lease_until = 0").unwrap();
    }

    fn booked(&self) -> i64 {
        let own = Connection::open(&self.file).unwrap();
        own.query_row("SELECT count(*) FROM invoice", [], |row| row.get(0)).unwrap()
    }
}

/// A reply that asks for calls.
fn calls(calls: &[(&str, &str)]) -> String {
    let calls = calls.iter().enumerate().map(|(n, (name, arguments))| {
        json!({ "id": format!("call_{n}"), "type": "function", "function": { "name": name, "arguments": arguments } })
    });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() });
    json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }).to_string()
}

fn tax() -> String {
    calls(&[("calculateTax", r#"{"subtotal":1500,"countryCode":"UK"}"#)])
}

fn record() -> String {
    let arguments = r#"{"clientName":"Northwind Trading Ltd","amount":1800.00,"taxAmount":300.00,"currency":"GBP"}"#;
    calls(&[("recordInvoice", arguments)])
}

fn says(text: &str) -> String {
    let message = json!({ "role": "assistant", "content": text });
    json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }).to_string()
}

/// Starts the program against a server that gives these replies, and kills it while it waits for the next.
fn kill_after(place: &Place, replies: Vec<String>) {
    let (url, held) = serve_and_hold(replies);
    let mut child: Child = place.live(&url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _waits = held.recv().unwrap();
    // SIGKILL: nothing of the program runs after it.
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
}

#[test]
fn the_second_time_the_stored_answer_is_given_without_a_model_call() {
    let place = Place::new();
    let first = place.run(&[]);
    first.answers("recorded as inv_000001");
    first.says(&["Cycle 1", "Ledger: 1 invoice"]);

    let second = place.run(&[]);
    second.answers("recorded as inv_000001");
    second.says(&["The run has ended before", "Answer", "Ledger: 1 invoice", "Then: 3 cycles"]);
    assert!(!second.err.contains("Cycle"), "{}", second.err);

    // Taken and given back, so that nothing listens there: a call of a model would fail.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let third = ran(place.live(&format!("http://{address}/v1")));
    third.answers("recorded as inv_000001");
    third.says(&["Ledger: 1 invoice"]);
}

#[test]
fn a_stored_answer_in_json_is_one_event() {
    let place = Place::new();
    place.run(&["--json"]);
    let events = place.run(&["--json"]).events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["event"], "run_finished");
}

#[test]
fn a_run_that_is_killed_after_its_booking_is_taken_up_and_books_nothing_more() {
    let place = Place::new();
    kill_after(&place, vec![tax(), record()]);
    assert_eq!(place.booked(), 1);
    place.let_time_pass();
    let (url, _held) = serve_and_hold(vec![says("All is booked.")]);
    let again = ran(place.live(&url));
    again.answers("All is booked.");
    again.says(&["Ledger: 1 invoice", "inv_000001", "Total: 3 cycles, 2 calls"]);
    assert_eq!(place.booked(), 1);
}

#[test]
fn a_run_that_is_killed_before_its_booking_is_taken_up_with_what_was_computed_and_books_once() {
    let place = Place::new();
    kill_after(&place, vec![tax()]);
    assert_eq!(place.booked(), 0);
    place.let_time_pass();
    // The tax is not asked for again: what may be booked was kept with the run.
    let (url, _held) = serve_and_hold(vec![record(), says("All is booked.")]);
    let again = ran(place.live(&url));
    again.answers("All is booked.");
    again.says(&["recordInvoice", "success", "Ledger: 1 invoice", "Total: 3 cycles, 2 calls"]);
    assert_eq!(place.booked(), 1);
}

#[test]
fn a_run_whose_process_crashed_a_moment_ago_is_waited_for() {
    let place = Place::new();
    let crashed = place.run(&["--crash"]);
    assert_eq!(crashed.code, None, "it ended by a signal: {}", crashed.err);
    assert_eq!(place.booked(), 1);
    let mut child = place.program(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("waiting") {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "{told}");
    }
    place.let_time_pass();
    stderr.read_to_string(&mut told).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{told}");
    assert!(said.contains("recorded as inv_000001") && told.contains("Ledger: 1 invoice"), "{said}{told}");
    assert!(!told.contains("recordInvoice {"), "the call was made before: {told}");
}

#[test]
fn a_store_that_cannot_be_opened_is_named() {
    let place = Place { file: PathBuf::from("/no/such/folder/invoices.db"), ..Place::new() };
    let ran = place.run(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("/no/such/folder/invoices.db"), "{}", ran.err);
}
