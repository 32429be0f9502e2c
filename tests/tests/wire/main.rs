//! Recorded and reconstructed answers of servers, each read through the public interface.
//!
//! The corpus lies outside the repository; `WIRE_CORPUS` names its folder, `../shared/wire` otherwise.

mod case;
mod normal;
mod server;

use std::env;
use std::path::{Path, PathBuf};

use agent_core::model::{Message, Model, Request};
use agent_openai::OpenAi;

use case::Case;

fn corpus() -> Option<Vec<Case>> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/wire");
    let folder = env::var_os("WIRE_CORPUS").map_or_else(default, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: there is no folder {}; set WIRE_CORPUS", folder.display());
        return None;
    }
    Some(Case::all(&folder))
}

fn model(base_url: &str) -> OpenAi {
    OpenAi::builder().base_url(base_url).model("m").max_retries(0).build().unwrap()
}

#[tokio::test]
async fn every_plain_answer_is_read_as_it_should_be() {
    let Some(cases) = corpus() else { return };
    let cases: Vec<_> = cases.iter().filter(|case| case.kind == "json").collect();
    let question = [Message::user("?")];
    let mut failed = 0;
    for case in &cases {
        let base_url = server::serve(case.response()).await;
        let answer = model(&base_url).reply(Request::new(&question)).await;
        failed += usize::from(!case.check(&normal::form(answer)));
    }
    println!("{} of {} cases read as they should be", cases.len() - failed, cases.len());
    assert_eq!(failed, 0, "cases failed; their differences are above");
}
