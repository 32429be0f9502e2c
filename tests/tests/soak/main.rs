//! Many runs against a server that does everything wrong, now and then. `SOAK_RUNS` says how many, 400 otherwise.
//!
//! The clock stands still and jumps to the next timer when nothing else is to be done, so that stalls cost nothing.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "clippy takes the helpers of a test for no test")]

#[path = "../wire/request_schema.rs"]
mod request_schema;
mod server;

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agent_core::{Agent, Limits, RunError, RunErrorKind, RunEvent, tool, tools};
use agent_openai::OpenAi;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::time::Instant;

use server::Server;

/// How many runs go on at once.
const AT_ONCE: usize = 64;
/// The time of one run, and what its end may take beyond it.
const TIMEOUT: Duration = Duration::from_secs(30);
const SLACK: Duration = Duration::from_secs(1);

/// Tells the time somewhere.
#[tool]
async fn time_in(
    /// The city.
    city: String,
) -> String {
    format!("noon in {city}")
}

/// What a run ended as: an answer, or the kind of its error.
fn end<T>(ended: Result<T, RunError>) -> String {
    match ended {
        Ok(_) => "answer".to_owned(),
        Err(error) => match error.kind() {
            RunErrorKind::ModelFailed(failed) => format!("model: {}", failed.kind.as_str()),
            kind => {
                let shown = format!("{kind:?}");
                shown.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
            }
        },
    }
}

async fn one(agent: &Agent, number: usize) -> String {
    let before = Instant::now();
    let run = agent.run(format!("Run {number}: what time is it in Dhaka?"));
    let ended = if number.is_multiple_of(2) {
        end(run.await)
    } else {
        let mut events = run.events();
        loop {
            match events.next().await {
                Some(RunEvent::Finished(finished)) => break end(finished),
                Some(_) => {}
                None => panic!("run {number} ended without an end"),
            }
        }
    };
    assert!(before.elapsed() <= TIMEOUT + SLACK, "run {number} took {:?} and ended as {ended}", before.elapsed());
    ended
}

/// Waits until this holds; the clock jumps, so that it takes as long as the machine needs.
async fn settled(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{what} did not come back to where it began");
}

#[tokio::test(start_paused = true)]
async fn every_run_against_a_faulty_server_ends_in_time_and_leaves_nothing_behind() {
    let runs = env::var("SOAK_RUNS").map_or(400, |runs| runs.parse().unwrap());
    let server = Server::start().await;
    let tasks = || Handle::current().metrics().num_alive_tasks();
    let at_first = tasks();

    let model = OpenAi::builder().base_url(&server.base_url).max_response_bytes(256 * 1024);
    let model = model.idle_timeout(Duration::from_secs(10)).build().unwrap();
    let mut limits = Limits::default();
    limits.timeout = TIMEOUT;
    let agent = Arc::new(Agent::builder(model).tools(tools![time_in]).limits(limits).build().unwrap());
    let ends = stream::iter(0..runs).map(|number| {
        let agent = Arc::clone(&agent);
        async move { one(&agent, number).await }
    });
    let mut counts = BTreeMap::<String, usize>::new();
    let mut ends = ends.buffer_unordered(AT_ONCE);
    while let Some(end) = ends.next().await {
        *counts.entry(end).or_default() += 1;
    }
    println!("{runs} runs ended: {counts:?}");
    println!("{} requests were served: {:?}", server.served(), server.modes());
    println!("{} connections were open at most", server.most_open.load(Ordering::SeqCst));
    assert_eq!(counts.values().sum::<usize>(), runs);
    assert!(counts["answer"] > runs / 4, "too few ended well for the rest to mean anything");
    assert_eq!(server.problems(), [""; 0], "each request is one that OpenAI's schema takes");
    assert!(server.modes().len() == server::MODES, "not every mode was met");

    drop(ends);
    drop(agent);
    settled("the number of connections", || server.open.load(Ordering::SeqCst) == 0).await;
    settled("the number of tasks", || tasks() == at_first).await;
}
