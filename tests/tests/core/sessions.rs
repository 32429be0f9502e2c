//! What an adapter keeps between the requests of a run is that run's alone.

use std::sync::{Arc, Mutex};

use agent_core::model::{Model, ModelError, Reply, Request};
use agent_core::schema::Profile;
use agent_core::{Agent, profile, tools};
use async_trait::async_trait;

use crate::speaker::look_at;
use crate::world::{App, look};

/// Counts in the session the requests of a run, and tells the count in the one list.
#[derive(Clone, Default)]
struct Counting(Arc<Mutex<Vec<(String, u32)>>>);

#[async_trait]
impl Model for Counting {
    fn profiles(&self) -> &[&'static Profile] {
        &[&profile::OPENAI]
    }

    fn name(&self) -> &str {
        "counting"
    }

    async fn reply(&self, request: Request<'_>) -> Result<Reply, ModelError> {
        let session = request.session.expect("the loop gives one");
        let count = session.take::<u32>().map_or(0, |count| *count) + 1;
        session.keep(Box::new(count));
        self.0.lock().unwrap().push((request.run_id.to_owned(), count));
        // Others run in between.
        tokio::task::yield_now().await;
        if request.messages.len() < 5 { Ok(look_at("ok", i64::from(count))) } else { Ok(Reply::text("Done.")) }
    }
}

#[tokio::test]
async fn what_an_adapter_keeps_is_of_one_run_and_ends_with_it() {
    let model = Counting::default();
    let agent = Agent::builder(model.clone()).tools(tools![look]).state(App::default()).build().unwrap();
    let (one, other) = tokio::join!(agent.run("Go.").id("one"), agent.run("Go.").id("other"));
    assert_eq!((one.unwrap().text(), other.unwrap().text()), ("Done.", "Done."));
    agent.run("Go.").id("third").await.unwrap();
    for run in ["one", "other", "third"] {
        let counts: Vec<_> =
            model.0.lock().unwrap().iter().filter(|(id, _)| id == run).map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 2, 3], "{run}");
    }
}
