//! The log of steps.

#![cfg(feature = "steps")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod scripted;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use agent_core::Agent;
use agent_core::model::{Finish, Reply};
use agent_core::run_store::MemoryRunStore;
use agent_core::telemetry::Content;
use agent_core::testing::ScriptedModel;
use agent_telemetry::{DigestKey, StepLog};
use serde_json::Value;

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn key() -> DigestKey {
    DigestKey::new(b"a secret key of the tests").unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_step_of_a_run_is_one_line_and_no_line_has_content() {
    let kept = Kept::default();
    let log = Arc::new(StepLog::json_lines(key(), kept.clone()));
    scripted::run(log.clone()).await;
    log.flush().unwrap();
    let lines = kept.lines();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            match line["step"].as_str().unwrap() {
                "model" => format!("{} model {} {}", line["cycle"], text("purpose"), line["calls"]),
                "tool" => format!(
                    "{} {} {} {} {} {}",
                    line["cycle"],
                    text("call_id"),
                    text("tool"),
                    text("status"),
                    text("code"),
                    line["attempt"]
                ),
                other => format!("{other} {}", text("reason")),
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "1 model turn 3",
            "1 c1 stock success  1",
            "1 c3 stock business_error NO_SUCH_ARTICLE 1",
            "1 c2 stock success  2",
            "2 model turn 1",
            "2 c4 order success  1",
            "3 model turn 1",
            "3 c5 order success  0",
            "4 model turn 1",
            "4 c6 delete_orders permission_denied UNAUTHORIZED 0",
            "5 model turn 1",
            "5 c7 order validation_error SCHEMA_VALIDATION_FAILED 0",
            "6 model turn 1",
            "6 c8 order validation_error SCHEMA_VALIDATION_FAILED 0",
            "6 model close 0",
            "end circuit_open",
        ]
    );
    assert!(lines.iter().all(|line| line["run"] == "order-4711" && line["at"].is_string()));
    let first = &lines[0];
    assert_eq!(
        (&first["tokens_in"], &first["tokens_out"], &first["tokens_cached"]),
        (&1200.into(), &40.into(), &800.into())
    );
    let ordered = &lines[5];
    assert_eq!(ordered["latency_ms"], 250);
    assert_eq!(ordered["arguments"]["hmac_sha256"], key().digest(r#"{"article":"A1","pieces":2}"#));
    assert_eq!(ordered["result"]["hmac_sha256"], key().digest(r#""order of 2 A1""#));
    assert_eq!((&ordered["result"]["bytes"], &lines[7]["replayed"]), (&15.into(), &true.into()));
    let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    for content in ["A1", "pieces of", "flaky"] {
        assert!(!text.contains(content), "{content} is content: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn content_is_told_as_the_hook_leaves_it() {
    let kept = Kept::default();
    let hook = |content: Content<'_>| content.text.replace("A1", "##");
    let log = Arc::new(StepLog::json_lines(key(), kept.clone()).content(hook));
    scripted::run(log.clone()).await;
    log.flush().unwrap();
    let lines = kept.lines();
    assert_eq!(lines[5]["arguments"]["text"], r###"{"article":"##","pieces":2}"###);
    assert_eq!(lines[5]["result"]["text"], r###""order of 2 ##""###);
    assert!(lines[14]["text"].as_str().unwrap().contains("Two pieces of ##"));
    let refused = lines[11]["result"]["text"].as_str().unwrap();
    assert!(refused.contains("/pieces"), "{refused}");
}

#[test]
fn what_is_dropped_is_written_to_its_end() {
    let kept = Kept::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(scripted::run(StepLog::json_lines(key(), kept.clone())));
    assert_eq!(kept.lines().len(), 16);
}

struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_fails_is_told_by_flush_and_stops_no_run() {
    let log = Arc::new(StepLog::json_lines(key(), Broken));
    let error = scripted::run(log.clone()).await;
    assert_eq!(error.kind().as_str(), "circuit_open");
    assert_eq!(log.flush().unwrap_err().to_string(), "the disk is full");
    assert_eq!(log.left_out(), 16);
}

struct Panics;

impl Write for Panics {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("unlucky")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_panics_is_one_that_fails_each_time() {
    let log = Arc::new(StepLog::json_lines(key(), Panics));
    for runs in 1..=2 {
        scripted::run(log.clone()).await;
        assert_eq!(log.flush().unwrap_err().to_string(), "the writer panicked");
        assert_eq!(log.left_out(), 16 * runs);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_keeps_content_back_and_no_line() {
    let kept = Kept::default();
    let hook = |content: Content<'_>| content.text.chars().map(|_| -> char { panic!() }).collect::<String>();
    let log = Arc::new(StepLog::json_lines(key(), kept.clone()).content(hook));
    scripted::run(log.clone()).await;
    log.flush().unwrap();
    let lines = kept.lines();
    assert_eq!(lines.len(), 16);
    assert_eq!(lines[5]["arguments"]["text"], "(the redaction hook panicked)");
}

#[tokio::test(start_paused = true)]
async fn names_and_ids_of_any_length_are_cut() {
    let kept = Kept::default();
    let log = Arc::new(StepLog::json_lines(key(), kept.clone()));
    let long = "x".repeat(1 << 20);
    let mut first = scripted::calls(&[(&long, &long, "{}")]);
    first.model = Some(long.clone());
    let mut last = Reply::text("Done.").finish(Finish::Other(long.clone()));
    last.model = Some(long.clone());
    let agent = Agent::builder(ScriptedModel::new([first, last])).observer(log.clone()).build().unwrap();
    agent.run("Go.").id("r").await.unwrap_err();
    log.flush().unwrap();
    let lines = kept.lines();
    assert_eq!(lines.len(), 4);
    let longest = lines.iter().map(|line| line.to_string().len()).max();
    assert!(longest.is_some_and(|longest| longest < 1_000), "{longest:?}");
    assert_eq!(lines[1]["tool"], long[..128]);
}

#[tokio::test(start_paused = true)]
async fn a_stored_end_is_one_line_that_says_so() {
    let kept = Kept::default();
    let log = Arc::new(StepLog::json_lines(key(), kept.clone()));
    let model = ScriptedModel::new([Reply::text("Seven.")]);
    let agent = Agent::builder(model).run_store(MemoryRunStore::new()).observer(log.clone()).build().unwrap();
    for _ in 0..2 {
        agent.run("How many?").id("r").await.unwrap();
    }
    log.flush().unwrap();
    let told: Vec<_> = kept.lines().iter().map(|line| format!("{} {}", line["step"], line["stored"])).collect();
    assert_eq!(told, [r#""model" null"#, r#""end" false"#, r#""end" true"#]);
}
