//! A run that has a bit of everything: a parallel batch, a retry, an effect and its replay, a rule of the domain, a
//! denial, wrong arguments, and a circuit that opens.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::time::Duration;

use agent_core::audit::AuditSink;
use agent_core::model::{Finish, Reply, ToolCall, Usage};
use agent_core::testing::{MemoryAudit, ScriptedModel};
use agent_core::{
    Agent, BusinessError, CallContext, Limits, Observer, OnDenied, RunError, SecurityContext, ToolError, ToolSchema,
    tool, tools,
};

/// Says how many pieces of an article are in stock.
#[tool(retries = 2)]
pub(crate) async fn stock(
    /// The article's number.
    article: String,
    call: &CallContext,
) -> Result<u32, ToolError> {
    tokio::time::sleep(Duration::from_millis(120)).await;
    match article.as_str() {
        "flaky" if call.attempt() == 1 => Err(ToolError::fatal(std::io::Error::other("connection reset")).transient()),
        "none" => Err(BusinessError::new("NO_SUCH_ARTICLE", "There is no such article.").into()),
        _ => Ok(7),
    }
}

/// Orders pieces of an article.
#[tool(mutating, permission = "orders:write")]
pub(crate) async fn order(
    /// The article's number.
    article: String,
    /// How many.
    #[arg(minimum = 1, maximum = 100)]
    pieces: u32,
) -> String {
    tokio::time::sleep(Duration::from_millis(250)).await;
    format!("order of {pieces} {article}")
}

/// Deletes all orders.
#[tool(mutating, permission = "orders:admin")]
pub(crate) async fn delete_orders() -> String {
    "deleted".to_owned()
}

/// A typed answer.
#[derive(serde::Deserialize, ToolSchema)]
pub(crate) struct Total {
    /// What it comes to.
    pub(crate) total: f64,
}

pub(crate) const PROMPT: &str = "Order two pieces of A1.";

pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Reply {
    let calls = calls.iter().map(|(id, tool, arguments)| ToolCall::new(*id, *tool, *arguments));
    Reply::calls(calls).usage(Usage::new(1_200, 40).cached_input(800))
}

pub(crate) fn replies() -> Vec<Reply> {
    vec![
        calls(&[
            ("c1", "stock", r#"{"article":"A1"}"#),
            ("c2", "stock", r#"{"article":"flaky"}"#),
            ("c3", "stock", r#"{"article":"none"}"#),
        ]),
        calls(&[("c4", "order", r#"{"article":"A1","pieces":2}"#)]),
        calls(&[("c5", "order", r#"{"article":"A1","pieces":2}"#)]),
        calls(&[("c6", "delete_orders", "{}")]),
        calls(&[("c7", "order", r#"{"article":"A1","pieces":0}"#)]),
        calls(&[("c8", "order", r#"{"article":"A1","pieces":0}"#)]),
        Reply::text("Two pieces of A1 are ordered; I could not order more.").finish(Finish::Stop),
    ]
}

/// Runs it under `order-4711`.
pub(crate) async fn run(observer: impl Observer + 'static) -> RunError {
    run_audited(observer, MemoryAudit::new()).await
}

/// The same, with this audit.
pub(crate) async fn run_audited(observer: impl Observer + 'static, audit: impl AuditSink + 'static) -> RunError {
    let agent = Agent::builder(ScriptedModel::new(replies()))
        .tools(tools![stock, order, delete_orders])
        .limits(Limits::default().max_cycles(10))
        .on_denied(OnDenied::Continue)
        .observer(observer)
        .audit(audit)
        .build()
        .unwrap();
    let caller = SecurityContext::new("usr_1", "tenant_1").role("orders:write");
    agent.run(PROMPT).caller(caller).id("order-4711").await.unwrap_err()
}
