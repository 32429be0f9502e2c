//! What a suspended run keeps, who can take it up, and that its effect happens once.

use std::sync::Arc;

use agent_core::model::{Reply, ToolCall};
use agent_core::run_store::MemoryRunStore;
use agent_core::{Agent, RunErrorKind, SecurityContext, tools};

use crate::speaker::{Speaker, codes, suspended};
use crate::world::{App, Shared, World, look, sign, writer};

fn signs(id: &str) -> ToolCall {
    ToolCall::new(id, "sign", r#"{"how":"ok"}"#)
}

/// A process: what it shares with others are claims and the world.
fn signer(replies: impl IntoIterator<Item = Reply>, claims: &Shared, world: &Arc<World>) -> Agent<App> {
    let builder = Agent::builder(Speaker::replies(replies)).tools(tools![sign]).state(App { world: world.clone() });
    builder.store(claims.clone()).build().unwrap()
}

#[tokio::test]
async fn a_saved_run_holds_user_and_tenant_and_no_role() {
    let (claims, world) = (Shared::default(), Arc::default());
    let caller = writer().role("secret-role");
    let error = signer([Reply::calls([signs("a")])], &claims, &world).run("Sign.").caller(caller).await.unwrap_err();
    let saved = serde_json::to_string(&suspended(error)).unwrap();
    assert!(saved.contains("usr_1") && saved.contains("tenant_1"), "{saved}");
    assert!(!saved.contains("world:write") && !saved.contains("secret-role"), "{saved}");
}

#[tokio::test]
async fn one_saved_run_and_its_decision_taken_up_twice_without_a_store_of_runs_has_its_effect_once() {
    let (claims, world) = (Shared::default(), Arc::<World>::default());
    let first = signer([Reply::calls([signs("a")])], &claims, &world);
    let run = suspended(first.run("Sign.").caller(writer()).await.unwrap_err());
    let decision = run.pending()[0].approve("boss");
    for _ in 0..2 {
        let agent = signer([Reply::text("Signed.")], &claims, &world);
        let answer = agent.resume(run.clone()).caller(writer()).decide(decision.clone()).await.unwrap();
        assert_eq!(answer.text(), "Signed.");
        assert_eq!(codes(answer.record()), ["success"], "the second is given the first one's result");
    }
    assert_eq!((world.entered(), world.effects()), (1, 1));
}

#[tokio::test]
async fn two_like_calls_that_are_both_approved_have_their_effect_once() {
    let (claims, world) = (Shared::default(), Arc::<World>::default());
    let first = signer([Reply::calls([signs("a"), signs("b")])], &claims, &world);
    let run = suspended(first.run("Sign.").caller(writer()).await.unwrap_err());
    let pending = run.pending();
    assert_eq!(pending.iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["a", "b"], "each once");
    assert_ne!(pending[0].digest, pending[1].digest, "a decision is about one of them");
    let agent = signer([Reply::text("Signed.")], &claims, &world);
    let resumed = agent.resume(run).caller(writer()).decide(pending[0].approve("boss"));
    let answer = resumed.decide(pending[1].approve("boss")).await.unwrap();
    assert_eq!(codes(answer.record()), ["success", "success"]);
    assert_eq!((world.entered(), world.effects()), (1, 1));
}

mod other {
    use agent_core::tool;

    /// Changes something, once a person has said so, in another way than before.
    #[tool(name = "sign", mutating, permission = "world:write", approval)]
    pub(super) async fn sign_otherwise(
        /// The way: ok.
        how: String,
        /// For whom.
        whom: String,
    ) -> String {
        format!("{how} {whom}")
    }
}

#[tokio::test]
async fn a_changed_or_added_tool_keeps_a_run_from_being_taken_up_and_is_named_also_by_its_id() {
    let (claims, world) = (Shared::default(), Arc::<World>::default());
    let runs = Arc::new(MemoryRunStore::new());
    for stored in [false, true] {
        let builder = || {
            let builder = Agent::builder(Speaker::replies([Reply::calls([signs("a")])]));
            let builder = builder.state(App { world: world.clone() }).store(claims.clone());
            if stored { builder.run_store(runs.clone()) } else { builder }
        };
        let first = builder().tools(tools![sign]).build().unwrap();
        let run = suspended(first.run("Sign.").caller(writer()).id("r").await.unwrap_err());
        let changed = builder().tools(tools![other::sign_otherwise]).build().unwrap();
        let added = builder().tools(tools![sign, look]).build().unwrap();
        for (agent, named) in [(changed, "`sign`"), (added, "`look`")] {
            let decision = run.pending()[0].approve("boss");
            let mut refused = vec![agent.resume(run.clone()).caller(writer()).decide(decision).await];
            if stored {
                refused.push(agent.run("Sign.").caller(writer()).id("r").await);
            }
            for refused in refused {
                let error = refused.unwrap_err();
                let RunErrorKind::NotResumed { what, run: kept } = error.kind() else { panic!("{error:?}") };
                assert!(what.contains(named), "{what}");
                assert_eq!(kept.pending(), run.pending(), "nothing of it is lost");
            }
        }
        assert_eq!(world.entered(), u32::from(stored), "before anything of it ran");
        // With the tools that it began with, it goes on.
        let decision = run.pending()[0].approve("boss");
        let builder = Agent::builder(Speaker::replies([Reply::text("Signed.")])).tools(tools![sign]);
        let builder = builder.state(App { world: world.clone() }).store(claims.clone());
        let again = if stored { builder.run_store(runs.clone()) } else { builder }.build().unwrap();
        assert_eq!(again.resume(run).caller(writer()).decide(decision).await.unwrap().text(), "Signed.");
    }
}

#[tokio::test]
async fn a_caller_of_the_same_name_in_another_tenant_takes_up_nothing() {
    let (claims, world) = (Shared::default(), Arc::<World>::default());
    let first = signer([Reply::calls([signs("a")])], &claims, &world);
    let run = suspended(first.run("Sign.").caller(writer()).await.unwrap_err());
    let decision = run.pending()[0].approve("boss");
    let stranger = SecurityContext::new("usr_1", "tenant_2").role("world:write");
    let error = signer([], &claims, &world).resume(run).caller(stranger).decide(decision).await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotResumed { what, .. } if what.contains("tenant")), "{error:?}");
    assert_eq!(world.entered(), 0);
}

/// What is asked for.
#[derive(Debug, serde::Deserialize, agent_core::ToolSchema)]
struct Signed {
    /// How it went.
    how: String,
}

#[tokio::test]
async fn a_run_with_a_typed_answer_that_is_taken_up_without_its_type_says_what_is_missing_and_loses_nothing() {
    let (claims, world) = (Shared::default(), Arc::<World>::default());
    let first = signer([Reply::calls([signs("a")])], &claims, &world);
    let run = suspended(first.run("Sign.").caller(writer()).answer::<Signed>().await.unwrap_err());
    let decision = run.pending()[0].approve("boss");
    let finish = Reply::calls([ToolCall::new("f", "finish", r#"{"how":"well"}"#)]);
    let agent = signer([finish], &claims, &world);
    let error = agent.resume(run).caller(writer()).decide(decision.clone()).await.unwrap_err();
    assert!(error.to_string().contains("resume it with the same `.answer::<T>()`"), "{error}");
    let RunErrorKind::NotResumed { run, .. } = error.into_kind() else { panic!("the run is given back") };
    let answer = agent.resume(*run).caller(writer()).decide(decision).answer::<Signed>().await.unwrap();
    assert_eq!(answer.value().how, "well");
}
