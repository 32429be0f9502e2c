//! The gates that a call passes, each asked only where those before it let the call through.

use std::sync::{Arc, Mutex};

use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};
use agent_core::model::{Reply, ToolCall};
use agent_core::run::{Pending, StepRecord};
use agent_core::testing::ScriptedModel;
use agent_core::{
    Access, Agent, Approver, Authorizer, Decision, Denied, Limits, OnDenied, RoleAuthorizer, SecurityContext, tool,
    tools,
};
use async_trait::async_trait;

use crate::world::{Shared, writer};

/// Who was asked, and what ran, in order.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

struct Rights(Asked);

#[async_trait]
impl Authorizer for Rights {
    async fn authorize(&self, caller: &SecurityContext, access: &Access<'_>) -> Result<(), Denied> {
        self.0.note(format!("may {}", access.tool));
        RoleAuthorizer.authorize(caller, access).await
    }
}

struct Yes(Asked);

#[async_trait]
impl Approver for Yes {
    async fn decide(&self, _: &SecurityContext, pending: &Pending) -> Option<Decision> {
        self.0.note(format!("approve {}", pending.call_id));
        Some(pending.approve("boss"))
    }
}

struct Claims(Asked, Shared);

#[async_trait]
impl IdempotencyStore for Claims {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        self.0.note("claim");
        self.1.claim(request).await
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: std::time::Duration) -> Result<(), StoreError> {
        self.1.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        self.0.note("settle");
        self.1.settle(key, fence, settled).await
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        self.1.release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.1.mark_unknown(key, fence, cause).await
    }
}

/// Stamps a page.
#[tool(mutating, permission = "world:write", approval)]
async fn stamp(
    /// Its number.
    #[arg(minimum = 1)]
    page: u32,
    asked: &Asked,
) -> u32 {
    asked.note(format!("run {page}"));
    page
}

/// Codes of the calls in call order, and who was asked.
async fn calls(arguments: &[&str], caller: SecurityContext, limits: Limits) -> (Vec<String>, Vec<String>) {
    let asked = Asked::default();
    let calls = arguments.iter().enumerate().map(|(at, text)| ToolCall::new(format!("c{at}"), "stamp", *text));
    let agent = Agent::builder(ScriptedModel::new([Reply::calls(calls), Reply::text("Done.")]))
        .tools(tools![stamp])
        .state(asked.clone())
        .authorizer(Rights(asked.clone()))
        .approver(Yes(asked.clone()))
        .store(Claims(asked.clone(), Shared::default()))
        .on_denied(OnDenied::Continue)
        .limits(limits)
        .build()
        .unwrap();
    let answer = agent.run("Go.").caller(caller).await.unwrap();
    let mut codes: Vec<_> = answer
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            StepRecord::Tool(call) => Some((call.call_id.clone(), call.code.clone().unwrap_or("success".to_owned()))),
            _ => None,
        })
        .collect();
    codes.sort();
    (codes.into_iter().map(|(_, code)| code).collect(), asked.all())
}

#[tokio::test]
async fn a_call_passes_rights_and_approval_before_its_claim_and_its_claim_before_it_runs() {
    let (codes, asked) = calls(&[r#"{"page":1}"#, r#"{"page":2}"#], writer(), Limits::default()).await;
    assert_eq!(codes, ["success", "success"]);
    let one_by_one = ["may stamp", "may stamp", "approve c0", "approve c1"];
    let effects = ["claim", "run 1", "settle", "claim", "run 2", "settle"];
    // Rights are asked once more before the calls run, since a person may have taken long.
    let asked: Vec<_> = asked.iter().map(String::as_str).collect();
    assert_eq!(asked[..4], one_by_one);
    assert_eq!(asked[asked.len() - 6..], effects);
}

#[tokio::test]
async fn a_caller_without_the_right_is_refused_before_anything_else_is_looked_at() {
    let (codes, asked) = calls(&["{", r#"{"page":0}"#], SecurityContext::anonymous(), Limits::default()).await;
    assert_eq!(codes, ["UNAUTHORIZED", "UNAUTHORIZED"]);
    assert!(asked.iter().all(|who| who == "may stamp"), "{asked:?}");
}

#[tokio::test]
async fn an_invalid_call_uses_up_no_limit_and_waits_for_nobody() {
    let limits = Limits::default().max_tool_calls_per_turn(1);
    let (codes, asked) = calls(&["{", r#"{"page":0}"#, r#"{"page":3}"#], writer(), limits).await;
    assert_eq!(codes, ["MALFORMED_JSON", "SCHEMA_VALIDATION_FAILED", "success"]);
    assert_eq!(asked.iter().filter(|who| who.starts_with("approve")).count(), 1, "{asked:?}");
}

#[tokio::test]
async fn a_call_over_a_limit_is_refused_before_anybody_is_asked_to_approve_it() {
    let limits = Limits::default().max_tool_calls_per_turn(1);
    let (codes, asked) = calls(&[r#"{"page":1}"#, r#"{"page":2}"#], writer(), limits).await;
    assert_eq!(codes, ["success", "LIMIT_REACHED"]);
    let approvals: Vec<_> = asked.iter().filter(|who| who.starts_with("approve")).collect();
    assert_eq!(approvals, ["approve c0"]);
}
