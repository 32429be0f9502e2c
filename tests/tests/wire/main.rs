//! Recorded and reconstructed answers of servers, each read through the public interface.
//!
//! The corpus lies outside the repository; `WIRE_CORPUS` names its folder, `../shared/wire` otherwise. A few cases of our
//! own, in the same form, lie beside the adapter that they are for.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "clippy takes the helpers of a test for no test")]

mod case;
mod normal;
mod server;

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

use agent_anthropic::Anthropic;
use agent_core::model::{Delta, Message, Model, ModelError, Reply, Request};
use agent_openai::{OpenAi, reqwest};
use futures_util::StreamExt;

use case::Case;

fn corpus() -> Option<Vec<Case>> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/wire");
    cases(&env::var_os("WIRE_CORPUS").map_or_else(default, PathBuf::from))
}

/// The cases of a folder; none where there is no such folder, which is said.
fn cases(folder: &Path) -> Option<Vec<Case>> {
    if !folder.is_dir() {
        say(&format!("skipped: there is no folder {}; set WIRE_CORPUS", folder.display()));
        return None;
    }
    let cases = Case::all(folder);
    assert!(!cases.is_empty(), "the folder {} holds no case", folder.display());
    Some(cases)
}

/// Says it also where the test passes, of which `println!` shows nothing.
fn say(line: &str) {
    // Who does not listen is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A model that sends one request.
fn model(case: &Case, client: &reqwest::Client, base_url: &str) -> Box<dyn Model> {
    let client = client.clone();
    match case.is_anthropic() {
        true => {
            let builder = Anthropic::builder().client(client).base_url(base_url).model("m").max_retries(0);
            Box::new(builder.max_continuations(0).build().unwrap())
        }
        false => {
            Box::new(OpenAi::builder().client(client).base_url(base_url).model("m").max_retries(0).build().unwrap())
        }
    }
}

/// The whole reply of a stream; its pieces must say the same.
async fn streamed(model: &dyn Model, request: Request<'_>) -> Result<Reply, ModelError> {
    let mut stream = model.stream(request);
    let mut pieces = Pieces::default();
    let mut reply = None;
    while let Some(delta) = stream.next().await {
        assert!(reply.is_none(), "something came after the end");
        match delta? {
            Delta::Done(done) => reply = Some(done),
            delta => pieces.add(delta),
        }
    }
    let reply = reply.expect("a stream ends with the reply or an error");
    pieces.check(&reply);
    Ok(reply)
}

#[derive(Default)]
struct Pieces {
    text: String,
    reasoning: String,
    names: Vec<String>,
}

impl Pieces {
    fn add(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.text += &text,
            Delta::Reasoning(text) => self.reasoning += &text,
            Delta::Call { index, name, .. } => {
                self.names.resize(self.names.len().max(index + 1), String::new());
                self.names[index] += name.as_deref().unwrap_or_default();
            }
            _ => {}
        }
    }

    fn check(&self, reply: &Reply) {
        assert_eq!(self.text, reply.text.as_deref().unwrap_or_default());
        assert_eq!(self.reasoning, reply.reasoning.as_deref().unwrap_or_default());
        assert!(self.names.iter().eq(reply.calls.iter().map(|call| &call.name)));
    }
}

/// Reads each case in this way of cutting its body; gives how many are read wrongly.
async fn failures(cases: &[Case], cut: impl Fn(&Case) -> Vec<usize>) -> usize {
    let question = [Message::user("?")];
    // One for all cases: each client of its own would read the system's certificates again.
    let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build().unwrap();
    let mut failed = 0;
    for case in cases {
        let (base_url, _) = server::serve(case.response(cut(case))).await;
        let model = model(case, &client, &base_url);
        let answer = match case.requested_stream() {
            true => streamed(&*model, Request::new(&question)).await,
            false => model.reply(Request::new(&question)).await,
        };
        failed += usize::from(!case.check(&normal::form(answer)));
    }
    failed
}

/// After each byte of the body.
fn every_byte(case: &Case) -> Vec<usize> {
    (1..case.len()).collect()
}

/// Cuts that look random and are the same each time.
fn anywhere(case: &Case) -> Vec<usize> {
    let mut state = case.len() as u64;
    let mut at = 0;
    std::iter::from_fn(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        at += 1 + (state >> 33) as usize % 97;
        (at < case.len()).then_some(at)
    })
    .collect()
}

#[tokio::test]
async fn our_own_cases_are_read_as_they_should_be_however_they_are_cut() {
    for (adapter, is_anthropic) in [("agent-anthropic", true), ("agent-openai", false)] {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(adapter).join("tests/fixtures");
        let cases = cases(&own).expect("they are in the repository");
        assert!(cases.iter().all(|case| case.is_anthropic() == is_anthropic), "a name tells the format");
        for cut in [|_: &Case| Vec::new(), every_byte, anywhere] {
            assert_eq!(failures(&cases, cut).await, 0, "cases of {adapter} failed; their differences are above");
        }
    }
}

#[tokio::test]
async fn every_answer_is_read_as_it_should_be() {
    let Some(cases) = corpus() else { return };
    let failed = failures(&cases, |case| case.split_at.clone()).await;
    let anthropic = cases.iter().filter(|case| case.is_anthropic()).count();
    let (read, all) = (cases.len() - failed, cases.len());
    say(&format!("{read} of {all} cases read as they should be, {anthropic} of them of the Messages API"));
    assert_eq!(failed, 0, "cases failed; their differences are above");
    // A folder that is named may hold one format; this one has both.
    assert!(env::var_os("WIRE_CORPUS").is_some() || (1..all).contains(&anthropic), "{anthropic} of {all}");
}

#[tokio::test]
async fn a_stream_cut_after_every_byte_reads_the_same() {
    let Some(cases) = corpus() else { return };
    let failed = failures(&cases, every_byte).await;
    say(&format!("{} of {} cases read as they should be, byte by byte", cases.len() - failed, cases.len()));
    assert_eq!(failed, 0, "cases failed; their differences are above");
}

#[tokio::test]
async fn a_stream_cut_anywhere_reads_the_same() {
    let Some(cases) = corpus() else { return };
    let failed = failures(&cases, anywhere).await;
    say(&format!("{} of {} cases read as they should be, cut anywhere", cases.len() - failed, cases.len()));
    assert_eq!(failed, 0, "cases failed; their differences are above");
}

#[test]
#[should_panic(expected = "holds no case")]
fn a_folder_without_cases_is_a_failure() {
    // This one holds sources.
    cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire"));
}

#[test]
fn a_folder_that_is_not_there_is_skipped() {
    assert!(cases(Path::new("no/such/folder")).is_none());
}
